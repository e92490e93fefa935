"""The tokens of all people in the admin, to view and to revoke. Secrets are not stored, so the page
cannot show them."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.accounts import services
from apps.accounts.models import ApiToken
from apps.accounts.permissions import SCOPE_OF_GROUP, acts_as
from apps.accounts.ranked_admin import RankedAdmin
from apps.accounts.selectors import TOKEN_STATES, token_state, tokens_in_state
from apps.common.admin_pages import column, found, own_page, page, to_change


class TokenStateFilter(admin.SimpleListFilter):
    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(key, str(said)) for key, said in TOKEN_STATES.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
        wanted = self.value()
        return tokens_in_state(queryset, wanted) if wanted in TOKEN_STATES else queryset


@admin.register(ApiToken)
class ApiTokenAdmin(RankedAdmin):
    """Owners make tokens; an admin sees and revokes them."""

    list_display = (
        *("name", "user", "state", "scope_names", "last_used", "expires_at", "created_at"),
        "prefix",
    )
    list_filter = (TokenStateFilter, "user")
    list_select_related = ("user",)
    search_fields = ("name", "prefix", "user__username")
    fields = (
        *("name", "user", "state_now", "scope_names", "may_now", "last_used", "expires_at"),
        *("created_at", "revoked_at", "prefix"),
    )
    readonly_fields = fields
    actions = ("revoke",)
    actions_detail = ("revoke_now",)
    states: ClassVar[dict[str, str]] = {
        "works": "success",
        "owner not active": "warning",
        "expired": "warning",
        "revoked": "danger",
    }
    words: ClassVar[dict[str, str | Promise]] = {
        "works": gettext_lazy("works"),
        "owner not active": gettext_lazy("owner not active"),
        "expired": gettext_lazy("expired"),
        "revoked": gettext_lazy("revoked"),
    }

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A token changes only when it is revoked, so its page has nothing to save."""
        return super().has_change_permission(request, obj) and not isinstance(obj, ApiToken)

    @column(gettext_lazy("State"), label=states)
    def state(self, token: ApiToken) -> tuple[str, str]:
        return token_state(token), self.state_now(token)

    @column(gettext_lazy("State"))
    def state_now(self, token: ApiToken) -> str:
        return str(self.words[token_state(token)])

    @column(gettext_lazy("Scopes"), ordering="scopes")
    def scope_names(self, token: ApiToken) -> str:
        return ", ".join(token.scopes)

    @column(gettext_lazy("Allowed now"))
    def may_now(self, token: ApiToken) -> str:
        """What its scopes and its owner's groups both allow. Any scope allows reading."""
        if token_state(token) != "works" or not acts_as(token.user, "viewer"):
            return _("nothing")
        writes = {str(scope): group for group, scope in SCOPE_OF_GROUP.items() if scope}
        allowed = [
            scope for scope in token.scopes if acts_as(token.user, writes.get(scope, "viewer"))
        ]
        return ", ".join(dict.fromkeys(["read", *allowed]))

    @column(gettext_lazy("Last used"), ordering="last_used_at")
    def last_used(self, token: ApiToken) -> str:
        used = token.last_used_at
        return date_format(timezone.localtime(used), "DATETIME_FORMAT") if used else _("never")

    @admin.action(description=gettext_lazy("Revoke"), permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        """This cannot be undone: a revoked token never works again."""
        revoked = [token for token in queryset if self._revoked(request, token)]
        count = len(revoked)
        said = (
            _("%(token)s no longer works.") % {"token": revoked[0]}
            if count == 1
            else ngettext("%(count)s token revoked.", "%(count)s tokens revoked.", count)
            % {"count": count}
        )
        messages.success(request, said)

    @own_page(gettext_lazy("Revoke"), icon="block")
    def revoke_now(self, request: HttpRequest, object_id: str) -> HttpResponse:
        token = found(self, request, ApiToken, object_id)
        if request.method == "POST":
            if self._revoked(request, token):
                messages.success(request, _("%(token)s no longer works.") % {"token": token})
            return to_change(token)
        return page(
            self,
            request,
            "common/admin/confirm.html",
            title=_("Revoke %(token)s") % {"token": token},
            original=token,
            form=Form(),
            submit=_("Revoke"),
            about=_(
                "Programs that use this token of %(user)s will be refused. This cannot be undone."
            )
            % {"user": token.user},
        )

    def _revoked(self, request: HttpRequest, token: ApiToken) -> bool:
        done = services.token_revoke(user=token.user, token_id=token.id)
        if done:
            self.log_change(request, token, _("Revoked."))
        return done
