"""Apps name tasks by text: every name is that of a task."""

import re
from pathlib import Path

from celery import current_app

APPS = Path(__file__).resolve().parents[3] / "apps"
NAME = re.compile(r'"(workers\.tasks\.[\w.]+)"')


def test_every_task_that_an_app_sends_is_registered() -> None:
    current_app.loader.import_default_modules()
    files = [file for file in APPS.rglob("*.py") if "tests" not in file.parts]
    sent = {name for file in files for name in NAME.findall(file.read_text())}
    assert len(sent) >= 5
    assert sent <= set(current_app.tasks)
