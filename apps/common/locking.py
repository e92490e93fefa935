"""Rows that stay locked against other changes until the transaction ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils.translation import gettext as _
from rest_framework import status

from apps.common.errors import ApplicationError, key_taken

M = TypeVar("M", bound=Model)


def locked(row: M) -> M:
    """The row as it is stored now, locked. Raises ApplicationError (404) if it was deleted since it
    was read: two requests may delete or change the same row."""
    stored = type(row)._default_manager.select_for_update().filter(pk=row.pk).first()
    if stored is None:
        name = type(row)._meta.verbose_name
        raise ApplicationError(
            code="not_found",
            message=_("This %(name)s has been deleted.") % {"name": name},
            remedy=_("Reload the page."),
            status_code=status.HTTP_404_NOT_FOUND,
        )
    return stored


def copy_stored(stored: M, row: M) -> M:
    """Sets every field of the caller's `row` to the stored value."""
    for field in row._meta.concrete_fields:
        setattr(row, field.attname, getattr(stored, field.attname))
    return row


@contextmanager
def unique_key(message: str) -> Iterator[None]:
    """Wraps a save. Raises ApplicationError (409) with `message` if another row has the key."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        raise key_taken(message) from error
