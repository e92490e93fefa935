"""No process outlives its launcher, however the launcher ends; data survives all of it."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from studio.launcher.tests.conftest import Launched, eventually, on_services

pytestmark = pytest.mark.processes

Launch = Callable[..., Launched]
Open = Callable[[], subprocess.CompletedProcess[str]]

SERVE = on_services("import time; print('serving', flush=True); time.sleep(99)")


def serving(launch: Launch) -> Launched:
    """Services and a command on them; returns once the command runs."""
    launched = launch(code=SERVE)
    assert launched.process.stdout is not None
    for line in launched.process.stdout:
        if line.strip() == "serving":
            assert len(launched.family()) >= 3  # postgres and its helpers, redis, the command
            return launched
    raise AssertionError(f"it ended with {launched.process.wait()}")


def test_ctrl_c_termination_and_a_closed_terminal_leave_nothing(launch: Launch) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        launched = serving(launch)
        launched.kill(number)
        assert launched.process.wait(timeout=30) == 130
        assert launched.is_gone(seconds=5)
        assert not (launched.data / "postgres" / "postmaster.pid").exists()


def test_kill_9_leaves_nothing_and_the_next_start_recovers(launch: Launch, open_data: Open) -> None:
    launched = serving(launch)
    second = open_data()
    assert second.returncode == 3
    assert len(second.stderr.strip().splitlines()) == 1
    assert "is starting or stopping" in second.stderr
    launched.kill(signal.SIGKILL)
    launched.process.wait(timeout=10)
    assert launched.is_gone()

    launched = serving(launch)
    lock = launched.data / "postgres" / "postmaster.pid"
    launched.kill(signal.SIGSTOP)  # it cannot tidy up
    os.kill(holder(lock), signal.SIGKILL)
    launched.kill(signal.SIGKILL)
    launched.process.wait(timeout=10)
    assert launched.is_gone()
    assert lock.exists()
    assert open_data().returncode == 0

    # A lock of a number that another program now has.
    lock.write_text(f"{os.getpid()}\n{lock.parent}\n1700000000\n5432\n\n127.0.0.1\n\nready\n")
    lock.chmod(0o644)
    assert open_data().returncode == 0


def holder(lock: Path) -> int:
    return int(lock.read_text().split()[0])


def test_an_interrupted_first_start_is_made_good_and_only_the_owner_can_read_the_data(
    open_data: Open, data: Path
) -> None:
    (data / "postgres.new" / "cluster").mkdir(parents=True)
    (data / "postgres.new" / "cluster" / "PG_VERSION").write_text("18\n")
    assert open_data().returncode == 0
    assert (data / "postgres" / "PG_VERSION").exists()
    assert data.stat().st_mode & 0o777 == 0o700
    secrets = data / "secrets.json"
    assert secrets.stat().st_mode & 0o777 == 0o600
    assert len(set(json.loads(secrets.read_text()).values())) == 4
    assert (data / "redis" / "redis.conf").stat().st_mode & 0o777 == 0o600
    assert not (data / "postgres.password").exists()


def test_a_crashed_database_is_started_again_and_what_it_refused_does_not_make_it_damaged(
    launch: Launch,
) -> None:
    launched = serving(launch)
    lock = launched.data / "postgres" / "postmaster.pid"
    log = launched.data / "logs" / "postgres.log"
    first, _, _, port = lock.read_text().split("\n")[:4]
    url = f"postgresql://nobody:wrong@127.0.0.1:{port}/none"
    for _ in range(40):
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(url, connect_timeout=1)
    assert "client backend FATAL:" in log.read_text()
    os.kill(int(first), signal.SIGKILL)
    assert launched.process.stdout is not None
    said = launched.process.stdout.readline()
    assert "The database stopped (signal 9). Starting it again" in said

    def another_is_ready() -> bool:
        words = lock.read_text().split() if lock.exists() else []
        return bool(words) and words[0] != first and words[-1] == "ready"

    assert eventually(another_is_ready)
    assert launched.process.poll() is None
