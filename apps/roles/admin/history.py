"""Who changed what. These pages only read it."""

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.accounts.ranked_admin import ReadOnlyAdmin
from apps.common.admin_pages import column
from apps.common.shown_lines import Matching, ShownField
from apps.roles.admin.shown import shown_diff, shown_fields
from apps.roles.history import diff_of
from apps.roles.models import PoolChange, PoolVersion, Role, RoleVersion
from workers.core.pools.compare import PoolRole, role_diff
from workers.core.specs import RoleSpec

SHOWN_VERSIONS = 20
"""Limit on the versions that a role's page shows."""


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """A version of a role, with what it changed of the version before. `fields` is empty for the
    first version."""

    version: RoleVersion
    fields: list[ShownField]


def versions_shown(role: Role, *, upto: int | None = None) -> list[ShownVersion]:
    """Newest first. One more version is read, to compare the last one with it."""
    stored = role.history.select_related("changed_by")
    if upto is not None:
        stored = stored.filter(version__lte=upto)
    versions = list(stored[: SHOWN_VERSIONS + 1])
    pairs = zip(versions, [*versions[1:], None], strict=True)
    matching = Matching()
    shown = [
        ShownVersion(version, _changed(before, version, matching)) for version, before in pairs
    ]
    return shown[:SHOWN_VERSIONS]


def _changed(
    before: RoleVersion | None, after: RoleVersion, matching: Matching
) -> list[ShownField]:
    if before is None:
        return []
    states = (PoolRole(RoleSpec(**version.spec)) for version in (before, after))
    return shown_fields(role_diff(*states), matching)


@admin.register(RoleVersion)
class RoleVersionAdmin(ReadOnlyAdmin):
    group = "curator"
    list_display = ("role", "version", "changed_by", "changed_at")
    list_filter = ("role__pool",)
    list_select_related = ("role", "changed_by")
    search_fields = ("role__key", "role__name")
    fields = ("role", "version", "changed_by", "changed_at")
    change_form_outer_after_template = "roles/admin/role_history.html"

    def page_context(self, request: HttpRequest, stored: RoleVersion) -> dict[str, Any]:
        return {"versions": versions_shown(stored.role, upto=stored.version)[:1]}


@admin.register(PoolVersion)
class PoolVersionAdmin(ReadOnlyAdmin):
    group = "curator"
    list_display = ("key", "version", "published_at", "published_by", "note")
    list_filter = ("pool",)
    list_select_related = ("published_by",)
    search_fields = ("key", "note")
    fields = ("key", "version", "published_at", "published_by", "note", "digest")

    def get_queryset(self, request: HttpRequest) -> QuerySet[PoolVersion]:
        rows: QuerySet[PoolVersion] = super().get_queryset(request)
        return rows.defer("spec", "disabled")


@admin.register(PoolChange)
class PoolChangeAdmin(ReadOnlyAdmin):
    group = "curator"
    list_display = ("changed_at", "pool_key", "what", "version", "changed_by", "note")
    list_filter = ("pool", "kind")
    list_select_related = ("changed_by",)
    search_fields = ("pool_key", "note")
    fields = ("pool_key", "what", "version", "changed_by", "changed_at", "note")
    readonly_fields = ("what",)
    change_form_outer_after_template = "roles/admin/change_diff.html"

    @column(_("Change"), ordering="kind")
    def what(self, change: PoolChange) -> str:
        return change.get_kind_display()

    def get_queryset(self, request: HttpRequest) -> QuerySet[PoolChange]:
        rows: QuerySet[PoolChange] = super().get_queryset(request)
        return rows.defer("diff")

    def page_context(self, request: HttpRequest, change: PoolChange) -> dict[str, Any]:
        return {"diff": shown_diff(diff_of(change.diff))}
