"""Tasks from files in the admin: choose a file, map its columns, preview the tasks, import them."""

import base64
import binascii
import hashlib
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from apps.accounts.ranked_admin import user_of
from apps.common.admin_pages import found, own_page, page, to_change
from apps.common.errors import ApplicationError
from apps.tasks.admin.forms import CarriedForm, FileForm, MappingForm
from apps.tasks.admission import admitted
from apps.tasks.columns import FileColumn, file_columns
from apps.tasks.imports import ImportOptions, ImportReport, dataset_import
from apps.tasks.models import Dataset, Task
from apps.tasks.selectors import datasets
from apps.tasks.source import Source, uploaded
from workers.core.benchmarks.registry import BENCHMARKS

MAX_BYTES = 2_500_000
"""The file travels with the form, and any body may have 4 MiB. The dataset's page takes larger
files."""
SHOWN_SKIPPED = 20
CONFIRM_SECONDS = 3_600
SALT = "tasks.import"


@dataclass(frozen=True, slots=True)
class Upload:
    content: bytes
    name: str
    options: ImportOptions

    def source(self) -> AbstractContextManager[Source]:
        return uploaded(self.name, [self.content])

    def carried(self) -> dict[str, Any]:
        """The first values of a `CarriedForm`."""
        return {
            "content": base64.b64encode(self.content).decode(),
            "name": self.name,
            "split": self.options.split,
            "benchmark": self.options.benchmark,
            "replace": self.options.replace,
        }

    def said(self, dataset: Dataset) -> list[Any]:
        """What was previewed: this file, read in this way, beside these tasks."""
        options = self.options
        digest = hashlib.sha256(self.content).hexdigest()
        columns = sorted([ours, theirs] for ours, theirs in options.mapping.items())
        read_as = [self.name, options.split, options.benchmark, options.replace, columns]
        return [digest, *read_as, dataset.pk, dataset.digest, dataset.verifier]


