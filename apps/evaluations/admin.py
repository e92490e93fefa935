from django.contrib import admin

from apps.accounts.ranked_admin import ReadOnlyAdmin
from apps.evaluations.models import Evaluation


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnlyAdmin):
    list_display = (
        *("name", "status", "dataset_key", "split"),
        *("done", "total", "created_by", "created_at"),
    )
    list_filter = ("status", "dataset_key")
    list_select_related = ("created_by",)
    search_fields = ("name", "id__exact")
    show_full_result_count = False
