"""What the admin's own pages ask."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminFileFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from apps.llms.models import Endpoint
from apps.roles.models import NOTE_CHARS
from workers.core.pools.families import FAMILIES
from workers.core.specs import QUERY_MAX_CHARS


class SeenForm(forms.Form):
    """`version`: the draft's that the page showed."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class PublishForm(SeenForm):
    note = forms.CharField(
        required=False,
        max_length=NOTE_CHARS,
        label=_("What changed"),
        help_text=_("For whoever reads the list of versions."),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
    )


class CloneForm(forms.Form):
    key = forms.SlugField(label=_("Key"), max_length=63, widget=UnfoldAdminTextInputWidget())
    name = forms.CharField(label=_("Name"), max_length=120, widget=UnfoldAdminTextInputWidget())


class FamilyForm(forms.Form):
    family = forms.SlugField(
        label=_("Family"),
        max_length=63,
        help_text=format_lazy(
            _("One of the studio's ({families}), or one of your own."), families=", ".join(FAMILIES)
        ),
        widget=UnfoldAdminTextInputWidget(),
    )


class CompareForm(forms.Form):
    """Two states of a pool."""

    def __init__(self, versions: list[int], **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]  # passed on as they came
        states = [
            ("draft", _("Draft")),
            *((str(n), _("Version %(number)s") % {"number": n}) for n in versions),
        ]
        for name, label in (("before", _("From")), ("after", _("To"))):
            self.fields[name] = forms.ChoiceField(
                choices=states, label=label, widget=UnfoldAdminSelectWidget()
            )


class ImportForm(forms.Form):
    file = forms.FileField(label=_("File"), widget=UnfoldAdminFileFieldWidget())
    key = forms.SlugField(
        required=False,
        max_length=63,
        label=_("Key of the pool"),
        help_text=_("For CSV, which holds roles alone. A new key makes a new pool."),
        widget=UnfoldAdminTextInputWidget(),
    )
    name = forms.CharField(
        required=False,
        max_length=120,
        label=_("Name of the pool"),
        help_text=_("For CSV; a pool that is there keeps its own where this is empty."),
        widget=UnfoldAdminTextInputWidget(),
    )


class ConfirmImportForm(forms.Form):
    text = forms.CharField(widget=forms.HiddenInput)
    ticket = forms.CharField(widget=forms.HiddenInput)
    publish = forms.BooleanField(
        required=False,
        label=_("Publish, too"),
        help_text=_("Otherwise it waits in the draft until somebody publishes it."),
        widget=UnfoldBooleanWidget(),
    )


def _enabled_endpoints() -> list[tuple[str, str]]:
    return list(Endpoint.objects.filter(enabled=True).values_list("key", "name"))


class FillForm(forms.Form):
    """All endpoints are chosen to begin with."""

    endpoints = forms.MultipleChoiceField(
        label=_("Endpoints"),
        choices=_enabled_endpoints,
        initial=lambda: [key for key, _name in _enabled_endpoints()],
        widget=UnfoldAdminCheckboxSelectMultipleWidget(),
    )


class ConfirmFillForm(FillForm):
    confirmed = forms.BooleanField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["endpoints"].widget = forms.MultipleHiddenInput()


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
        endpoint.choices = [("", _("The default one")), *_enabled_endpoints()]
