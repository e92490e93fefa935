"""`bin/studio up`, ended at each moment of a first start: the next one comes up, whole."""

import http.client
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from studio.launcher.tests.conftest import eventually
from studio.launcher.tests.first_start import FILES, environment, make_clone

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]


@dataclass(slots=True)
class Clone:
    """A clone under test, its data, and the `up` that was started last."""

    root: Path
    process: subprocess.Popen[str] | None = None

    @property
    def data(self) -> Path:
        return self.root.with_name("data")

    @property
    def said(self) -> str:
        return self.root.with_name("said").read_text()

    def up(self) -> subprocess.Popen[str]:
        with self.root.with_name("said").open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "bin/studio", "up", "--port", "0", "--no-llm"],
                cwd=self.root,
                env=environment(self.root),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
            )
        return self.process

    def comes_up(self) -> None:
        """The next start: its page answers, and what it installed is whole."""
        process = self.up()
        assert eventually(lambda: self.is_up() or process.poll() is not None, seconds=140)
        found = re.search(r"up at http://(\S+)", self.said)
        assert found, self.said
        address = urlsplit(f"//{found.group(1)}")
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"pages"
        connection.close()
        assert len(list(self.root.glob(".venv/lib/*/site-packages/bulk/part*.py"))) == FILES
        assert len(list(self.root.glob("frontend/node_modules/bulk/part*.js"))) == FILES
        assert (self.root / "frontend" / "dist" / "index.html").exists()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0, self.said

    def is_up(self) -> bool:
        return "Ctrl-C stops everything" in self.said

    def family(self) -> list[str]:
        """What still runs in this clone or its data."""
        mark = str(self.root.parent).encode()
        return [words for words in map(command_of, processes()) if mark in words.encode()]

    def without(self, *patterns: str) -> None:
        """Take away what the stage under test makes, as before a first start."""
        for pattern in patterns:
            for path in self.root.parent.glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def command_of(number: int) -> str:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    made = Clone(make_clone(tmp_path_factory.mktemp("first") / "clone"))
    yield made
    if made.process is not None and made.process.poll() is None:
        made.process.kill()


@dataclass(frozen=True, slots=True)
class Stage:
    """`reached` says that a start is in the middle of it; None: it holds itself there. `ended_by`
    is Ctrl-C, SIGTERM of `bin/studio stop`, or a kill, after which nothing can be tidied up."""

    name: str
    without: tuple[str, ...]
    reached: Callable[[Clone], bool] | None = None
    ended_by: signal.Signals = signal.SIGKILL


def exists(pattern: str) -> Callable[[Clone], bool]:
    return lambda clone: any(clone.root.parent.glob(pattern))


def runs(words: str) -> Callable[[Clone], bool]:
    return lambda clone: any(words in line for line in clone.family())


STAMP = "clone/.venv/base.stamp"
STAGES = (
    Stage("environment", ("clone/.venv",), exists("clone/.venv/lib/*/site-packages/pip/_vendor")),
    Stage("installer", (STAMP, "clone/.venv/installer.stamp"), runs("installer.lock")),
    Stage(
        "packages",
        (STAMP, "uv-cache", "clone/.venv/lib/*/site-packages/bulk*"),
        exists("clone/.venv/lib/*/site-packages/bulk"),
    ),
    Stage("torch", (STAMP,), ended_by=signal.SIGTERM),
    Stage(
        "npm packages",
        ("clone/frontend/node_modules", "clone/frontend/dist"),
        exists("clone/frontend/node_modules/bulk"),
        signal.SIGINT,
    ),
    Stage("build", ("clone/frontend/dist",)),
    Stage("database set-up", ("data",), exists("data/postgres.new/cluster/*")),
    Stage("database", ("data",), exists("data/postgres/postmaster.pid")),
    Stage("migrate", ("data",), ended_by=signal.SIGTERM),
    Stage("bootstrap", ("data",)),
    Stage("web", ("data",), ended_by=signal.SIGINT),
    Stage("workers", ("data",), Clone.is_up),
)


def begin(clone: Clone, stage: Stage) -> subprocess.Popen[str]:
    """A first start that is in the middle of this stage."""
    clone.without(*stage.without, "clone/hold-*", "clone/held-*")
    reached = stage.reached or exists(f"clone/held-{stage.name}")
    if stage.reached is None:
        (clone.root / f"hold-{stage.name}").touch()
    process = clone.up()
    assert eventually(lambda: reached(clone) or process.poll() is not None, seconds=140), clone.said
    assert process.poll() is None, clone.said
    (clone.root / f"hold-{stage.name}").unlink(missing_ok=True)
    return process


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_start_after_one_that_was_ended_there_comes_up(clone: Clone, stage: Stage) -> None:
    process = begin(clone, stage)
    process.send_signal(stage.ended_by)
    code = process.wait(timeout=60)
    if stage.ended_by != signal.SIGKILL:
        assert code in (0, 130)
        assert "Stopped." in clone.said
        assert eventually(lambda: clone.family() == [], seconds=1), clone.family()
    clone.comes_up()
