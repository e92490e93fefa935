"""Webhooks and deliveries as the API tells them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.common.serializers import FailureSerializer
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.reasons import OFF


class WebhookLastSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    http_status = serializers.IntegerField(allow_null=True, help_text="null: there was no answer")
    failure = FailureSerializer(allow_null=True, help_text="null: it was taken")


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    url = serializers.SerializerMethodField(
        help_text="whole for its owner; scheme, host and port for an admin, as the rest may be a "
        "secret"
    )
    owner = serializers.CharField(source="owner.username")
    switched_off = serializers.SerializerMethodField(
        help_text="why the studio did; null where it is on, or its owner did"
    )
    old_secret_until = serializers.DateTimeField(
        allow_null=True, help_text="the secret before signs too until then; null: it does not"
    )
    last = serializers.SerializerMethodField(
        help_text="what came of what was sent last, a test too; null: nothing was"
    )

    class Meta:
        model = Webhook
        fields: tuple[str, ...] = (
            "id",
            "name",
            "url",
            "is_active",
            "allow_private_address",
            "owner",
            "switched_off",
            "old_secret_until",
            "last",
            "created_at",
        )
        read_only_fields = fields

    def get_url(self, webhook: Webhook) -> str:
        """`reader`: the user who gets it."""
        return webhook.url if self.context["reader"].pk == webhook.owner_id else webhook.origin

    @extend_schema_field(FailureSerializer(allow_null=True))
    def get_switched_off(self, webhook: Webhook) -> dict[str, Any] | None:
        if not webhook.off_reason:
            return None
        return OFF[Webhook.Off(webhook.off_reason)].model_dump()

    @extend_schema_field(WebhookLastSerializer(allow_null=True))
    def get_last(self, webhook: Webhook) -> dict[str, Any] | None:
        if webhook.last_at is None:
            return None
        last = {
            "at": webhook.last_at,
            "http_status": webhook.last_http_status,
            "failure": webhook.last_failure,
        }
        return dict(WebhookLastSerializer(last).data)


class NewWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(read_only=True, help_text="what signs; shown this once")

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")


class WebhookWantedSerializer(serializers.Serializer[dict[str, Any]]):
    name = serializers.CharField()
    url = serializers.CharField(
        help_text="http or https; it gets a POST, and no redirect is followed"
    )
    is_active = serializers.BooleanField(
        required=False,
        help_text="default true; switched on again, it is told of what ends from then on",
    )
    allow_private_address = serializers.BooleanField(
        required=False,
        help_text="default false; for a receiver on this machine or network (curators)",
    )


class WebhookTestSerializer(serializers.Serializer[dict[str, Any]]):
    ok = serializers.BooleanField()
    delivery = serializers.UUIDField()
    http_status = serializers.IntegerField(allow_null=True, help_text="null: there was no answer")
    milliseconds = serializers.IntegerField()
    failure = FailureSerializer(allow_null=True)


class DeliveryJobSerializer(serializers.Serializer[dict[str, Any]]):
    kind = serializers.ChoiceField(choices=("training", "evaluation"))
    id = serializers.UUIDField()
    name = serializers.CharField()
    path = serializers.CharField(help_text="its page")


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    job = DeliveryJobSerializer(allow_null=True, help_text="null: a test")
    failure = FailureSerializer(allow_null=True, help_text="of the last try")

    class Meta:
        model = Delivery
        fields = (
            "id",
            "event",
            "job",
            "ended_at",
            "status",
            "tries",
            "next_try_at",
            "http_status",
            "failure",
            "created_at",
            "finished_at",
        )
        read_only_fields = fields
