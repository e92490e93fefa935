"""Fills the studio's own search, in a process of its own at the lowest priority."""

import subprocess
import sys
from threading import Lock

from celery import shared_task
from django.conf import settings

from apps.corpora.filling import is_filling_due

_lock = Lock()
_filling: subprocess.Popen[bytes] | None = None


@shared_task(name="workers.tasks.corpora.corpora_fill", ignore_result=True)
def corpora_fill() -> bool:
    """Whether it started the process. It does not wait: loading takes minutes. The process belongs
    to the group of this worker, and a stop of the studio ends it."""
    global _filling  # noqa: PLW0603  it must be reaped
    with _lock:
        if _filling is not None and _filling.poll() is None:
            return False
        if not is_filling_due():
            return False
        argv = [sys.executable, "manage.py", "load_corpus", "--missing"]
        _filling = subprocess.Popen(argv, cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL)
        return True
