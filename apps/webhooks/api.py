"""Webhooks. Operators keep their own; admins see all and delete them."""

from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.permissions import may, user_of
from apps.accounts.views import OperatorView
from apps.common.errors import ApplicationError, missing_is_404
from apps.common.serializers import valid
from apps.webhooks import selectors, services
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.serializers import (
    DeliverySerializer,
    NewWebhookSerializer,
    WebhookSerializer,
    WebhookTestSerializer,
    WebhookWantedSerializer,
)


class WebhooksView(OperatorView):
    @extend_schema(
        summary="My webhooks",
        parameters=[
            OpenApiParameter(
                "everyone", bool, description="List the webhooks of all people (admins)"
            )
        ],
        responses=WebhookSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        if request.query_params.get("everyone", "").lower() not in {"1", "true"}:
            webhooks = selectors.webhooks_of(user_of(request))
        elif may(request, "admin"):
            webhooks = selectors.webhooks_of_everyone()
        else:
            raise _admins_only()
        told = WebhookSerializer(webhooks, many=True, context={"reader": request.user})
        return Response(told.data)

    @extend_schema(
        summary="Make a webhook; its secret is shown only now",
        description="The webhook gets a signed POST when one of your trainings or evaluations "
        "succeeds or fails from now on. docs/webhooks.md explains how to check the "
        "signature.",
        request=WebhookWantedSerializer,
        responses={201: NewWebhookSerializer},
    )
    def post(self, request: Request) -> Response:
        wanted = valid(WebhookWantedSerializer(data=request.data))
        webhook, secret = services.webhook_create(
            user=user_of(request), values=wanted.validated_data, as_curator=may(request, "curator")
        )
        told = {**_told(request, webhook), "secret": secret}
        return Response(told, status=status.HTTP_201_CREATED)


class WebhookView(OperatorView):
    @extend_schema(summary="Read a webhook (the owner or an admin)", responses=WebhookSerializer)
    def get(self, request: Request, webhook_id: UUID) -> Response:
        webhook = _webhook(request, webhook_id, admins_too=True)
        return Response(_told(request, webhook))

    @extend_schema(
        summary="Change one of my webhooks, or switch it on or off",
        description="A webhook that is switched on gets what ends from then on. When it is "
        "switched off, waiting deliveries are not sent.",
        request=WebhookWantedSerializer(partial=True),
        responses=WebhookSerializer,
    )
    def patch(self, request: Request, webhook_id: UUID) -> Response:
        wanted = valid(WebhookWantedSerializer(data=request.data, partial=True))
        webhook = services.webhook_update(
            webhook=_webhook(request, webhook_id),
            values=wanted.validated_data,
            as_curator=may(request, "curator"),
        )
        return Response(_told(request, webhook))

    @extend_schema(
        summary="Delete a webhook with its deliveries (the owner or an admin)",
        responses={204: None},
    )
    def delete(self, request: Request, webhook_id: UUID) -> Response:
        services.webhook_delete(webhook=_webhook(request, webhook_id, admins_too=True))
        return Response(status=status.HTTP_204_NO_CONTENT)


class RotateView(OperatorView):
    @extend_schema(
        summary="Make a new secret for one of my webhooks; it is shown only now",
        description="From now on, deliveries are signed with the new secret, and for 24 hours "
        "also with the old one.",
        request=None,
        responses=NewWebhookSerializer,
    )
    def post(self, request: Request, webhook_id: UUID) -> Response:
        webhook, secret = services.webhook_rotate(webhook=_webhook(request, webhook_id))
        return Response({**_told(request, webhook), "secret": secret})


class TestView(OperatorView):
    @extend_schema(
        summary="Send a test to one of my webhooks, and return the response",
        description="Takes up to about 10 seconds. At most ten tests a minute.",
        request=None,
        responses=WebhookTestSerializer,
    )
    def post(self, request: Request, webhook_id: UUID) -> Response:
        delivery, reply = services.webhook_test(webhook=_webhook(request, webhook_id))
        body = {
            "ok": reply.failure is None,
            "delivery": delivery.id,
            "http_status": reply.http_status,
            "milliseconds": reply.milliseconds,
            "failure": delivery.failure,
        }
        return Response(WebhookTestSerializer(body).data)


class DeliveriesView(OperatorView):
    @extend_schema(
        summary="List the newest 50 deliveries of a webhook (the owner or an admin)",
        responses=DeliverySerializer(many=True),
    )
    def get(self, request: Request, webhook_id: UUID) -> Response:
        webhook = _webhook(request, webhook_id, admins_too=True)
        found = selectors.deliveries_of(webhook)
        return Response(DeliverySerializer(found, many=True).data)


class ResendView(OperatorView):
    @extend_schema(
        summary="Send a delivery of one of my webhooks again",
        description="Sends within seconds, even a delivery that has arrived, failed, or waits "
        "for its next try. At most a hundred a minute.",
        request=None,
        responses=DeliverySerializer,
    )
    def post(self, request: Request, webhook_id: UUID, delivery_id: UUID) -> Response:
        webhook = _webhook(request, webhook_id)
        with missing_is_404(Delivery.DoesNotExist):
            delivery = selectors.delivery_get(webhook=webhook, delivery_id=delivery_id)
        delivery = services.delivery_resend(user=user_of(request), delivery=delivery)
        return Response(DeliverySerializer(delivery).data)


def _webhook(request: Request, webhook_id: UUID, *, admins_too: bool = False) -> Webhook:
    """Another person's webhook counts as missing, except for admins who read or delete."""
    with missing_is_404(Webhook.DoesNotExist):
        return selectors.webhook_get(
            user=user_of(request),
            webhook_id=webhook_id,
            as_admin=admins_too and may(request, "admin"),
        )


def _told(request: Request, webhook: Webhook) -> dict[str, object]:
    return dict(WebhookSerializer(webhook, context={"reader": request.user}).data)


def _admins_only() -> ApplicationError:
    return ApplicationError(
        code="forbidden",
        message=_("Only an admin can list the webhooks of all people, and only in the browser."),
        remedy=_("Leave “everyone” out to list your own webhooks."),
        status_code=status.HTTP_403_FORBIDDEN,
    )
