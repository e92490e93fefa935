"""Database connections are few, so code that is about to wait or compute gives its connection
back."""

from django.db import connection


def connection_release() -> None:
    """Gives the connection back to the pool unless a transaction needs it. The next statement takes
    one again."""
    if not connection.in_atomic_block:
        connection.close()
