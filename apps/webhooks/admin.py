from typing import cast

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.models import User
from apps.accounts.ranked_admin import ReadOnlyAdmin
from apps.common.errors import ApplicationError
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.services import delivery_resend


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    """Shows only the host of an address, because the rest may be a secret of its owner."""

    list_display = (
        *("name", "owner", "host"),
        *("is_active", "off_reason", "last_at", "last_http_status"),
    )
    list_filter = ("is_active", "off_reason", "allow_private_address")
    list_select_related = ("owner",)
    search_fields = ("name", "owner__username")
    fields = (
        *("name", "owner", "host", "allow_private_address", "is_active", "active_since"),
        *("off_reason", "failures", "last_at", "last_http_status", "last_failure", "created_at"),
    )
    readonly_fields = fields

    @admin.display(description=gettext_lazy("host"))
    def host(self, webhook: Webhook) -> str:
        return webhook.origin


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    list_display = (
        *("event", "webhook", "status", "tries"),
        *("next_try_at", "http_status", "created_at"),
    )
    list_filter = ("status", "event")
    list_select_related = ("webhook",)
    search_fields = ("id__exact", "job_id__exact", "webhook__owner__username")
    show_full_result_count = False
    actions = ("resend",)

    @admin.action(description=gettext_lazy("Send again"))
    def resend(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> None:
        for delivery in queryset:
            try:
                delivery_resend(user=cast(User, request.user), delivery=delivery)
            except ApplicationError as error:
                messages.error(
                    request,
                    _("%(delivery)s was not sent. %(message)s %(remedy)s")
                    % {"delivery": delivery, "message": error.message, "remedy": error.remedy},
                )
            else:
                self.log_change(request, delivery, _("Sent again."))
                messages.success(
                    request,
                    _("%(delivery)s will be sent again within seconds.") % {"delivery": delivery},
                )
