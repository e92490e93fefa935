"""A studio of the newest schema of before comes up, and its API says what it said before."""

from __future__ import annotations

import gzip
import json
import signal
from pathlib import Path
from typing import Any

import pytest
import requests

from studio.launcher.tests.test_up import start

pytestmark = [pytest.mark.processes, pytest.mark.timeout(240)]

BEFORE = Path(__file__).parent / "upgrade"
TOKEN = """
from datetime import timedelta
from django.utils import timezone
from apps.accounts.models import User
from apps.accounts.services import token_create
until = timezone.now() + timedelta(days=1)
admin = User.objects.get(username="admin")
print("secret", token_create(user=admin, name="t", scopes=["read", "curate"], expires_at=until)[1])
"""


def lost(before: Any, now: Any, place: str = "") -> list[str]:
    """Where `now` lacks what was there, or says something else. New fields are no loss."""
    if isinstance(before, dict) and isinstance(now, dict):
        gone = [f"{place}.{name} is gone" for name in before.keys() - now.keys()]
        both = before.keys() & now.keys()
        return gone + [w for name in both for w in lost(before[name], now[name], f"{place}.{name}")]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = enumerate(zip(before, now, strict=True))
        return [w for i, (old, new) in pairs for w in lost(old, new, f"{place}[{i}]")]
    return [] if before == now else [f"{place}: {before!r} is {now!r}"]


def test_every_run_cell_training_and_checkpoint_is_there_with_equal_answers(
    tmp_path: Path,
) -> None:
    studio = start(tmp_path / "data", "--no-llm")
    try:
        loaded = studio.command("restore", str(BEFORE))
        assert loaded.returncode == 0, loaded.stderr
        made = studio.command("manage", "shell", "--no-imports", "-c", TOKEN)
        secret = made.stdout.strip().rsplit(" ", 1)[-1]
        headers = {"Authorization": f"Bearer {secret}"}
        answers = json.loads(gzip.decompress((BEFORE / "answers.json.gz").read_bytes()))
        assert len(answers) > 90
        for path, before in answers.items():
            answer = requests.get(studio.address + path, headers=headers, timeout=60)
            assert answer.status_code == 200, f"{path}: {answer.text[:300]}"
            assert lost(before, answer.json(), path) == []
    finally:
        studio.launched.process.send_signal(signal.SIGTERM)
        studio.launched.process.wait(60)
