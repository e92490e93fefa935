from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from apps.accounts.models import User
from apps.common.admin import ServiceAdmin
from apps.roles import services
from apps.roles.models import PoolVersion, Role, RolePool, RoleVersion


@admin.register(RolePool)
class RolePoolAdmin(ServiceAdmin[RolePool], ModelAdmin):  # type: ignore[misc]  # unfold is untyped
    list_display = ("name", "key", "version", "is_default", "updated_at")
    search_fields = ("key", "name")
    readonly_fields = ("version",)

    def save_through_service(self, request: HttpRequest, pool: RolePool) -> None:
        services.pool_update(pool=pool, values={})


@admin.register(Role)
class RoleAdmin(ServiceAdmin[Role], ModelAdmin):  # type: ignore[misc]  # unfold is untyped
    list_display = ("name", "key", "pool", "family", "version", "enabled", "updated_at")
    list_filter = ("pool", "family", "enabled")
    search_fields = ("key", "name", "description", "prompt")
    readonly_fields = ("version",)
    exclude = ("embedding",)

    def save_through_service(self, request: HttpRequest, role: Role) -> None:
        by = request.user if isinstance(request.user, User) else None
        if role.pk:
            services.role_update(role=role, values={}, by=by)
            return
        values = {name: getattr(role, name) for name in services.ROLE_FIELDS}
        created = services.role_create(
            pool=role.pool, values={**values, "enabled": role.enabled}, by=by
        )
        role.pk = created.pk

    def delete_model(self, request: HttpRequest, obj: Role) -> None:
        services.role_delete(role=obj)


class ReadOnlyAdmin(ModelAdmin):  # type: ignore[misc]  # unfold is untyped
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(RoleVersion)
class RoleVersionAdmin(ReadOnlyAdmin):
    list_display = ("role", "version", "changed_by", "changed_at")
    list_filter = ("role__pool",)


@admin.register(PoolVersion)
class PoolVersionAdmin(ReadOnlyAdmin):
    list_display = ("key", "version", "created_at")
