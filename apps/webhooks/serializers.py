"""Webhooks and deliveries in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.common.serializers import FailureSerializer
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.reasons import OFF


class WebhookLastSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    http_status = serializers.IntegerField(allow_null=True, help_text="Null: there was no response")
    failure = FailureSerializer(allow_null=True, help_text="Null: the receiver accepted it")


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    url = serializers.SerializerMethodField(
        help_text="The full address for its owner. For an admin only scheme, host and port, "
        "because the rest may be secret"
    )
    owner = serializers.CharField(source="owner.username")
    switched_off = serializers.SerializerMethodField(
        help_text="Why the studio switched it off. Null if it is on, or if its owner switched it "
        "off"
    )
    old_secret_until = serializers.DateTimeField(
        allow_null=True,
        help_text="Until when the previous secret also signs. Null: it does not sign",
    )
    last = serializers.SerializerMethodField(
        help_text="Outcome of the last delivery, or test. Null: nothing was sent"
    )

    class Meta:
        model = Webhook
        fields: tuple[str, ...] = (
            *("id", "name", "url", "is_active", "allow_private_address", "owner", "switched_off"),
            *("old_secret_until", "last", "created_at"),
        )
        read_only_fields = fields

    def get_url(self, webhook: Webhook) -> str:
        """`reader`: the user who gets the response."""
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
    secret = serializers.CharField(read_only=True, help_text="The signing secret; shown only now")

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")


class WebhookWantedSerializer(serializers.Serializer[dict[str, Any]]):
    name = serializers.CharField()
    url = serializers.CharField(
        help_text="http or https. It gets a POST; redirects are not followed"
    )
    is_active = serializers.BooleanField(
        required=False,
        help_text="true by default. When switched on again, it gets what ends from then on",
    )
    allow_private_address = serializers.BooleanField(
        required=False,
        help_text="false by default. For a receiver on this machine or network (curators)",
    )


class WebhookTestSerializer(serializers.Serializer[dict[str, Any]]):
    ok = serializers.BooleanField()
    delivery = serializers.UUIDField()
    http_status = serializers.IntegerField(allow_null=True, help_text="Null: there was no response")
    milliseconds = serializers.IntegerField()
    failure = FailureSerializer(allow_null=True)


class DeliveryJobSerializer(serializers.Serializer[dict[str, Any]]):
    kind = serializers.ChoiceField(choices=("training", "evaluation"))
    id = serializers.UUIDField()
    name = serializers.CharField()
    path = serializers.CharField(help_text="Page of the job")


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    job = DeliveryJobSerializer(allow_null=True, help_text="Null: a test")
    failure = FailureSerializer(allow_null=True, help_text="Of the last try")

    class Meta:
        model = Delivery
        fields = (
            *("id", "event", "job", "ended_at", "status", "tries", "next_try_at", "http_status"),
            *("failure", "created_at", "finished_at"),
        )
        read_only_fields = fields
