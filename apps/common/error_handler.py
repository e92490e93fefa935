"""Gives DRF's errors and ours the one shape."""

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.db import DataError
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from apps.common.errors import REMEDIES, ApplicationError, FieldError, error_body


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's hook: every error that a client can cause gets the one shape. A bug stays a bug."""
    if isinstance(exc, ApplicationError):
        set_rollback()
        body = error_body(code=exc.code, message=exc.message, remedy=exc.remedy, fields=exc.fields)
        return Response(body, status=exc.status_code, headers=exc.headers)
    if isinstance(exc, Http404):
        exc = exceptions.NotFound()
    if isinstance(exc, DjangoPermissionDenied):
        exc = exceptions.PermissionDenied()
    if isinstance(exc, DataError):
        # A value of the right type that the column or function cannot hold, e.g. the year 9999999.
        exc = exceptions.ValidationError(_("A value of this request is out of range."))
    if isinstance(exc, exceptions.APIException):
        set_rollback()
        return _from_api_exception(exc)
    return None


def _from_api_exception(exc: exceptions.APIException) -> Response:
    headers = {}
    if header := getattr(exc, "auth_header", None):
        headers["WWW-Authenticate"] = header
    if (wait := getattr(exc, "wait", None)) is not None:
        headers["Retry-After"] = str(int(wait) + 1)
    if isinstance(exc, exceptions.ValidationError):
        return Response(_validation_body(exc), status=exc.status_code, headers=headers)
    code = exc.get_codes()
    name = code if isinstance(code, str) else exc.default_code
    body = error_body(code=name, message=str(exc.detail), remedy=REMEDIES.get(name, ""))
    return Response(body, status=exc.status_code, headers=headers)


def _validation_body(exc: exceptions.ValidationError) -> dict[str, Any]:
    fields = tuple(_flatten(exc.detail))
    first = fields[0]
    message = f"{first.field}: {first.message}" if first.field else first.message
    return error_body(code="invalid", message=message, remedy=REMEDIES["invalid"], fields=fields)


def _flatten(detail: Any, path: str = "") -> Iterator[FieldError]:
    if isinstance(detail, dict):
        for key, value in detail.items():
            name = "" if key == "non_field_errors" else str(key)
            yield from _flatten(value, ".".join(part for part in (path, name) if part))
    elif isinstance(detail, list):
        for index, value in enumerate(detail):
            nested = isinstance(value, dict | list)
            yield from _flatten(value, f"{path}.{index}" if nested else path)
    else:
        yield FieldError(field=path, code=getattr(detail, "code", "invalid"), message=str(detail))