class FilePages(ModelAdmin):
    """The import page, for the admin of datasets."""

    @own_page(gettext_lazy("Import tasks"), icon="upload")
    def import_tasks(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """GET asks for the file. Its POST and every "check" preview the tasks. The POST with
        `import` stores what was previewed last."""
        dataset = found(self, request, Dataset, object_id)
        try:
            if "content" in request.POST:
                return self._mapped(request, dataset)
            form = FileForm(request.POST or None, request.FILES or None, initial=_first(dataset))
            if request.method == "POST" and form.is_valid():
                upload = _upload(form.cleaned_data)
                return self._shown(request, dataset, upload, _columns(request, upload))
        except ApplicationError as error:
            messages.error(request, f"{error.message} {error.remedy}")
            return HttpResponseRedirect(request.path)
        return page(
            self,
            request,
            "common/admin/confirm.html",
            title=_("Import into %(dataset)s") % {"dataset": dataset},
            original=dataset,
            form=form,
            submit=_("Preview"),
            about=_(
                "You see a preview of the tasks before anything is stored. The limit here is "
                "%(at_most)s bytes. For larger files and for datasets of the hub, use the pages:"
            )
            % {"at_most": f"{MAX_BYTES:,}"},
            elsewhere={"address": f"/datasets/{dataset.key}", "name": str(dataset)},
        )

    def _mapped(self, request: HttpRequest, dataset: Dataset) -> HttpResponse:
        carried = CarriedForm(request.POST)
        if not carried.is_valid():
            raise _not_carried()
        upload = _carried(carried.cleaned_data)
        columns = _columns(request, upload)
        form = MappingForm(BENCHMARKS[upload.options.benchmark], columns, request.POST)
        if not form.is_valid():
            raise _not_carried()
        upload = replace(upload, options=replace(upload.options, mapping=form.mapping()))
        if "import" in request.POST:
            if _was_shown(carried.cleaned_data["ticket"], upload.said(dataset)):
                return self._stored(request, dataset, upload)
            messages.warning(
                request, _("Something has changed since this preview. Check the new preview.")
            )
        return self._shown(request, dataset, upload, columns)

    def _shown(
        self, request: HttpRequest, dataset: Dataset, upload: Upload, columns: list[FileColumn]
    ) -> HttpResponse:
        report, problem = None, None
        try:
            report = _import(request, dataset, upload, dry_run=True)
        except ApplicationError as error:
            problem = f"{error.message} {error.remedy}"
        benchmark = BENCHMARKS[upload.options.benchmark]
        first = {
            f"column_{place}": _place(columns, upload.options.mapping.get(wanted.name, ""))
            for place, wanted in enumerate(benchmark.columns)
        }
        ticket = signing.dumps(upload.said(dataset), salt=SALT) if report else ""
        return page(
            self,
            request,
            "tasks/admin/import.html",
            title=_("Import %(name)s into %(dataset)s") % {"name": upload.name, "dataset": dataset},
            original=dataset,
            about=_("Read as “%(name)s” into the split “%(split)s”.")
            % {"name": benchmark.name, "split": upload.options.split},
            columns=columns,
            report=report,
            skipped=report.skipped[:SHOWN_SKIPPED] if report else (),
            problem=problem,
            carried=CarriedForm(initial={**upload.carried(), "ticket": ticket}),
            form=MappingForm(benchmark, columns, initial=first),
        )

    def _stored(self, request: HttpRequest, dataset: Dataset, upload: Upload) -> HttpResponse:
        report = _import(request, dataset, upload, dry_run=False)
        counts = _counts(upload.name, report)
        logged = _(
            "Imported %(name)s: %(imported)s imported, %(unchanged)s unchanged, %(removed)s "
            "removed, %(skipped)s rows skipped."
        )
        self.log_change(request, dataset, logged % counts)
        told = _(
            "%(name)s: %(imported)s imported, %(unchanged)s unchanged, %(removed)s removed, "
            "%(skipped)s rows skipped."
        )
        messages.success(request, told % counts)
        return to_change(dataset)


def _counts(name: str, report: ImportReport) -> dict[str, str]:
    return {
        "name": name,
        "imported": f"{report.imported:,}",
        "unchanged": f"{report.unchanged:,}",
        "removed": f"{report.removed:,}",
        "skipped": f"{report.skipped_count:,}",
    }


def _first(dataset: Dataset) -> dict[str, str]:
    """The first empty split, read as the dataset's own kind."""
    counted = datasets().get(pk=dataset.pk)
    empty = [split for split in Task.Split.values if not getattr(counted, f"{split}_count")]
    return {"split": empty[0] if empty else Task.Split.TRAIN, "benchmark": dataset.benchmark}


def _upload(asked: dict[str, Any]) -> Upload:
    file = asked["file"]
    if file.size > MAX_BYTES:
        raise ApplicationError(
            code="too_large",
            message=_("The file has %(size)s bytes; the limit here is %(at_most)s.")
            % {"size": f"{file.size:,}", "at_most": f"{MAX_BYTES:,}"},
            remedy=_("Import it on the dataset's page."),
        )
    return Upload(file.read(), file.name, _options(asked))


def _carried(asked: dict[str, Any]) -> Upload:
    try:
        content = base64.b64decode(asked["content"], validate=True)
    except binascii.Error as error:
        raise _not_carried() from error
    return Upload(content, asked["name"], _options(asked))


def _options(asked: dict[str, Any]) -> ImportOptions:
    names = ("split", "benchmark", "replace")
    return ImportOptions(**{name: asked[name] for name in names})


def _columns(request: HttpRequest, upload: Upload) -> list[FileColumn]:
    with _admitted(request), upload.source() as source:
        return file_columns(source)


def _import(
    request: HttpRequest, dataset: Dataset, upload: Upload, *, dry_run: bool
) -> ImportReport:
    options = replace(upload.options, dry_run=dry_run)
    with _admitted(request), upload.source() as source:
        return dataset_import(dataset=dataset, source=source, options=options)


def _admitted(request: HttpRequest) -> AbstractContextManager[None]:
    user = user_of(request)
    assert user  # noqa: S101  the admin lets nobody else in
    return admitted(user.pk)


def _place(columns: list[FileColumn], name: str) -> str:
    places = [str(place) for place, column in enumerate(columns) if name and column.name == name]
    return places[0] if places else ""


def _was_shown(ticket: str, said: list[Any]) -> bool:
    try:
        return bool(signing.loads(ticket, salt=SALT, max_age=CONFIRM_SECONDS) == said)
    except signing.BadSignature:
        return False


def _not_carried() -> ApplicationError:
    return ApplicationError(
        code="not_carried",
        message=_("The form did not come back as it was sent."),
        remedy=_("Nothing was stored. Choose the file again."),
    )
