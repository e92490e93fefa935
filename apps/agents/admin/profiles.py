from django.contrib import admin

from apps.accounts.ranked_admin import ReadOnlyAdmin
from apps.agents.models import AgentProfile


@admin.register(AgentProfile)
class AgentProfileAdmin(ReadOnlyAdmin):
    """Statistics come from rewarded tasks; a hand-written one would mislead the methods."""

    list_display = ("role", "endpoint", "reward", "cost", "count", "updated_at")
    list_filter = ("endpoint", "role__family")
    search_fields = ("role__name", "role__key")
    list_select_related = ("role", "endpoint")
    exclude = ("embedding",)
