"""Order, readiness, restarts and giving up, on small real processes."""

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
from studio.launcher.tests.conftest import alive, eventually

pytestmark = pytest.mark.processes

SLEEP = "import time; time.sleep(60)"
Make = Callable[[str, str], Command]
Supervise = Callable[..., Supervisor]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervise(said: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Supervise]:
    """A supervisor of these parts, which tells `said`; it pauses little and stops at the end."""
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.05)
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.05)
    made: list[Supervisor] = []
    with Signals() as signals:

        def make(*parts: Part) -> Supervisor:
            made.append(Supervisor(list(parts), signals, said.append))
            return made[-1]

        yield make
        for supervisor in made:
            supervisor.stop()


@pytest.fixture
def command(tmp_path: Path) -> Make:
    def make(name: str, code: str) -> Command:
        argv = (sys.executable, "-S", "-c", code)
        return Command(name, argv, {}, tmp_path / f"{name}.log", stop_seconds=2.0)

    return make


def test_a_part_starts_only_when_what_it_needs_is_ready(
    command: Make, supervise: Supervise, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    step = command("step", f"import time; time.sleep(0.3); open({str(mark)!r}, 'w')")
    reader = command("reader", f"open({str(mark)!r}); {SLEEP}")
    supervisor = supervise(Part(reader, needs=("step",)), Part(step, once=True))
    supervisor.run_until(supervisor.ready)
    assert mark.exists()


def test_ready_means_what_the_probe_says(command: Make, supervise: Supervise) -> None:
    asked: list[float] = []

    def on_third() -> bool:
        asked.append(time.monotonic())
        return len(asked) == 3

    supervisor = supervise(Part(command("slow", SLEEP), ready=on_third))
    supervisor.run_until(supervisor.ready)
    assert len(asked) == 3


def test_a_probe_that_never_agrees_ends_the_start(command: Make, supervise: Supervise) -> None:
    supervisor = supervise(Part(command("deaf", SLEEP), ready=lambda: False, within=0.3))
    with pytest.raises(LauncherError, match="deaf did not start within 0 s"):
        supervisor.run_until(supervisor.ready)


def test_a_failed_step_says_its_last_words(command: Make, supervise: Supervise) -> None:
    step = Part(command("step", "import sys; sys.exit('the table is gone')"), once=True)
    supervisor = supervise(step)
    with pytest.raises(LauncherError, match=r"step failed \(exit code 1\).*the table is gone"):
        supervisor.run_until(supervisor.ready)


def test_a_crash_is_said_once_and_the_part_comes_back(
    command: Make, supervise: Supervise, said: list[str], tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    code = (
        f"import os, time\nif not os.path.exists({str(mark)!r}):\n"
        f"    open({str(mark)!r}, 'w'); os._exit(7)\ntime.sleep(60)"
    )
    supervisor = supervise(Part(command("worker", code), ready=mark.exists))
    supervisor.run_until(lambda: bool(said) and supervisor.ready())
    assert len(said) == 1
    assert "exit code 7" in said[0]


def test_a_part_that_keeps_crashing_ends_the_studio_with_the_reason(
    command: Make, supervise: Supervise, said: list[str]
) -> None:
    """It was ready, so it is not called damaged."""
    code = "import time; time.sleep(0.2); raise SystemExit('out of memory')"
    part = Part(command("postgres", code), explain=lambda _lines: "Move it away.")
    with pytest.raises(LauncherError, match=r"stopped 5 times in a minute.*out of memory"):
        supervise(part).run_until(lambda: False)
    assert len(said) == module.CRASHES - 1


def test_a_part_that_is_not_essential_rests_while_the_others_go_on(
    command: Make, supervise: Supervise, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RESTING_PAUSE", 0.2)
    beat = Part(command("beat", "import sys; sys.exit('no such setting')"), essential=False)
    web = Part(command("web", SLEEP))
    supervisor = supervise(beat, web)

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
    command: Make, supervise: Supervise, said: list[str]
) -> None:
    model = Part(command("llm", SLEEP), ready=lambda: False, within=0.2, essential=False)
    supervisor = supervise(model, Part(command("web", SLEEP)))
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
    command: Make, supervise: Supervise, said: list[str], *, code: str, ready: bool, ends: bool
) -> None:
    part = Part(command("postgres", code), ready=lambda: ready, explain=lambda _lines: "Damaged.")
    supervisor = supervise(part)
    if ends:
        with pytest.raises(LauncherError, match=r"^Damaged\.$"):
            supervisor.run_until(lambda: bool(said))
    else:
        supervisor.run_until(lambda: bool(said))
        assert "Starting it again" in said[0]


def test_a_step_that_is_not_due_is_left_out(command: Make, supervise: Supervise) -> None:
    step = Part(command("migrate", "raise SystemExit(1)"), once=True, due=lambda _say: False)
    web = Part(command("web", SLEEP), needs=("migrate",))
    supervisor = supervise(step, web)
    supervisor.run_until(supervisor.ready)


def has_text(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def test_a_part_that_ignores_the_request_to_stop_is_killed_with_its_helpers(
    command: Make, supervise: Supervise, tmp_path: Path
) -> None:
    helper = tmp_path / "helper"
    code = (
        "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"pid = os.fork()\nif pid: open({str(helper)!r}, 'w').write(str(pid))\ntime.sleep(60)"
    )
    supervisor = supervise(Part(command("stubborn", code), ready=lambda: has_text(helper)))
    supervisor.run_until(supervisor.ready)
    supervisor.stop()
    assert eventually(lambda: not alive(int(helper.read_text())), seconds=5)


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
