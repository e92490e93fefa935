"""Trying a role in the admin: a run of one agent answers one question, and the person watches
it."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from apps.accounts.ranked_admin import page_added, user_of
from apps.common.admin_pages import found, own_page, page, refusals_told
from apps.llms.choices import enabled_endpoints
from apps.roles.models import Role
from apps.runs.trying import role_try
from workers.core.specs import QUERY_MAX_CHARS


class TryForm(forms.Form):
    query = forms.CharField(
        label=_("Question"),
        max_length=QUERY_MAX_CHARS,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
    )
    endpoint = forms.ChoiceField(
        label=_("Endpoint"), required=False, widget=UnfoldAdminSelectWidget()
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        endpoint = self.fields["endpoint"]
        assert isinstance(endpoint, forms.ChoiceField)  # noqa: S101  as declared above
        endpoint.choices = [("", _("Default endpoint")), *enabled_endpoints()]


class TryPage(ModelAdmin):
    """The page for the admin of roles."""

    actions_detail = ("try_role",)

    @own_page(gettext_lazy("Try this role"), icon="play_arrow")
    def try_role(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Asks the draft's role a question, in a run that a person then watches like any other."""
        role = found(self, request, Role, object_id)
        form = TryForm(request.POST or None)
        user = user_of(request)
        if request.method == "POST" and form.is_valid() and user:
            with refusals_told(request):
                run = role_try(
                    user=user,
                    role=role,
                    query=form.cleaned_data["query"].replace("\r\n", "\n"),
                    endpoint=form.cleaned_data["endpoint"] or None,
                )
                return HttpResponseRedirect(f"/runs/{run.id}")
        about = _(
            "One agent answers with this role as it is in the draft, published or not. The run "
            "is like any other. It shows the prompt of the role and its answer."
        )
        back = reverse("admin:roles_role_change", args=(role.pk,))
        context = {
            "form": form,
            "submit": "Try role",
            "about": about,
            "back": back,
            "original": role,
        }
        return page(
            self,
            request,
            "roles/admin/confirm.html",
            title=_("Try %(role)s") % {"role": role},
            **context,
        )


page_added(Role, TryPage)
