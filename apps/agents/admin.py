from __future__ import annotations

from django.contrib import admin
from unfold.admin import ModelAdmin

from apps.agents.models import AgentProfile


@admin.register(AgentProfile)
class AgentProfileAdmin(ModelAdmin):  # type: ignore[misc]  # unfold is untyped
    list_display = ("role", "endpoint", "reward", "cost", "count", "updated_at")
    list_filter = ("endpoint", "role__family")
    search_fields = ("role__name", "role__key")
    list_select_related = ("role", "endpoint")
    readonly_fields = ("reward", "cost", "count")
    exclude = ("embedding",)
