from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.contrib import admin
from django.contrib.postgres.forms import SimpleArrayField
from django.db import models
from django.forms import CharField, Field
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.accounts.models import User
from apps.common.admin import ReadOnlyAdmin, ServiceAdmin
from apps.roles import services
from apps.roles.models import PoolVersion, Role, RolePool, RoleVersion


@admin.register(RolePool)
class RolePoolAdmin(ServiceAdmin[RolePool]):
    group = "curator"
    list_display = ("name", "key", "version", "is_default", "updated_at")
    search_fields = ("key", "name")
    readonly_fields = ("version",)

    def save_through_service(
        self, request: HttpRequest, pool: RolePool, changed: Collection[str]
    ) -> None:
        values = {name: getattr(pool, name) for name in changed}
        if pool.pk:
            services.pool_update(pool=pool, values=values)
            return
        pool.pk = services.pool_create(values=values).pk

    def delete_through_service(self, pool: RolePool) -> None:
        services.pool_delete(pool=pool)


@admin.register(Role)
class RoleAdmin(ServiceAdmin[Role]):
    group = "curator"
    list_display = ("name", "key", "pool", "family", "version", "enabled", "updated_at")
    list_filter = ("pool", "family", "enabled")
    list_select_related = ("pool",)
    search_fields = ("key", "name", "description", "prompt")
    readonly_fields = ("version",)
    exclude = ("embedding",)

    def get_readonly_fields(self, request: HttpRequest, obj: Role | None = None) -> tuple[str, ...]:
        """A role stays in its pool: runs name it by both."""
        return ("pool", *self.readonly_fields) if obj else self.readonly_fields

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
            help_text="One a line.",
        )

    def save_through_service(
        self, request: HttpRequest, role: Role, changed: Collection[str]
    ) -> None:
        by = request.user if isinstance(request.user, User) else None
        if role.pk:
            mine = {name: getattr(role, name) for name in changed}
            services.role_update(role=role, values=mine, by=by)
            return
        values = {name: getattr(role, name) for name in services.ROLE_FIELDS}
        created = services.role_create(
            pool=role.pool, values={**values, "enabled": role.enabled}, by=by
        )
        role.pk = created.pk

    def delete_through_service(self, role: Role) -> None:
        services.role_delete(role=role)


@admin.register(RoleVersion)
class RoleVersionAdmin(ReadOnlyAdmin):
    group = "curator"
    list_display = ("role", "version", "changed_by", "changed_at")
    list_filter = ("role__pool",)


@admin.register(PoolVersion)
class PoolVersionAdmin(ReadOnlyAdmin):
    group = "curator"
    list_display = ("key", "version", "created_at")
