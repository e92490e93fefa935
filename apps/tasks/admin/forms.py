"""Forms for the import of a file: the file, then which column holds what."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminSelectWidget, UnfoldBooleanWidget

from apps.tasks.columns import FileColumn
from apps.tasks.models import Task
from workers.core.benchmarks.benchmark import Benchmark
from workers.core.benchmarks.registry import BENCHMARKS

EXAMPLE_CHARS = 40


def _benchmarks() -> list[tuple[str, str]]:
    return [(benchmark.key, benchmark.name) for benchmark in BENCHMARKS.values()]


class FileForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy("JSON Lines, CSV or Parquet. The ending of the name decides."),
        max_length=255,
        widget=UnfoldAdminFileFieldWidget(),
    )
    split = forms.ChoiceField(
        choices=Task.Split.choices,
        label=gettext_lazy("Into split"),
        widget=UnfoldAdminSelectWidget(),
    )
    benchmark = forms.ChoiceField(
        choices=_benchmarks,
        label=gettext_lazy("Read as"),
        help_text=gettext_lazy("Decides which columns are needed and how answers are judged."),
        widget=UnfoldAdminSelectWidget(),
    )
    replace = forms.BooleanField(
        required=False,
        label=gettext_lazy("Replace the split"),
        help_text=gettext_lazy("Tasks that are not in the file are removed."),
        widget=UnfoldBooleanWidget(),
    )


class CarriedForm(forms.Form):
    """The answers to `FileForm`, carried from page to page. `content` is Base64, because forms
    change line endings."""

    content = forms.CharField(widget=forms.HiddenInput)
    name = forms.CharField(max_length=255, widget=forms.HiddenInput)
    split = forms.ChoiceField(choices=Task.Split.choices, widget=forms.HiddenInput)
    benchmark = forms.ChoiceField(choices=_benchmarks, widget=forms.HiddenInput)
    replace = forms.BooleanField(required=False, widget=forms.HiddenInput)
    ticket = forms.CharField(required=False, widget=forms.HiddenInput)


class MappingForm(forms.Form):
    """A choice for each wanted column. Columns are named by their places, because a file may call
    them anything."""

    def __init__(
        self, benchmark: Benchmark, columns: Sequence[FileColumn], *args: Any, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._wanted = [column.name for column in benchmark.columns]
        self._columns = [column.name for column in columns]
        choices = [(str(place), _label(column)) for place, column in enumerate(columns)]
        for place, wanted in enumerate(benchmark.columns):
            same = _("the column of the same name") if wanted.name in self._columns else _("none")
            self.fields[f"column_{place}"] = forms.ChoiceField(
                choices=[("", f"— {same} —"), *choices],
                required=False,
                label=_("%(name)s (needed)") % {"name": wanted.name}
                if wanted.required
                else wanted.name,
                help_text=wanted.description,
                widget=UnfoldAdminSelectWidget(),
            )

    def mapping(self) -> dict[str, str]:
        """The wanted column → the file's column, for a valid form."""
        chosen = ((name, self.cleaned_data[f"column_{n}"]) for n, name in enumerate(self._wanted))
        return {name: self._columns[int(place)] for name, place in chosen if place}


def _label(column: FileColumn) -> str:
    example = column.examples[0][:EXAMPLE_CHARS] if column.examples else ""
    return f"{column.name[:60]} · {example}" if example else column.name[:60]
