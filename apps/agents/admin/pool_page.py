"""The agent database in the admin: choose endpoints, see the number of agents, confirm."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from apps.accounts.ranked_admin import page_added
from apps.agents.filling import Filled, agents_fill
from apps.common.admin_pages import found, own_page, page, refusals_told, to_change
from apps.llms.choices import enabled_endpoints
from apps.roles.models import RolePool


class AgentPages(ModelAdmin):
    """The page for the admin of pools."""

    actions_detail = ("fill_agents",)

    @own_page(gettext_lazy("Fill the agent database"), icon="groups")
    def fill_agents(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """GET asks for endpoints, its POST shows the number of agents, the next POST makes the
        agents."""
        pool = found(self, request, RolePool, object_id)
        form = FillForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            chosen = form.cleaned_data["endpoints"]
            with refusals_told(request):
                if "confirmed" not in request.POST:
                    return self._counted(request, pool, chosen)
                messages.success(request, _done(agents_fill(pool_key=pool.key, endpoints=chosen)))
            return to_change(pool)
        about = _(
            "An agent is a published role on an endpoint. The next page shows how many agents "
            "this makes. Existing agents keep what they have learned."
        )
        return self._agents_page(
            request, pool, form=form, submit=_("Show the number of agents"), about=about
        )

    def _counted(self, request: HttpRequest, pool: RolePool, chosen: list[str]) -> HttpResponse:
        """Raises ApplicationError."""
        filled = agents_fill(pool_key=pool.key, endpoints=chosen, dry_run=True)
        form = ConfirmFillForm(initial={"endpoints": chosen, "confirmed": True})
        about = _("%(counted)s On: %(endpoints)s.") % {
            "counted": _counts(filled),
            "endpoints": ", ".join(chosen),
        }
        return self._agents_page(request, pool, form=form, submit=_("Make agents"), about=about)

    def _agents_page(self, request: HttpRequest, pool: RolePool, **more: Any) -> HttpResponse:
        return page(
            self,
            request,
            "roles/admin/confirm.html",
            title=_("Agents of %(pool)s") % {"pool": pool},
            original=pool,
            **more,
        )


def _counts(filled: Filled) -> str:
    return _("Endpoints × roles: %(endpoints)s × %(roles)s = %(agents)s agents, %(new)s new.") % {
        "endpoints": f"{filled.endpoints:,}",
        "roles": f"{filled.roles:,}",
        "agents": f"{filled.agents:,}",
        "new": f"{filled.new:,}",
    }


def _done(filled: Filled) -> str:
    waiting = (
        _("Agents that are not embedded yet will be embedded within seconds.")
        if filled.waiting
        else ""
    )
    return f"{_counts(filled)} {waiting}".strip()


class FillForm(forms.Form):
    """Chooses all endpoints at first."""

    endpoints = forms.MultipleChoiceField(
        label=_("Endpoints"),
        choices=enabled_endpoints,
        initial=lambda: [key for key, _name in enabled_endpoints()],
        widget=UnfoldAdminCheckboxSelectMultipleWidget(),
    )


class ConfirmFillForm(FillForm):
    confirmed = forms.BooleanField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["endpoints"].widget = forms.MultipleHiddenInput()


page_added(RolePool, AgentPages)
