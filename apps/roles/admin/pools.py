"""Pools: their draft, what is published of it, and their versions."""

from collections.abc import Collection
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.ranked_admin import ServiceAdmin, user_of
from apps.common.admin_pages import column, found, own_page, page, refusals_told, to_change
from apps.common.errors import ApplicationError
from apps.roles import publishing, services
from apps.roles.admin.file_pages import FilePages
from apps.roles.admin.forms import CloneForm, CompareForm, PublishForm, SeenForm
from apps.roles.admin.shown import shown_diff
from apps.roles.duplicates import pool_duplicates
from apps.roles.models import PoolVersion, RolePool
from apps.roles.usage import USAGE_DAYS, pool_usage_kept

LISTED = 50
"""Limit on the versions and changes on the page of a pool. The lists of the admin have all."""


@admin.register(RolePool)
class RolePoolAdmin(FilePages, ServiceAdmin[RolePool]):
    group = "curator"
    list_display = (
        *("name", "key", "state", "version", "published_version", "roles_on", "is_default"),
        "updated_at",
    )
    list_filter = ("has_changes",)
    search_fields = ("key", "name")
    readonly_fields = ("version",)
    kept_fields = ("key",)  # its versions and its history refer to it
    actions_list = ("import_file",)
    actions_detail = ("publish", "discard", "versions", "clone")
    change_form_outer_before_template = "roles/admin/pool_state.html"
    change_form_outer_after_template = "roles/admin/pool_usage.html"
    states: ClassVar[dict[str, str]] = {
        "published": "success",
        "changes": "warning",
        "unpublished": "danger",
    }
    words: ClassVar[dict[str, str | Promise]] = {
        "published": gettext_lazy("published"),
        "changes": gettext_lazy("changes"),
        "unpublished": gettext_lazy("unpublished"),
    }

    def get_queryset(self, request: HttpRequest) -> QuerySet[RolePool]:
        rows: QuerySet[RolePool] = super().get_queryset(request)
        rows = rows.select_related("published").defer("published__spec", "published__disabled")
        enabled = Q(roles__enabled=True, roles__removed=False)
        return rows.annotate(roles_on=Count("roles", filter=enabled))

    def page_context(self, request: HttpRequest, pool: RolePool) -> dict[str, Any]:
        days = None if request.GET.get("usage") == "all" else USAGE_DAYS
        return {
            "duplicates": pool_duplicates(pool),
            "usage": pool_usage_kept(pool, days=days),
            "usage_days": USAGE_DAYS,
        }

    @column(gettext_lazy("State"), label=states)
    def state(self, pool: RolePool) -> tuple[str, str]:
        drafted = "changes" if pool.has_changes else "published"
        state = drafted if pool.published else "unpublished"
        return state, str(self.words[state])

    @column(gettext_lazy("Published"))
    def published_version(self, pool: RolePool) -> int | None:
        return pool.published.version if pool.published else None

    @column(gettext_lazy("Roles"), ordering="roles_on")
    def roles_on(self, pool: RolePool) -> int:
        count: int = vars(pool)["roles_on"]  # annotated by `get_queryset`
        return count

    def save_through_service(
        self, request: HttpRequest, pool: RolePool, changed: Collection[str]
    ) -> None:
        values = {name: getattr(pool, name) for name in changed}
        if pool.pk:
            services.pool_update(pool=pool, values=values, by=user_of(request))
            return
        pool.pk = services.pool_create(values=values, by=user_of(request)).pk

    def delete_through_service(self, request: HttpRequest, pool: RolePool) -> None:
        services.pool_delete(pool=pool, by=user_of(request))

    @own_page(gettext_lazy("Publish"), icon="publish")
    def publish(self, request: HttpRequest, object_id: str) -> HttpResponse:
        pool = found(self, request, RolePool, object_id)
        form = PublishForm(request.POST or None, initial={"version": pool.version})
        if request.method == "POST" and form.is_valid():
            with refusals_told(request):
                made = publishing.pool_publish(pool=pool, by=user_of(request), **form.cleaned_data)
                done = _("From now on, runs take version %(version)s.") % {"version": made.version}
                messages.success(request, done)
            return to_change(pool)
        about = _("Runs, trainings and evaluations that start from now on take the draft as it is.")
        return self._confirm(
            request, pool, form, before="published", after="draft", submit=_("Publish"), about=about
        )

    @own_page(gettext_lazy("Discard changes"), icon="undo")
    def discard(self, request: HttpRequest, object_id: str) -> HttpResponse:
        pool = found(self, request, RolePool, object_id)
        form = SeenForm(request.POST or None, initial={"version": pool.version})
        if request.method == "POST" and form.is_valid():
            with refusals_told(request):
                publishing.pool_discard(pool=pool, by=user_of(request), **form.cleaned_data)
                messages.success(request, _("The draft is now equal to the published version."))
            return to_change(pool)
        if pool.published is None:
            messages.error(request, publishing.unpublished(pool))
            return to_change(pool)
        about = _("The draft becomes equal to the published version. It changes as follows.")
        submit = _("Discard changes")
        return self._confirm(
            request, pool, form, before="draft", after="published", submit=submit, about=about
        )

    @own_page(gettext_lazy("Versions and changes"), icon="history")
    def versions(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Lists both, and compares two states. `restore=N` shows a version before it is
        restored."""
        pool = found(self, request, RolePool, object_id)
        asked = request.POST.get("restore") or request.GET.get("restore")
        try:
            if asked:
                return self._restore(request, pool, asked)
            return self._versions(request, pool)
        except ApplicationError as error:
            messages.error(request, f"{error.message} {error.remedy}")
            return HttpResponseRedirect(request.path)

    def _versions(self, request: HttpRequest, pool: RolePool) -> HttpResponse:
        versions = pool.versions.select_related("published_by").defer("spec", "disabled")[:LISTED]
        numbers = [version.version for version in versions]
        current = pool.published.version if pool.published else None
        chosen: dict[str, Any] = {"before": current or "draft", "after": "draft"}
        chosen |= {name: request.GET[name] for name in chosen if name in request.GET}
        diff = publishing.versions_diff(pool, str(chosen["before"]), str(chosen["after"]))
        return page(
            self,
            request,
            "roles/admin/versions.html",
            title=_("Versions of %(pool)s") % {"pool": pool},
            original=pool,
            pool=pool,
            versions=versions,
            current=pool.published_id,
            form=CompareForm(numbers, initial=chosen),
            diff=shown_diff(diff),
            changes=pool.changes.select_related("changed_by").defer("diff")[:LISTED],
        )

    def _restore(self, request: HttpRequest, pool: RolePool, asked: str) -> HttpResponse:
        version: PoolVersion = publishing.pool_version(pool, publishing.version_number(asked))
        form = SeenForm(request.POST or None, initial={"version": pool.version})
        if request.method == "POST" and form.is_valid():
            seen = form.cleaned_data["version"]
            publishing.pool_restore(pool=pool, version=version, by=user_of(request), seen=seen)
            done = _("The draft is now equal to version %(version)s. It is not published yet.") % {
                "version": version.version
            }
            messages.success(request, done)
            return to_change(pool)
        about = _("The draft becomes equal to version %(version)s. This publishes nothing.") % {
            "version": version.version
        }
        return self._confirm(
            request,
            pool,
            form,
            before="draft",
            after=str(version.version),
            submit=_("Restore"),
            about=about,
            hidden={"restore": version.version},
        )

    @own_page(gettext_lazy("Clone"), icon="content_copy")
    def clone(self, request: HttpRequest, object_id: str) -> HttpResponse:
        pool = found(self, request, RolePool, object_id)
        first = {
            "key": f"{pool.key[:58]}-copy",
            "name": _("%(name)s (copy)") % {"name": pool.name[:113]},
        }
        form = CloneForm(request.POST or None, initial=first)
        if request.method == "POST" and form.is_valid():
            with refusals_told(request):
                copy = services.pool_clone(pool=pool, by=user_of(request), **form.cleaned_data)
                messages.success(
                    request, _("The clone has the roles of the draft. It is not published yet.")
                )
                return to_change(copy)
        return page(
            self,
            request,
            "roles/admin/confirm.html",
            title=_("Clone %(pool)s") % {"pool": pool},
            original=pool,
            form=form,
            submit=_("Clone"),
            about=_(
                "Makes a separate pool with the roles of the draft. The new pool is not "
                "published yet."
            ),
        )

    def _confirm(
        self,
        request: HttpRequest,
        pool: RolePool,
        form: Form,
        *,
        before: str,
        after: str,
        submit: str,
        about: str,
        hidden: dict[str, Any] | None = None,
    ) -> HttpResponse:
        diff = publishing.versions_diff(pool, before, after)
        return page(
            self,
            request,
            "roles/admin/confirm.html",
            title=f"{submit}: {pool}",
            original=pool,
            diff=shown_diff(diff),
            form=form,
            hidden=hidden or {},
            submit=submit,
            about=about,
        )
