from django.contrib import admin

from apps.accounts.ranked_admin import ReadOnlyAdmin
from apps.training.models import TrainingJob


@admin.register(TrainingJob)
class TrainingJobAdmin(ReadOnlyAdmin):
    list_display = (
        *("name", "status", "method", "step", "total_steps", "dataset"),
        *("created_by", "created_at", "worker"),
    )
    list_filter = ("status", "method", "dataset")
    list_select_related = ("created_by", "dataset")
    search_fields = ("name", "id__exact")
    show_full_result_count = False
