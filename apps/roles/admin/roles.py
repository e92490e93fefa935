"""Roles of the drafts: one by one, or many at once."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.contrib.postgres.forms import SimpleArrayField
from django.db import models
from django.db.models import QuerySet
from django.forms import CharField, Field
from django.http import HttpRequest, HttpResponse
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.accounts.ranked_admin import ServiceAdmin, user_of
from apps.common.admin_pages import column, page, refusals_told
from apps.common.locking import locked
from apps.roles import bulk, services
from apps.roles.admin.forms import FamilyForm
from apps.roles.admin.history import versions_shown
from apps.roles.drafts import ROLE_FIELDS
from apps.roles.duplicates import role_duplicates
from apps.roles.models import Role
from apps.roles.usage import USAGE_DAYS, RoleUsage, pool_usage_kept


@admin.register(Role)
class RoleAdmin(ServiceAdmin[Role]):
    group = "curator"
    list_display = (
        *("name", "key", "pool", "family", "version"),
        *("enabled", "used", "right", "updated_at"),
    )
    list_filter = ("pool", "family", "enabled")
    list_select_related = ("pool",)
    search_fields = ("key", "name", "description", "prompt")
    readonly_fields = ("version",)
    kept_fields = ("pool", "key")  # runs name it by both
    exclude = ("embedding",)
    actions = ("enable", "disable", "move_to_family")
    change_form_outer_before_template = "roles/admin/role_similar.html"
    change_form_outer_after_template = "roles/admin/role_history.html"

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Reads the figures of the roles on the page one pool at a time, and only when the page
        shows them. Actions do not show them."""
        changelist = super().get_changelist_instance(request)
        usage_in = cache(partial(pool_usage_kept, days=USAGE_DAYS))
        for role in changelist.result_list:
            role.usage_in = usage_in
        return changelist

    @column(format_lazy(gettext_lazy("Runs ({days} days)"), days=USAGE_DAYS))
    def used(self, role: Role) -> int:
        return _usage(role).runs

    @column(format_lazy(gettext_lazy("Right answers ({days} days)"), days=USAGE_DAYS))
    def right(self, role: Role) -> str:
        return _usage(role).said

    def formfield_for_dbfield(
        self, db_field: models.Field[Any, Any], request: HttpRequest, **options: Any
    ) -> Field | None:
        if db_field.name != "capabilities":
            field: Field | None = super().formfield_for_dbfield(db_field, request, **options)
            return field
        return SimpleArrayField(
            CharField(max_length=200),
            delimiter="\n",  # a capability may hold a comma
            required=False,
            widget=UnfoldAdminTextareaWidget(),
            help_text=_("One per line."),
        )

    def page_context(self, request: HttpRequest, role: Role) -> dict[str, Any]:
        return {"versions": versions_shown(role), "similar": role_duplicates(role)}

    def save_through_service(
        self, request: HttpRequest, role: Role, changed: Collection[str]
    ) -> None:
        by = user_of(request)
        if role.pk:
            mine = {name: getattr(role, name) for name in changed}
            services.role_update(role=role, values=mine, by=by)
            return
        values = {name: getattr(role, name) for name in (*ROLE_FIELDS, "enabled")}
        role.pk = services.role_create(pool=role.pool, values=values, by=by).pk

    def hold(self, role: Role) -> None:
        """Locks the pool first, as every change of a draft does."""
        locked(role.pool)
        super().hold(role)

    def delete_through_service(self, request: HttpRequest, role: Role) -> None:
        services.role_delete(role=role, by=user_of(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Role]) -> None:
        bulk.roles_delete(ids=queryset.values_list("pk", flat=True), by=user_of(request))

    @admin.action(description=gettext_lazy("Enable"), permissions=["change"])
    def enable(self, request: HttpRequest, queryset: QuerySet[Role]) -> None:
        self._switch(request, queryset, enabled=True)

    @admin.action(description=gettext_lazy("Disable"), permissions=["change"])
    def disable(self, request: HttpRequest, queryset: QuerySet[Role]) -> None:
        self._switch(request, queryset, enabled=False)

    def _switch(self, request: HttpRequest, queryset: QuerySet[Role], *, enabled: bool) -> None:
        with refusals_told(request):
            ids = queryset.values_list("pk", flat=True)
            count = bulk.roles_enable(ids=ids, enabled=enabled, by=user_of(request))
            said = (
                ngettext(
                    "%(count)s role enabled in the draft.",
                    "%(count)s roles enabled in the draft.",
                    count,
                )
                if enabled
                else ngettext(
                    "%(count)s role disabled in the draft.",
                    "%(count)s roles disabled in the draft.",
                    count,
                )
            )
            messages.success(request, said % {"count": count})

    @admin.action(description=gettext_lazy("Move to a family"), permissions=["change"])
    def move_to_family(self, request: HttpRequest, queryset: QuerySet[Role]) -> HttpResponse | None:
        """Asks for the family first, as a deletion asks for confirmation."""
        form = FamilyForm(request.POST if "family" in request.POST else None)
        if form.is_valid():
            with refusals_told(request):
                ids = queryset.values_list("pk", flat=True)
                count = bulk.roles_move(ids=ids, by=user_of(request), **form.cleaned_data)
                said = ngettext(
                    "%(count)s role moved in the draft.",
                    "%(count)s roles moved in the draft.",
                    count,
                )
                messages.success(request, said % {"count": count})
            return None
        chosen = list(queryset)
        title = ngettext(
            "Move %(count)s role to a family", "Move %(count)s roles to a family", len(chosen)
        )
        across = request.POST.get("select_across") == "1"
        return page(
            self,
            request,
            "roles/admin/move.html",
            title=title % {"count": len(chosen)},
            form=form,
            chosen=chosen,
            across=across,
            # Where all are chosen one stands for them: a form of thousands of fields is refused.
            named=chosen[:1] if across else chosen,
            checkbox=helpers.ACTION_CHECKBOX_NAME,
            submit=_("Move"),
        )


def _usage(role: Role) -> RoleUsage:
    usage_in = vars(role)["usage_in"]  # of `get_changelist_instance`
    found: RoleUsage = usage_in(role.pool).of(role.key)
    return found
