"""The admin is another interface: it saves through the same services as the API."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from django.contrib import messages
from django.db import models
from django.http import HttpRequest

from apps.common.errors import ApplicationError

M = TypeVar("M", bound=models.Model)


class ServiceAdmin(Generic[M]):
    """Mixin: `save_through_service` writes; what it refuses is shown, and nothing is stored."""

    def save_through_service(self, request: HttpRequest, instance: M) -> None:
        raise NotImplementedError(f"{type(self).__name__} must name its service")

    def save_model(self, request: HttpRequest, obj: M, form: Any, change: bool) -> None:
        try:
            self.save_through_service(request, obj)
        except ApplicationError as error:
            messages.set_level(request, messages.ERROR)
            messages.error(request, f"Not saved. {error.message} {error.remedy}")
