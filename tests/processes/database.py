"""A database for processes that are started by a test: they cannot share a test's transaction."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg


@contextmanager
def own_database(prefix: str) -> Iterator[str]:
    """The URL of a new, empty database on the tests' server; it is dropped at the end."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    name = f"{prefix}_{uuid4().hex[:8]}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield urlunsplit(parts._replace(path=f"/{name}"))
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")
