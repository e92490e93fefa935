"""Two people on one page of the admin: no save silently undoes what another person saved.

A form also sends the values that it began with. If only one of two people changed a field, their
value is stored. If both changed it to different values, the second save is refused, and the page
shows what is stored.
"""

from contextlib import suppress
from typing import Any, cast

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.db import models, transaction
from django.forms import BooleanField, ModelForm
from django.forms.boundfield import BoundField
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from unfold.admin import ModelAdmin

from apps.common.errors import ApplicationError
from apps.common.locking import locked

SHOWN_CHARACTERS = 600
"""Limit on what is shown of a stored value beside a refused field. Another tab shows all of it."""


class SharedForm(ModelForm):  # type: ignore[type-arg]  # any model's
    """A form for a stored thing that others may change while the page is open."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.changed_elsewhere: list[str] = []
        """Labels of fields that another person changed and this person did not."""
        if self.instance.pk:
            for field in self.fields.values():
                # A disabled field takes no value. A password must not stand in the page.
                field.show_hidden_initial = not field.disabled

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if not any(name.startswith("initial-") for name in self.data):
            return cleaned  # sent by a program: it means each field that it names
        mine = frozenset(self.changed_data)
        for name in self.fields:
            bound = self[name]
            if not bound.field.show_hidden_initial:
                continue
            stored = _stored(bound)
            moved = bound.field.has_changed(stored, _began(bound))
            if name not in mine:
                self.cleaned_data.pop(name, None)  # so the instance keeps what is stored
                if moved:
                    self.changed_elsewhere.append(str(bound.label))
            elif moved and bound.field.has_changed(stored, _lines(bound.data)):
                self._refuse(bound)
        return cleaned

    def _refuse(self, bound: BoundField) -> None:
        """The next save of the page starts from what is stored now, so it overwrites knowingly."""
        self.add_error(
            bound.name,
            _(
                "Changed elsewhere since you opened this page. It now says: “%(stored)s”. "
                "Save again to overwrite it with yours, or put it in the field to keep it."
            )
            % {"stored": _said(bound)},
        )
        sent = cast(QueryDict, self.data).copy()
        raw = bound.field.prepare_value(bound.initial)
        if isinstance(raw, list):
            sent.setlist(bound.html_initial_name, [str(value) for value in raw])
        else:
            sent[bound.html_initial_name] = "" if raw is None else str(raw)
        self.data = sent


class SharedAdmin(ModelAdmin):
    """Its `form` is a `SharedForm`."""

    form = SharedForm

    def hold(self, instance: Any) -> None:
        """Locks what a save of `instance` locks, in the same order. Raises ApplicationError."""
        locked(instance)

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, *arguments: Any, **named: Any
    ) -> HttpResponse:
        """Locks the row until it is saved: two saves at once follow each other."""
        with transaction.atomic():
            if request.method == "POST" and object_id:
                instance = self.get_object(request, unquote(object_id))
                if isinstance(instance, models.Model):
                    with suppress(ApplicationError):  # it went; Django says so below
                        self.hold(instance)
            answer: HttpResponse = super().changeform_view(request, object_id, *arguments, **named)
            return answer

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if elsewhere := getattr(form, "changed_elsewhere", ()):
            messages.warning(
                request,
                _("Also changed elsewhere since you opened this page, and kept: %(fields)s.")
                % {"fields": ", ".join(elsewhere)},
            )


def _began(bound: BoundField) -> Any:
    widget = bound.field.hidden_widget()
    sent = widget.value_from_datadict(bound.form.data, MultiValueDict(), bound.html_initial_name)
    return _lines(sent)


def _stored(bound: BoundField) -> Any:
    """The value as a page opened now would send it back: a form strips texts, for example."""
    raw = bound.field.hidden_widget().format_value(bound.field.prepare_value(bound.initial))
    return bound.field.to_python(_lines(raw))


def _lines(value: Any) -> Any:
    """A browser sends CRLF."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else value


def _said(bound: BoundField) -> str:
    if isinstance(bound.field, BooleanField):
        return _("yes") if bound.initial else _("no")
    offered = getattr(bound.field, "choices", ())
    names = {str(value): str(label) for value, label in offered}
    raw = bound.field.prepare_value(bound.initial)
    values = raw if isinstance(raw, list) else [raw]
    said = ", ".join(names.get(str(value), str(value)) for value in values if value is not None)
    return said if len(said) <= SHOWN_CHARACTERS else f"{said[:SHOWN_CHARACTERS]}…"
