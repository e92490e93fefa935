"""Sets Django up, starts a web process as `up` does, and makes a token for requests to it."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import django


def set_up() -> None:
    """Make Django ready, with the tables of an empty database."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


@contextmanager
def serving(**environment: str) -> Iterator[int]:
    """The port of a web process. It answers once it is up; earlier requests wait in its queue."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(1_024)
        process = subprocess.Popen(
            [sys.executable, "-m", "studio.launcher.web", str(listening.fileno())],
            pass_fds=(listening.fileno(),),
            env={**os.environ, **environment},
        )
        port: int = listening.getsockname()[1]
    try:
        yield port
    finally:
        process.terminate()
        process.wait(20)


def reading_token() -> str:
    """Make a token that may read everything and return its secret."""
    from django.utils import timezone

    from apps.accounts.services import admin_ensure, token_create

    admin, _ = admin_ensure()
    expires = timezone.now() + timedelta(days=1)
    _, secret = token_create(user=admin, name="bench", scopes=["read"], expires_at=expires)
    return secret
