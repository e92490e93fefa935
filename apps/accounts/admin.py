from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from apps.accounts.models import ApiToken, User

admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):  # type: ignore[misc, type-arg]  # unfold is untyped
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):  # type: ignore[misc]  # unfold is untyped
    pass


@admin.register(ApiToken)
class ApiTokenAdmin(ModelAdmin):  # type: ignore[misc]  # unfold is untyped
    """Tokens are made by their owners; an admin sees and revokes them."""

    list_display = ("name", "user", "prefix", "scopes", "expires_at", "last_used_at", "revoked_at")
    fields = ("name", "user", "prefix", "scopes", "expires_at", "last_used_at", "revoked_at")
    readonly_fields = ("name", "user", "prefix", "scopes", "expires_at", "last_used_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False
