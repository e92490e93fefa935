from __future__ import annotations

from django.contrib import admin

from apps.common.admin import ReadOnlyAdmin
from apps.runs.models import Run


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("id", "status", "method", "endpoint_key", "created_by", "created_at", "worker")
    list_filter = ("status", "method")
    list_select_related = ("created_by",)
    search_fields = ("id__exact",)
    show_full_result_count = False
