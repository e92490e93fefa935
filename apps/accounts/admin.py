from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from apps.accounts import services
from apps.accounts.models import ApiToken, User
from apps.common.admin import RankedAdmin, ReadOnlyAdmin

admin.site.unregister(Group)


def may_manage(request: HttpRequest, user: User | None) -> bool:
    """Only a superuser decides over superusers: the group `admin` cannot make itself one."""
    me = request.user
    return user is None or not user.is_superuser or (isinstance(me, User) and me.is_superuser)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, RankedAdmin):  # type: ignore[type-arg]
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "email", "is_active", "is_superuser", "last_login")
    list_filter = ("groups", "is_active")
    filter_horizontal = ("groups",)
    readonly_fields = ("last_login", "date_joined")
    actions = ("make_login_link",)
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Rights", {"fields": ("is_active", "is_superuser", "groups")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        me = request.user
        if isinstance(me, User) and me.is_superuser:
            return self.readonly_fields
        return (*self.readonly_fields, "is_superuser")

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and may_manage(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_delete_permission(request, obj) and may_manage(request, obj)

    @admin.action(description="Make a one-time login link", permissions=["change"])
    def make_login_link(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Shown once, in the page's message; only its digest is stored."""
        for user in queryset:
            if not self.has_change_permission(request, user):
                messages.error(request, f"{user}: only a superuser makes links for superusers.")
            elif not user.is_active:
                messages.error(request, f"{user} is not active. Activate the account first.")
            else:
                link = request.build_absolute_uri(services.login_link_create(user=user))
                self.log_change(request, user, "Made a one-time login link.")
                messages.success(
                    request, f"{user} can log in once within 30 minutes, shown only now: {link}"
                )


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ReadOnlyAdmin):
    """The four groups are fixed, their names are the rights; members are chosen at the user."""

    fields = ("name",)


@admin.register(ApiToken)
class ApiTokenAdmin(RankedAdmin):
    """Tokens are made by their owners; an admin sees and revokes them."""

    list_display = ("name", "user", "prefix", "scopes", "expires_at", "last_used_at", "revoked_at")
    list_select_related = ("user",)
    fields = ("name", "user", "prefix", "scopes", "expires_at", "last_used_at", "revoked_at")
    readonly_fields = fields
    actions = ("revoke",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.action(description="Revoke", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        """For good: a revoked token never works again."""
        for token in queryset.filter(revoked_at__isnull=True):
            services.token_revoke(user=token.user, token_id=token.id)
            self.log_change(request, token, "Revoked.")
            messages.success(request, f"{token} no longer works.")
