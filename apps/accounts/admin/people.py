"""People in the admin: their rights, what they own, and their login links."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import Count, ManyToManyField, QuerySet
from django.forms import ModelMultipleChoiceField
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from apps.accounts import services
from apps.accounts.models import GROUP_RIGHTS, GROUPS, User
from apps.accounts.owned import Owned, owned_by
from apps.accounts.ranked_admin import RankedAdmin, ReadOnlyAdmin
from apps.accounts.selectors import working
from apps.common.admin_conflicts import SharedAdmin, SharedForm
from apps.common.admin_pages import column

admin.site.unregister(Group)

SHOWN_MEMBERS = 200


def may_manage(request: HttpRequest, user: User | None) -> bool:
    """Only a superuser manages superusers: the group `admin` cannot make itself one."""
    me = request.user
    return user is None or not user.is_superuser or (isinstance(me, User) and me.is_superuser)


class PersonForm(SharedForm, UserChangeForm):
    pass


@admin.register(User)
class UserAdmin(SharedAdmin, DjangoUserAdmin, RankedAdmin):  # type: ignore[type-arg]  # none at run time
    form = PersonForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = (
        *("username", "email", "in_groups", "is_active", "is_superuser", "token_count"),
        "last_login",
    )
    list_filter = ("groups", "is_active", "is_superuser")
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")
    actions = ("make_login_link", "activate", "deactivate", "revoke_tokens")
    change_form_outer_after_template = "accounts/admin/owned.html"
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (gettext_lazy("Person"), {"fields": ("first_name", "last_name", "email")}),
        (
            gettext_lazy("Rights"),
            {
                "fields": ("is_active", "is_superuser", "groups"),
                "description": gettext_lazy(
                    "Each group includes the groups before it: viewer, operator, curator, admin. "
                    "The page of a group says what it may do. A person without a group can log "
                    "in but can do nothing. A person who is not active is refused at once, and "
                    "so are their tokens."
                ),
            },
        ),
        (gettext_lazy("Dates"), {"fields": ("last_login", "date_joined")}),
    )

    def formfield_for_manytomany(
        self, db_field: ManyToManyField[Any, Any], request: HttpRequest, **options: Any
    ) -> ModelMultipleChoiceField[Any] | None:
        """The four groups as checkboxes."""
        widget = UnfoldAdminCheckboxSelectMultipleWidget()
        field: ModelMultipleChoiceField[Any] | None = super().formfield_for_manytomany(
            db_field, request, widget=widget, **options
        )
        return field

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        rows: QuerySet[User] = super().get_queryset(request)
        tokens = Count("api_tokens", filter=working("api_tokens__"), distinct=True)
        return rows.prefetch_related("groups").annotate(token_count=tokens)

    @column(gettext_lazy("Groups"))
    def in_groups(self, user: User) -> str:
        names = {group.name for group in user.groups.all()}
        return ", ".join(group for group in GROUPS if group in names) or _("none")

    @column(gettext_lazy("Working tokens"), ordering="token_count")
    def token_count(self, user: User) -> int:
        count: int = vars(user)["token_count"]  # annotated by `get_queryset`
        return count

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        me = request.user
        if isinstance(me, User) and me.is_superuser:
            return self.readonly_fields
        return (*self.readonly_fields, "is_superuser")

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and may_manage(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_delete_permission(request, obj) and may_manage(request, obj)

    def page_context(self, request: HttpRequest, user: User) -> dict[str, Any]:
        return {"owned": [(owned, self._address(owned, user)) for owned in owned_by(user)]}

    def _address(self, owned: Owned, user: User) -> str:
        """The person's list in the admin; empty where the model has none."""
        if not self.admin_site.is_registered(owned.model):
            return ""
        app, name = owned.model._meta.app_label, owned.model._meta.model_name
        return f"{reverse(f'admin:{app}_{name}_changelist')}?{owned.field}__id__exact={user.pk}"

    @admin.action(description=gettext_lazy("Make a one-time login link"), permissions=["change"])
    def make_login_link(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """The link is shown once, in the page's message. Only its digest is stored."""
        for user in queryset:
            if not self.has_change_permission(request, user):
                messages.error(
                    request,
                    _(
                        "%(user)s is a superuser. Only a superuser can make a login link for "
                        "this account."
                    )
                    % {"user": user},
                )
            elif not user.is_active:
                messages.error(
                    request,
                    _("%(user)s is not active. Activate the account first.") % {"user": user},
                )
            else:
                link = request.build_absolute_uri(services.login_link_create(user=user))
                self.log_change(request, user, _("Made a one-time login link."))
                messages.success(
                    request,
                    _(
                        "%(user)s can log in once within 30 minutes. This link is shown only "
                        "now: %(link)s"
                    )
                    % {"user": user, "link": link},
                )

    @admin.action(description=gettext_lazy("Activate"), permissions=["change"])
    def activate(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._switch(request, queryset, active=True)

    @admin.action(description=gettext_lazy("Deactivate"), permissions=["change"])
    def deactivate(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Deletes nothing: the person keeps what they own and can use it again after activation."""
        self._switch(request, queryset, active=False)

    def _switch(self, request: HttpRequest, queryset: QuerySet[User], *, active: bool) -> None:
        switched = []
        for user in queryset:
            if not self.has_change_permission(request, user):
                messages.error(
                    request,
                    _(
                        "%(user)s is a superuser. Only a superuser can activate or deactivate "
                        "this account."
                    )
                    % {"user": user},
                )
            elif user == request.user:
                messages.error(request, _("You cannot activate or deactivate your own account."))
            elif services.user_switch(user=user, active=active):
                self.log_change(request, user, _("Activated.") if active else _("Deactivated."))
                switched.append(str(user))
        if switched:
            said = (
                _("Activated: %(people)s. They can log in again.")
                if active
                else _("Deactivated: %(people)s. They and their tokens are refused from now on.")
            )
            messages.success(request, said % {"people": ", ".join(switched)})

    @admin.action(description=gettext_lazy("Revoke their tokens"), permissions=["change"])
    def revoke_tokens(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """This cannot be undone: a revoked token never works again. A superuser's tokens may be
        revoked, too, because this only takes rights away."""
        count = 0
        for user in queryset:
            if revoked := services.tokens_revoke(user=user):
                self.log_change(request, user, _("Revoked %(count)s tokens.") % {"count": revoked})
                count += revoked
        messages.success(
            request,
            ngettext("%(count)s token revoked.", "%(count)s tokens revoked.", count)
            % {"count": count},
        )


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ReadOnlyAdmin):
    """The four groups are fixed, because their names are the rights. A person's groups are set on
    the person's page."""

    fields = ("name", "rights")
    readonly_fields = ("rights",)
    list_display = ("name", "rights", "members")
    ordering = ()
    change_form_outer_after_template = "accounts/admin/members.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        rows: QuerySet[Group] = super().get_queryset(request)
        return rows.annotate(member_count=Count("user")).order_by("pk")

    @column(gettext_lazy("Rights"))
    def rights(self, group: Group) -> str:
        return str(
            GROUP_RIGHTS.get(group.name) or _("none: the studio knows no group with this name")
        )

    @column(gettext_lazy("Members"), ordering="member_count")
    def members(self, group: Group) -> int:
        count: int = vars(group)["member_count"]  # annotated by `get_queryset`
        return count

    def page_context(self, request: HttpRequest, group: Group) -> dict[str, Any]:
        members = User.objects.filter(groups=group).order_by("username")
        return {"members": members[:SHOWN_MEMBERS]}
