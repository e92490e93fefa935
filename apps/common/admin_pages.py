"""Pages of the admin beside Django's own: one looks at something, then confirms it by a POST."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.db import models
from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from unfold.admin import ModelAdmin
from unfold.decorators import action, display

from apps.common.errors import ApplicationError

M = TypeVar("M", bound=models.Model)
Method = TypeVar("Method", bound=Callable[..., Any])


def own_page(description: str | Promise, *, icon: str) -> Callable[[Method], Method]:
    """An Unfold action with its own address, for people who may change the thing."""
    decorated: Callable[[Method], Method] = action(
        description=description, icon=icon, permissions=["change"]
    )
    return decorated


def column(
    description: str | Promise, *, label: dict[str, str] | None = None, ordering: str | None = None
) -> Callable[[Method], Method]:
    """A column of a list. `label`: the colour of each of its values."""
    decorated: Callable[[Method], Method] = display(
        description=description, label=label, ordering=ordering
    )
    return decorated


def page(
    model_admin: ModelAdmin, request: HttpRequest, template: str, *, title: str, **context: Any
) -> TemplateResponse:
    """Its way back leads to the page of `original`, the thing that it is about, if there is one."""
    known = {**model_admin.admin_site.each_context(request), "opts": model_admin.opts}
    if original := context.get("original"):
        known["back"] = _change_address(original)
    return TemplateResponse(request, template, {**known, "title": title, **context})


def to_change(instance: models.Model) -> HttpResponseRedirect:
    return HttpResponseRedirect(_change_address(instance))


def _change_address(instance: models.Model) -> str:
    names = instance._meta.app_label, instance._meta.model_name
    return reverse("admin:{}_{}_change".format(*names), args=(instance.pk,))


def found(model_admin: ModelAdmin, request: HttpRequest, model: type[M], object_id: str) -> M:
    """Raises Http404."""
    instance = model_admin.get_object(request, unquote(object_id))
    if not isinstance(instance, model):
        raise Http404
    return instance


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """Wraps a service call: the next page shows a refusal."""
    try:
        yield
    except ApplicationError as error:
        messages.error(request, f"{error.message} {error.remedy}")
