"""Forms of the admin's own pages."""

from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from apps.roles.models import NOTE_CHARS
from workers.core.pools.families import FAMILIES


class SeenForm(forms.Form):
    """`version`: version of the draft that the page showed."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class PublishForm(SeenForm):
    note = forms.CharField(
        required=False,
        max_length=NOTE_CHARS,
        label=_("What changed"),
        help_text=_("Shown in the list of versions."),
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
            _("One of the studio's families ({families}), or a new one."),
            families=", ".join(FAMILIES),
        ),
        widget=UnfoldAdminTextInputWidget(),
    )


class CompareForm(forms.Form):
    """Two states of a pool."""

    def __init__(self, versions: list[int], **options: Any) -> None:
        super().__init__(**options)
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
        help_text=_("For CSV, which contains only roles. A new key makes a new pool."),
        widget=UnfoldAdminTextInputWidget(),
    )
    name = forms.CharField(
        required=False,
        max_length=120,
        label=_("Name of the pool"),
        help_text=_("For CSV. If empty, an existing pool keeps its name."),
        widget=UnfoldAdminTextInputWidget(),
    )


class ConfirmImportForm(forms.Form):
    text = forms.CharField(widget=forms.HiddenInput)
    ticket = forms.CharField(widget=forms.HiddenInput)
    publish = forms.BooleanField(
        required=False,
        label=_("Publish as well"),
        help_text=_("Otherwise the changes stay in the draft until someone publishes it."),
        widget=UnfoldBooleanWidget(),
    )
