"""One application error, and one shape of error on the wire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import ValidationError as PydanticValidationError
from rest_framework import status


@dataclass(frozen=True, slots=True)
class FieldError:
    """`field` is a dotted path into the request body, e.g. `budget.max_tokens`."""

    field: str
    code: str
    message: str


class ApplicationError(Exception):
    """What services raise: a stable code, a sentence for people, and the remedy."""

    def __init__(
        self,
        *,
        code: str,
        message: str,
        remedy: str = "",
        status_code: int = status.HTTP_400_BAD_REQUEST,
        fields: tuple[FieldError, ...] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy
        self.status_code = status_code
        self.fields = fields
        self.headers = headers or {}

    def lines(self) -> str:
        """For a terminal: one line for each wrong field, or the one sentence."""
        fields = [f"{field.field}: {field.message}" for field in self.fields]
        return "\n".join(fields) or f"{self.message} {self.remedy}"

    @classmethod
    def of_fields(cls, fields: Sequence[FieldError]) -> ApplicationError:
        """A request with at least one wrong field. It reports all of them at once."""
        return cls(
            code=fields[0].code if len(fields) == 1 else "invalid",
            message=fields[0].message,
            remedy=_("Correct the named fields and send the request again."),
            fields=tuple(fields),
        )

    @classmethod
    def from_pydantic(cls, error: PydanticValidationError, *, prefix: str) -> ApplicationError:
        """A value that a model of core refused, reported field by field under `prefix`."""
        fields = tuple(
            FieldError(
                field=".".join([prefix, *(str(part) for part in item["loc"])]).strip("."),
                code=item["type"],
                message=item["msg"],
            )
            for item in error.errors(include_url=False, include_input=False)
        )
        return cls(
            code="invalid",
            message=f"{fields[0].field}: {fields[0].message}",
            remedy=_("Correct the named fields and send the request again."),
            fields=fields,
        )


@contextmanager
def missing_is_404(*missing: type[ObjectDoesNotExist]) -> Iterator[None]:
    """Wraps code that looks up the rows of an address, with the `DoesNotExist` of each model. Any
    other missing row is a bug, and stays one."""
    try:
        yield
    except missing as error:
        raise Http404 from error


def too_large(limit: int) -> ApplicationError:
    return ApplicationError(
        code="too_large",
        message=_("The body has more than %(limit)s bytes.") % {"limit": f"{limit:,}"},
        remedy=_("Send less at once."),
        status_code=status.HTTP_413_REQUEST_ENTITY_TOO_LARGE,
    )


def bad_address(field: str, code: str, message: str, status_code: int = 400) -> ApplicationError:
    """For a part of an address that has no valid value."""
    return ApplicationError(
        code=code,
        message=message,
        remedy=_("Correct the address and send the request again."),
        status_code=status_code,
        fields=(FieldError(field, code, message),),
    )


def unknown_choice(field: str, value: str, choices: Sequence[str]) -> ApplicationError:
    """For a part of an address that is none of the allowed choices."""
    message = _("There is no %(field)s “%(value)s”. Use one of: %(choices)s.") % {
        "field": field,
        "value": value[:60],
        "choices": ", ".join(choices),
    }
    return ApplicationError(
        code=f"unknown_{field}",
        message=message,
        remedy=_("Correct the address."),
        fields=(FieldError(field, f"unknown_{field}", message),),
    )


def key_taken(message: str) -> ApplicationError:
    """For a name that must be unique and is not. `message` says which."""
    return ApplicationError(
        code="key_taken",
        message=message,
        remedy=_("Choose another key, or change the existing one."),
        status_code=status.HTTP_409_CONFLICT,
        fields=(FieldError("key", "key_taken", message),),
    )


def error_body(
    *, code: str, message: str, remedy: str | Promise = "", fields: tuple[FieldError, ...] = ()
) -> dict[str, Any]:
    return {
        "error": {
            "code": code,
            "message": message,
            "remedy": str(remedy),
            "fields": [
                {"field": item.field, "code": item.code, "message": item.message} for item in fields
            ],
        }
    }


REMEDIES = {
    "not_authenticated": gettext_lazy("Log in, or send the header Authorization: Bearer <token>."),
    "authentication_failed": gettext_lazy(
        "Log in again, or make a new token on the page “Tokens”."
    ),
    "permission_denied": gettext_lazy("Ask an admin to add you to a group that may do this."),
    "not_found": gettext_lazy("Check the address. What it names may have been deleted."),
    "method_not_allowed": gettext_lazy("See /api/docs for what this address accepts."),
    "parse_error": gettext_lazy("Send a JSON body with Content-Type: application/json."),
    "unsupported_media_type": gettext_lazy("Send Content-Type: application/json."),
    "not_acceptable": gettext_lazy("Ask for application/json."),
    "throttled": gettext_lazy("Wait a little and try again."),
    "invalid": gettext_lazy("Correct the named fields and send the request again."),
    "bad_request": gettext_lazy("Check the address, the Host header and the size of the body."),
    "csrf_failed": gettext_lazy("Reload the page and try again."),
    "database_busy": gettext_lazy(
        "Try again in a moment. If it fails again, look at the studio's health."
    ),
    "database_away": gettext_lazy(
        "Try again in a moment. If it fails again, an admin finds the cause in the database's log."
    ),
    "database_full": gettext_lazy("Ask an admin to free disk space. Stored data is not lost."),
    "server_error": gettext_lazy("Try again. If it fails again, the web log names the cause."),
}


def conflict(code: str, message: str, remedy: str) -> ApplicationError:
    """409: what is stored does not allow it now."""
    return ApplicationError(code=code, message=message, remedy=remedy, status_code=409)
