"""Datasets with their splits and first tasks, and tasks to read."""

from collections.abc import Collection

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.ranked_admin import ReadOnlyAdmin, ServiceAdmin
from apps.tasks import services
from apps.tasks.admin.file_pages import FilePages
from apps.tasks.models import Dataset, Task
from apps.tasks.selectors import datasets

PREVIEW = 5
SHOWN = 200


@admin.register(Dataset)
class DatasetAdmin(FilePages, ServiceAdmin[Dataset]):
    group = "curator"
    list_display = ("name", "key", "benchmark", "tasks_per_split", "licence", "updated_at")
    list_filter = ("benchmark",)
    search_fields = ("key", "name", "description")
    readonly_fields = ("whole_digest", "tasks_per_split", "preview")
    actions_detail = ("import_tasks",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Dataset]:
        return datasets()

    def get_readonly_fields(
        self, request: HttpRequest, obj: Dataset | None = None
    ) -> tuple[str, ...]:
        """A dataset keeps its key, because evaluations name it by its key."""
        return ("key", *self.readonly_fields) if obj else ()

    @admin.display(description=gettext_lazy("Tasks"))
    def tasks_per_split(self, dataset: Dataset) -> str:
        counts = {split: getattr(dataset, f"{split}_count", 0) for split in Task.Split.values}
        return ", ".join(f"{split} {count:,}" for split, count in counts.items() if count) or _(
            "none"
        )

    @admin.display(description=gettext_lazy("Digest"))
    def whole_digest(self, dataset: Dataset) -> str:
        return dataset.digest

    @admin.display(description=gettext_lazy("First tasks"))
    def preview(self, dataset: Dataset) -> SafeString:
        rows = [
            (task.split, task.index, task.query[:SHOWN], task.reference[:SHOWN])
            for task in dataset.tasks.order_by("split", "index")[:PREVIEW]
        ]
        items = format_html_join("", "<li>{} {}: {} → <b>{}</b></li>", rows)
        return format_html("<ul>{}</ul>", items) if rows else format_html("{}", _("none"))

    def save_through_service(
        self, request: HttpRequest, dataset: Dataset, changed: Collection[str]
    ) -> None:
        names = ("name", "description", "source", "licence", "benchmark", "verifier")
        values = {name: getattr(dataset, name) for name in names}
        if dataset.pk:
            # Only these: an import may have written others while the form was open.
            mine = {name: value for name, value in values.items() if name in changed}
            services.dataset_update(dataset=dataset, values=mine)
            return
        dataset.pk = services.dataset_create(values={"key": dataset.key, **values}).pk

    def delete_through_service(self, request: HttpRequest, dataset: Dataset) -> None:
        services.dataset_delete(dataset=dataset)


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    group = "curator"
    list_display = ("dataset", "split", "index", "query_start", "verifier", "domain")
    list_filter = ("dataset", "split", "verifier")
    list_select_related = ("dataset",)
    search_fields = ("query",)
    show_full_result_count = False

    @admin.display(description=gettext_lazy("Query"))
    def query_start(self, task: Task) -> str:
        return task.query[:SHOWN]
