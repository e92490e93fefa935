"""No process outlives its launcher, however the launcher ends; data survives all of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.launcher.tests.conftest import Launched, eventually

pytestmark = pytest.mark.processes

Launch = Callable[..., Launched]
Open = Callable[[], subprocess.CompletedProcess[str]]

SERVE = """
import os, sys, time
from studio.launcher.__main__ import main
from studio.launcher import manage
command = "import time; print('serving', flush=True); time.sleep(99)"
manage.PROGRAM[:] = [sys.executable, "-c", command]
sys.argv = ["studio", "manage"]
sys.exit(main())
"""


def serving(launch: Launch) -> Launched:
    """Services and a command on them; returns once the command runs."""
    launched = launch(code=SERVE)
    assert launched.process.stdout is not None
    for line in launched.process.stdout:
        if line.strip() == "serving":
            assert len(launched.family()) >= 3  # postgres and its helpers, redis, the command
            return launched
    raise AssertionError(f"it ended with {launched.process.wait()}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_termination_and_a_closed_terminal_leave_nothing(
    launch: Launch, number: int
) -> None:
    launched = serving(launch)
    launched.kill(number)
    assert launched.process.wait(timeout=30) == 130
    assert eventually(lambda: launched.family() == [], seconds=5)
    assert not (launched.data / "postgres" / "postmaster.pid").exists()


def test_kill_9_leaves_nothing_and_the_next_start_recovers(launch: Launch, open_data: Open) -> None:
    launched = serving(launch)
    launched.kill(signal.SIGKILL)
    launched.process.wait(timeout=10)
    assert eventually(lambda: launched.family() == [])
    assert open_data().returncode == 0


def test_a_database_killed_with_its_launcher_recovers(launch: Launch, open_data: Open) -> None:
    launched = serving(launch)
    lock = launched.data / "postgres" / "postmaster.pid"
    postmaster = int(lock.read_text().split()[0])
    launched.kill(signal.SIGSTOP)  # it cannot tidy up
    os.kill(postmaster, signal.SIGKILL)
    launched.kill(signal.SIGKILL)
    launched.process.wait(timeout=10)
    assert eventually(lambda: launched.family() == [])
    assert lock.exists()
    assert open_data().returncode == 0


def test_a_lock_of_a_number_now_used_by_another_program_is_no_obstacle(
    open_data: Open, data: Path
) -> None:
    assert open_data().returncode == 0
    lock = data / "postgres" / "postmaster.pid"
    lock.write_text(f"{os.getpid()}\n{data}/postgres\n1700000000\n5432\n\n127.0.0.1\n\nready\n")
    lock.chmod(0o644)
    assert open_data().returncode == 0


def test_an_interrupted_first_start_is_made_good(open_data: Open, data: Path) -> None:
    (data / "postgres.new" / "cluster").mkdir(parents=True)
    (data / "postgres.new" / "cluster" / "PG_VERSION").write_text("18\n")
    assert open_data().returncode == 0
    assert (data / "postgres" / "PG_VERSION").exists()


def test_a_crashed_database_is_started_again(launch: Launch) -> None:
    launched = serving(launch)
    lock = launched.data / "postgres" / "postmaster.pid"
    first = lock.read_text().split()[0]
    os.kill(int(first), signal.SIGKILL)
    assert launched.process.stdout is not None
    assert (
        "The database stopped (signal 9). Starting it again" in launched.process.stdout.readline()
    )

    def another_is_ready() -> bool:
        words = lock.read_text().split() if lock.exists() else []
        return bool(words) and words[0] != first and words[-1] == "ready"

    assert eventually(another_is_ready)


KNOCK = """
import psycopg, sys
for _ in range(40):
    try:
        psycopg.connect(sys.argv[1], connect_timeout=1).close()
    except psycopg.OperationalError:
        pass
"""


def test_clients_that_were_refused_do_not_make_a_crashed_database_damaged(launch: Launch) -> None:
    launched = serving(launch)
    lock = launched.data / "postgres" / "postmaster.pid"
    log = launched.data / "logs" / "postgres.log"
    first, _, _, port = lock.read_text().split("\n")[:4]
    url = f"postgresql://nobody:wrong@127.0.0.1:{port}/none"
    subprocess.run([sys.executable, "-c", KNOCK, url], check=True)
    assert "client backend FATAL:" in log.read_text()
    os.kill(int(first), signal.SIGKILL)

    def another_is_ready() -> bool:
        words = lock.read_text().split() if lock.exists() else []
        return bool(words) and words[0] != first and words[-1] == "ready"

    assert eventually(another_is_ready)
    assert launched.process.poll() is None


def test_a_second_start_says_that_one_is_running(launch: Launch, open_data: Open) -> None:
    serving(launch)
    done = open_data()
    assert done.returncode == 3
    assert len(done.stderr.strip().splitlines()) == 1
    assert "is starting or stopping" in done.stderr


def test_only_the_owner_can_read_the_data(open_data: Open, data: Path) -> None:
    assert open_data().returncode == 0
    assert data.stat().st_mode & 0o777 == 0o700
    secrets = data / "secrets.json"
    assert secrets.stat().st_mode & 0o777 == 0o600
    assert len(set(json.loads(secrets.read_text()).values())) == 4
    assert (data / "redis" / "redis.conf").stat().st_mode & 0o777 == 0o600
    assert not (data / "postgres.password").exists()
