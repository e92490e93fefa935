"""Pools from files in the admin: upload a file, review the changes, confirm."""

import base64
import hashlib
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core import signing
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.admin import ModelAdmin

from apps.accounts.ranked_admin import user_of
from apps.common.admin_pages import own_page, page, to_change
from apps.common.errors import ApplicationError
from apps.common.shown_lines import Matching
from apps.roles.admin.forms import ConfirmImportForm, ImportForm
from apps.roles.admin.shown import shown_diff, shown_fields
from apps.roles.imports import Seen, pool_import, pool_parse, pool_parse_csv
from apps.roles.models import RolePool
from workers.core.pools.parse import PoolFile
from workers.core.pools.plain_yaml import MAX_BYTES

CONFIRM_SECONDS = 3_600
SALT = "roles.import"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file and what is needed to read it. An empty `key` means a YAML file, which contains the
    key."""

    text: str
    key: str = ""
    name: str = ""

    def read(self) -> PoolFile:
        """Raises ApplicationError."""
        if self.key:
            return pool_parse_csv(text=self.text, key=self.key, name=self.name)
        return pool_parse(text=self.text)

    def packed(self) -> str:
        """Forms change line endings, so the text passes through a form as Base64."""
        return base64.b64encode(self.text.encode()).decode()

    def ticket(self, version: int | None) -> str:
        """Signed text that says which file was reviewed, and against which draft."""
        said = [_digest(self.text), self.key, self.name, version]
        return signing.dumps(said, salt=SALT)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class FilePages(ModelAdmin):
    """The import page, for the admin of pools."""

    @own_page(gettext_lazy("Import a file"), icon="upload")
    def import_file(self, request: HttpRequest) -> HttpResponse:
        """GET asks for the file, its POST shows what it would change, the next POST imports it."""
        try:
            if "ticket" in request.POST:
                return self._confirmed(request)
            form = ImportForm(request.POST or None, request.FILES or None)
            if request.method == "POST" and form.is_valid():
                return self._looked_at(request, _upload(form.cleaned_data))
        except ApplicationError as error:
            _tell(request, error)
            return HttpResponseRedirect(request.path)
        about = _(
            "YAML, or CSV with one row per role. You review the changes and confirm them before "
            "anything is changed. The limit is %(at_most)s bytes."
        ) % {"at_most": f"{MAX_BYTES:,}"}
        return self._page(request, _("Import a file"), form, _("Show what would change"), about)

    def _looked_at(self, request: HttpRequest, upload: Upload) -> HttpResponse:
        file = upload.read()
        report = pool_import(spec=file.spec, switches=file.switches, dry_run=True)
        first = {"text": upload.packed(), "ticket": upload.ticket(report.version)}
        about = _("The file would change the draft of “%(pool)s” as follows.") % {
            "pool": report.pool
        }
        if report.version is None:
            about = _("The file makes a new pool, “%(pool)s”.") % {"pool": report.pool}
        return self._page(
            request,
            _("Import into %(pool)s") % {"pool": report.pool},
            ConfirmImportForm(initial=first),
            _("Import"),
            f"{about} {_unchanged(len(report.unchanged))}",
            diff=shown_diff(report.diff),
            at_once=shown_fields(report.pool_changes, Matching(), of=RolePool),
        )

    def _confirmed(self, request: HttpRequest) -> HttpResponse:
        form = ConfirmImportForm(request.POST)
        if not form.is_valid():
            raise _not_confirmed()
        upload, seen = _read_back(form.cleaned_data["text"], form.cleaned_data["ticket"])
        file = upload.read()
        report = pool_import(
            spec=file.spec,
            switches=file.switches,
            by=user_of(request),
            publish=form.cleaned_data["publish"],
            seen=seen,
        )
        done = _("%(created)s added, %(updated)s changed, %(removed)s removed.") % {
            "created": len(report.created),
            "updated": len(report.updated),
            "removed": len(report.removed),
        }
        published = _("Published.") if report.published else ""
        messages.success(request, f"{done} {published}")
        return to_change(RolePool.objects.get(key=report.pool))

    def _page(
        self, request: HttpRequest, title: str, form: Form, submit: str, about: str, **more: Any
    ) -> HttpResponse:
        back = reverse("admin:roles_rolepool_changelist")
        context = {"form": form, "submit": submit, "about": about, "back": back, **more}
        return page(self, request, "roles/admin/confirm.html", title=title, **context)


def _upload(asked: dict[str, Any]) -> Upload:
    file = asked["file"]
    if file.size > MAX_BYTES:
        raise _unreadable(
            _("The file has %(size)s bytes; the limit is %(at_most)s.")
            % {"size": f"{file.size:,}", "at_most": f"{MAX_BYTES:,}"}
        )
    try:
        text = file.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable(_("The file is not UTF-8 text.")) from error
    is_csv = file.name.lower().endswith(".csv")
    if is_csv and not asked["key"]:
        raise _unreadable(_("A CSV file contains only roles. Enter the key of the pool."))
    return Upload(text, asked["key"], asked["name"]) if is_csv else Upload(text)


def _read_back(packed: str, ticket: str) -> tuple[Upload, Seen]:
    """Raises ApplicationError if this is not the file that was reviewed."""
    try:
        digest, key, name, version = signing.loads(ticket, salt=SALT, max_age=CONFIRM_SECONDS)
        text = base64.b64decode(packed, validate=True).decode()
    except (signing.BadSignature, ValueError) as error:
        raise _not_confirmed() from error
    if _digest(text) != digest:
        raise _not_confirmed()
    return Upload(text, key, name), Seen(version)


def _unchanged(count: int) -> str:
    said = ngettext("%(count)s role stays as it is.", "%(count)s roles stay as they are.", count)
    return said % {"count": count}


def _not_confirmed() -> ApplicationError:
    return ApplicationError(
        code="not_confirmed",
        message=_(
            "This is not the file that you reviewed, or you reviewed it more than an hour ago."
        ),
        remedy=_("Upload the file again."),
    )


def _unreadable(message: str) -> ApplicationError:
    return ApplicationError(code="unreadable", message=message, remedy=_("Nothing was changed."))


def _tell(request: HttpRequest, error: ApplicationError) -> None:
    """Shows the problems of the file, as many as a page has room for."""
    for field in error.fields[:20]:
        messages.error(request, field.message)
    if not error.fields:
        messages.error(request, error.message)
    messages.error(request, error.remedy)
