"""The scheduler goes on whatever the clock does, and leaves a sign of life."""

from typing import Any

import pytest
from celery import Celery
from django.core.cache import cache

from apps.common.health import SIGN
from studio.schedule import LOOK_SECONDS, MemoryScheduler


@pytest.fixture
def scheduler() -> MemoryScheduler:
    app = Celery("test", broker="memory://")
    app.conf.beat_schedule = {"watchdog": {"task": "watchdog", "schedule": 5.0}}
    return MemoryScheduler(app)


def sent(scheduler: MemoryScheduler, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(scheduler, "apply_entry", lambda entry, **_: found.append(entry.name))
    monkeypatch.setattr(type(scheduler), "producer", None, raising=False)
    return found


def test_a_clock_that_is_set_back_silences_nothing(
    scheduler: MemoryScheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = sent(scheduler, monkeypatch)
    (entry,) = scheduler.schedule.values()
    entry.last_run_at = entry.default_now().replace(year=2099)  # of before the clock was set back
    assert scheduler.tick() <= LOOK_SECONDS
    assert found == []
    scheduler._wall += 3_600.0  # an hour ahead of what the clock says now
    scheduler.tick()
    (entry,) = scheduler.schedule.values()
    assert entry.last_run_at is not None
    assert entry.last_run_at.year < 2099
    waits, seconds = scheduler.is_due(entry)
    assert not waits
    assert 0 < seconds <= 5.0


def test_nothing_is_kept_in_a_file_and_the_next_look_is_soon(
    scheduler: MemoryScheduler, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    sent(scheduler, monkeypatch)
    assert 0 <= scheduler.tick() <= LOOK_SECONDS
    scheduler.close()
    assert list(tmp_path.iterdir()) == []


def test_it_leaves_a_sign_of_life(
    scheduler: MemoryScheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent(scheduler, monkeypatch)
    cache.delete(SIGN)
    scheduler.tick()
    assert cache.get(SIGN)
