"""Whether a test's thread holds a connection to the database."""

from django.db import connection


def connection_is_free() -> bool:
    """Of a response's own thread when asked through `sync_to_async`."""
    return connection.connection is None
