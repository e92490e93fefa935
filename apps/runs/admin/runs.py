from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from apps.accounts.ranked_admin import ReadOnlyAdmin
from apps.runs.models import Run
from apps.runs.retention import runs_preview


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("id", "status", "method", "endpoint_key", "created_by", "created_at", "worker")
    list_filter = ("status", "method")
    list_select_related = ("created_by",)
    search_fields = ("id__exact",)
    show_full_result_count = False
    list_before_template = "runs/admin/retention.html"

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {**(extra_context or {}), "retention": runs_preview()}
        shown: HttpResponse = super().changelist_view(request, context)
        return shown
