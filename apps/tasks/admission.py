"""Limits imports at once: each one takes a thread, and up to 2 GiB to unpack a Parquet file."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import status

from apps.common.connections import connection_release
from apps.common.errors import ApplicationError
from apps.common.under_way import UnderWay

IMPORTS = 3
"""Limit on imports at once in this process."""
IMPORTS_PER_USER = 2
IMPORT_WAIT_SECONDS = 3.0

imports = UnderWay(
    gettext_lazy("You have %(limit)s imports in progress, which is the limit."),
    code="too_many_imports",
    remedy=gettext_lazy("Wait until one of them has finished."),
)
_importing = threading.BoundedSemaphore(IMPORTS)


@contextmanager
def admitted(user_id: UUID) -> Iterator[None]:
    """Wraps an import, if it is among the few that are allowed at once. While it reads files or
    downloads from the hub, it holds no database connection. Raises ApplicationError (429)."""
    connection_release()
    with imports.counted(user_id, IMPORTS_PER_USER):
        if not _importing.acquire(timeout=IMPORT_WAIT_SECONDS):
            raise ApplicationError(
                code="imports_busy",
                message=_("%(limit)s imports are in progress, which is the limit.")
                % {"limit": IMPORTS},
                remedy=_("Try again in a minute."),
                status_code=status.HTTP_429_TOO_MANY_REQUESTS,
                headers={"Retry-After": "30"},
            )
        try:
            yield
        finally:
            _importing.release()
