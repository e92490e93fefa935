"""Checkpoints in the admin."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.ranked_admin import ReadOnlyAdmin
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.services import checkpoint_promote
from apps.common.errors import ApplicationError


@admin.register(Checkpoint)
class CheckpointAdmin(ReadOnlyAdmin):
    group = "curator"
    list_display = (
        *("name", "label", "method", "trained", "is_default", "promoted", "step", "size_bytes"),
        "created_at",
    )
    list_filter = ("method", "promoted", "is_default", "trained")
    search_fields = ("name", "label")
    actions = ("promote",)

    @admin.action(description=gettext_lazy("Make default for its method"))
    def promote(self, request: HttpRequest, queryset: QuerySet[Checkpoint]) -> None:
        chosen = list(queryset)
        if len({checkpoint.method for checkpoint in chosen}) < len(chosen):
            messages.error(
                request, _("A method has one default. Choose one checkpoint of each method.")
            )
            return
        for checkpoint in chosen:
            try:
                checkpoint_promote(checkpoint=checkpoint)
            except ApplicationError as error:
                messages.error(
                    request,
                    _("Not promoted. %(message)s %(remedy)s")
                    % {"message": error.message, "remedy": error.remedy},
                )
                continue
            told = _("Runs of %(method)s without a named checkpoint now use %(checkpoint)s.") % {
                "method": checkpoint.method,
                "checkpoint": checkpoint,
            }
            messages.success(request, told)
