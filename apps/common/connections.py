"""Connections to the database are few: who is about to wait or to compute gives theirs back."""

from __future__ import annotations

from django.db import connection


def connection_release() -> None:
    """To the pool, unless a transaction needs it; the next statement takes one again."""
    if not connection.in_atomic_block:
        connection.close()
