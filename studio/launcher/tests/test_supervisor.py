"""Order, readiness, restarts and giving up, on small real processes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.launcher import supervisor as module
from studio.launcher.errors import LauncherError
from studio.launcher.process import Command, rotate, tail
from studio.launcher.signals import Signals
from studio.launcher.supervisor import Part, Supervisor
from studio.launcher.tests.conftest import eventually

pytestmark = pytest.mark.processes

SLEEP = "import time; time.sleep(60)"


@pytest.fixture
def signals() -> Iterator[Signals]:
    with Signals() as opened:
        yield opened


@pytest.fixture
def command(tmp_path: Path) -> Callable[[str, str], Command]:
    def make(name: str, code: str) -> Command:
        argv = (sys.executable, "-S", "-c", code)
        return Command(name, argv, {}, tmp_path / f"{name}.log", stop_seconds=2.0)

    return make


Make = Callable[[str, str], Command]


def test_a_part_starts_only_when_what_it_needs_is_ready(
    command: Make, signals: Signals, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    step = command("step", f"import time; time.sleep(0.3); open({str(mark)!r}, 'w')")
    reader = command("reader", f"open({str(mark)!r}); {SLEEP}")
    supervisor = Supervisor(
        [Part(reader, needs=("step",)), Part(step, once=True)], signals, lambda _line: None
    )
    supervisor.run_until(supervisor.ready)
    assert mark.exists()
    supervisor.stop()


def test_ready_means_what_the_probe_says(command: Make, signals: Signals) -> None:
    asked: list[float] = []

    def on_third() -> bool:
        asked.append(time.monotonic())
        return len(asked) == 3

    supervisor = Supervisor(
        [Part(command("slow", SLEEP), ready=on_third)], signals, lambda _line: None
    )
    supervisor.run_until(supervisor.ready)
    assert len(asked) == 3
    supervisor.stop()


def test_a_probe_that_never_agrees_ends_the_start(command: Make, signals: Signals) -> None:
    part = Part(command("deaf", SLEEP), ready=lambda: False, within=0.3)
    supervisor = Supervisor([part], signals, lambda _line: None)
    with pytest.raises(LauncherError, match="deaf did not start within 0 s"):
        supervisor.run_until(supervisor.ready)
    supervisor.stop()


def test_a_failed_step_says_its_last_words(command: Make, signals: Signals) -> None:
    part = Part(command("step", "import sys; sys.exit('the table is gone')"), once=True)
    supervisor = Supervisor([part], signals, lambda _line: None)
    with pytest.raises(LauncherError, match=r"step failed \(exit code 1\).*the table is gone"):
        supervisor.run_until(supervisor.ready)


def test_a_crash_is_said_once_and_the_part_comes_back(
    command: Make, signals: Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.05)
    mark = tmp_path / "mark"
    code = (
        f"import os, time\nif not os.path.exists({str(mark)!r}):\n"
        f"    open({str(mark)!r}, 'w'); os._exit(7)\ntime.sleep(60)"
    )
    said: list[str] = []
    supervisor = Supervisor(
        [Part(command("worker", code), ready=mark.exists)], signals, said.append
    )
    supervisor.run_until(lambda: bool(said) and supervisor.ready())
    assert len(said) == 1
    assert "exit code 7" in said[0]
    supervisor.stop()


def test_a_part_that_keeps_crashing_ends_the_studio_with_the_reason(
    command: Make, signals: Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.05)
    said: list[str] = []
    part = Part(command("worker", "import sys; sys.exit('no such setting')"))
    supervisor = Supervisor([part], signals, said.append)
    with pytest.raises(LauncherError, match=r"stopped 5 times in a minute.*no such setting"):
        supervisor.run_until(lambda: False)
    assert len(said) == module.CRASHES - 1


def test_a_part_that_is_not_essential_rests_while_the_others_go_on(
    command: Make, signals: Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.05)
    monkeypatch.setattr(module, "RESTING_PAUSE", 0.2)
    said: list[str] = []
    beat = Part(command("beat", "import sys; sys.exit('no such setting')"), essential=False)
    web = Part(command("web", SLEEP))
    supervisor = Supervisor([beat, web], signals, said.append)

    def tries() -> int:
        return beat.command.log.read_text().count("no such setting") if said else 0

    supervisor.run_until(lambda: tries() == module.CRASHES + 2)
    assert supervisor.ready("web")
    supervisor.stop()
    assert len(said) == module.CRASHES
    for words in (
        "scheduler keeps stopping",
        "no such setting",
        "The rest of the studio keeps running",
    ):
        assert words in said[-1]


def test_a_part_that_is_not_essential_and_never_comes_up_ends_nothing(
    command: Make, signals: Signals
) -> None:
    said: list[str] = []
    model = Part(command("llm", SLEEP), ready=lambda: False, within=0.2, essential=False)
    supervisor = Supervisor([model, Part(command("web", SLEEP))], signals, said.append)
    supervisor.run_until(lambda: len(said) == 2)
    supervisor.stop()
    assert said[0] == "The embedded model did not start within 0 s."
    assert "Starting it again" in said[1]


@pytest.mark.parametrize(
    ("code", "ready", "ends"),
    [
        ("import sys; sys.exit(3)", False, True),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", False, False),
        ("import sys, time; time.sleep(0.4); sys.exit(3)", True, False),
    ],
    ids=["ended before it was ready", "killed", "was ready"],
)
def test_only_an_end_by_itself_before_it_was_ready_is_explained(
    command: Make, signals: Signals, code: str, ready: bool, ends: bool
) -> None:
    said: list[str] = []
    part = Part(command("postgres", code), ready=lambda: ready, explain=lambda _lines: "Damaged.")
    supervisor = Supervisor([part], signals, said.append)
    if ends:
        with pytest.raises(LauncherError, match=r"^Damaged\.$"):
            supervisor.run_until(lambda: bool(said))
    else:
        supervisor.run_until(lambda: bool(said))
        assert "Starting it again" in said[0]
    supervisor.stop()


def test_a_part_that_was_ready_and_keeps_crashing_is_not_called_damaged(
    command: Make, signals: Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.05)
    code = "import time; time.sleep(0.2); raise SystemExit('out of memory')"
    part = Part(command("postgres", code), explain=lambda _lines: "Move it away.")
    supervisor = Supervisor([part], signals, lambda _line: None)
    with pytest.raises(LauncherError, match=r"5 times in a minute.*out of memory"):
        supervisor.run_until(lambda: False)


def test_a_step_that_is_not_due_is_left_out(command: Make, signals: Signals) -> None:
    step = Part(command("migrate", "raise SystemExit(1)"), once=True, due=lambda _say: False)
    web = Part(command("web", SLEEP), needs=("migrate",))
    supervisor = Supervisor([step, web], signals, lambda _line: None)
    supervisor.run_until(supervisor.ready)
    supervisor.stop()


def has_text(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def test_a_part_that_ignores_the_request_to_stop_is_killed_with_its_helpers(
    command: Make, signals: Signals, tmp_path: Path
) -> None:
    helper = tmp_path / "helper"
    code = (
        "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"pid = os.fork()\nif pid: open({str(helper)!r}, 'w').write(str(pid))\ntime.sleep(60)"
    )
    part = Part(
        command("stubborn", code), ready=lambda: helper.exists() and helper.stat().st_size > 0
    )
    supervisor = Supervisor([part], signals, lambda _line: None)
    supervisor.run_until(supervisor.ready)
    supervisor.stop()
    assert eventually(lambda: not alive(int(helper.read_text())), seconds=5)


def alive(number: int) -> bool:
    """Running or asleep; not gone, and not just waiting for a parent to take note."""
    try:
        return Path(f"/proc/{number}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_logs_keep_one_older_file_and_their_writer(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    with log.open("ab") as writer:
        writer.write(b"old line\n" * 100)
        writer.flush()
        rotate(log, 90)
        writer.write(b"new line\n")
    assert log.read_bytes() == b"new line\n"
    assert (tmp_path / "web.log.1").read_bytes() == b"old line\n" * 10
    assert tail(log) == ["new line"]
