"""What the admin's own pages ask."""

from __future__ import annotations

from typing import Any

from django import forms
from unfold.widgets import (
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
        label="What changed",
        help_text="For whoever reads the list of versions.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
    )


class CloneForm(forms.Form):
    key = forms.SlugField(max_length=63, widget=UnfoldAdminTextInputWidget())
    name = forms.CharField(max_length=120, widget=UnfoldAdminTextInputWidget())


class FamilyForm(forms.Form):
    family = forms.SlugField(
        max_length=63,
        help_text=f"One of the studio's ({', '.join(FAMILIES)}), or one of your own.",
        widget=UnfoldAdminTextInputWidget(),
    )


class CompareForm(forms.Form):
    """Two states of a pool."""

    def __init__(self, versions: list[int], **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]  # passed on as they came
        states = [("draft", "Draft"), *((str(n), f"Version {n}") for n in versions)]
        for name, label in (("before", "From"), ("after", "To")):
            self.fields[name] = forms.ChoiceField(
                choices=states, label=label, widget=UnfoldAdminSelectWidget()
            )


class ImportForm(forms.Form):
    file = forms.FileField(widget=UnfoldAdminFileFieldWidget())
    key = forms.SlugField(
        required=False,
        max_length=63,
        label="Key of the pool",
        help_text="For CSV, which holds roles alone. A new key makes a new pool.",
        widget=UnfoldAdminTextInputWidget(),
    )
    name = forms.CharField(
        required=False,
        max_length=120,
        label="Name of the pool",
        help_text="For CSV; a pool that is there keeps its own where this is empty.",
        widget=UnfoldAdminTextInputWidget(),
    )


class ConfirmImportForm(forms.Form):
    text = forms.CharField(widget=forms.HiddenInput)
    ticket = forms.CharField(widget=forms.HiddenInput)
    publish = forms.BooleanField(
        required=False,
        label="Publish, too",
        help_text="Otherwise it waits in the draft until somebody publishes it.",
        widget=UnfoldBooleanWidget(),
    )


class TryForm(forms.Form):
    query = forms.CharField(
        label="Question",
        max_length=QUERY_MAX_CHARS,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
    )
    endpoint = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget())

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        known = Endpoint.objects.filter(enabled=True).values_list("key", "name")
        endpoint = self.fields["endpoint"]
        assert isinstance(endpoint, forms.ChoiceField)  # noqa: S101  as declared above
        endpoint.choices = [("", "The default one"), *known]
