"""Databases for tests, copied from a migrated one: migrating takes longer than copying. Processes
that a test starts have one of their own, as they cannot share the test's transaction."""

import atexit
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg

from tests.processes.children import python, ran


@contextmanager
def own_database(prefix: str, *, like: str | None = None) -> Iterator[str]:
    """The URL of a new database on the tests' server, migrated and empty, or a copy of the one with
    the URL `like`, which nobody is connected to; dropped at the end."""
    template = urlsplit(like).path.lstrip("/") if like else migrated()
    with _created(prefix, f"TEMPLATE {template}") as url:
        yield url


@contextmanager
def empty_database(prefix: str) -> Iterator[str]:
    """The URL of one without any table; dropped at the end."""
    with _created(prefix) as url:
        yield url


@contextmanager
def _created(prefix: str, options: str = "") -> Iterator[str]:
    name = f"{prefix}_{uuid4().hex[:8]}"
    with _server() as server:
        server.execute(f"CREATE DATABASE {name} {options}")
        try:
            yield _url(name)
        finally:
            _drop(server, name)


def _drop(server: psycopg.Connection, name: str) -> None:
    """FORCE may not end Postgres's own autovacuum, which is soon done."""
    for wait in (0.1, 0.5, 2.0, 5.0):
        try:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        except psycopg.errors.InsufficientPrivilege:
            time.sleep(wait)
        else:
            return
    server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@cache
def migrated() -> str:
    """The name of the database that others are copied from. Suites that are told its name share it:
    the first makes it, and those beside it wait for that."""
    shared = os.environ.get("STUDIO_TESTS_TEMPLATE", "")
    with _server() as server:
        if not shared:
            return _made(server)
        server.execute("SELECT pg_advisory_lock(hashtext(%s))", (shared,))
        known = server.execute("SELECT 1 FROM pg_database WHERE datname = %s", (shared,)).fetchone()
        if not known:
            server.execute(f"ALTER DATABASE {_made(server)} RENAME TO {shared}")
    return shared


def _made(server: psycopg.Connection) -> str:
    name = f"template_{uuid4().hex[:8]}"
    server.execute(f"CREATE DATABASE {name}")
    atexit.register(_forget, name)
    env = {"DATABASE_URL": _url(name), "DATABASE_POOL_MIN": "0"}
    ran(python("manage.py", "migrate", "--verbosity", "0"), env)
    return name


def _forget(name: str) -> None:
    with _server() as server:
        _drop(server, name)


def _server() -> psycopg.Connection:
    return psycopg.connect(_url("postgres"), autocommit=True)


def _url(name: str) -> str:
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))
