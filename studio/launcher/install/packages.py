"""The virtual environment and the locked packages in it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from studio.launcher.console import Job, Progress
from studio.launcher.errors import LauncherError, disk_space
from studio.launcher.install.pip_settings import uv_environment

NEED_MB = 3_500
TAIL = 12


def uv_program(python: Path) -> list[str]:
    """uv, as installed beside this Python."""
    return [str(python.parent / "uv")]


class Packages:
    """`.venv` of a clone. A stamp per lock says what is in it; a stamp is written last."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.python = self.folder / "bin" / "python"
        self.environment_made = threading.Event()

    def stale(self, locks: tuple[str, ...]) -> bool:
        return any(self._stamp(lock) != self._wanted(lock) for lock in locks)

    def make_environment(self, progress: Progress) -> None:
        """Create `.venv`, or again where its Python no longer starts."""
        disk_space(self.root, need_mb=NEED_MB if not self.python.exists() else 200, purpose=".venv")
        if self._usable():
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        job = progress.begin("Python environment")
        command = [sys.executable, "-m", "venv", str(self.folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise LauncherError(
                f"{sys.executable} cannot make a virtual environment in {self.folder}: "
                f"{last_line(done.stdout + done.stderr)} On Debian and Ubuntu install python3-venv."
            )
        progress.end(job, "Python environment made")

    def install(self, locks: tuple[str, ...], progress: Progress) -> None:
        """Install the locks that are not yet in, then see that torch can be imported."""
        try:
            self.make_environment(progress)
        finally:
            self.environment_made.set()
        job = progress.begin("Python packages")
        missing = [lock for lock in locks if self._stamp(lock) != self._wanted(lock)]
        interrupted = self._marker().exists()
        self._marker().touch()
        before = self._count()
        files = [self.root / "requirements" / f"{lock}.lock" for lock in missing]
        total = sum(len(pins(path)) for path in files)
        with counting(job, lambda: self._count() - before, total):
            self._install_files(files, job, again=interrupted)
        if "base" in missing:
            self._check_torch(job, progress)
        for lock in missing:
            (self.folder / f"{lock}.stamp").write_text(self._wanted(lock))
        self._marker().unlink()
        progress.end(job, f"{total} Python packages are in .venv")

    def add(self, requirement: str, job: Job) -> None:
        """Install one more package, beside the locks (Node where the machine has none)."""
        if self.stale(("base",)):
            self.environment_made.wait()
        self._run([*self._installer(job), "--no-deps", requirement], job)

    def _install_files(self, files: list[Path], job: Job, *, again: bool) -> None:
        command = [*self._installer(job), "--no-deps"]
        for path in files:
            command += ["-r", str(path)]
        # A package cut off half-way may look installed.
        repair = ["--reinstall" if "uv" in Path(command[0]).name else "--force-reinstall"]
        self._run([*command, *(repair if again else [])], job)

    def _installer(self, job: Job) -> list[str]:
        """uv from its pinned wheel; pip itself where uv cannot be had."""
        pip = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check"]
        uv = uv_program(self.python)
        if not Path(uv[0]).exists():
            job.note = "the installer"
            lock = str(self.root / "requirements" / "installer.lock")
            subprocess.run([*pip, "--quiet", "-r", lock], capture_output=True, check=False)
        if Path(uv[0]).exists():
            return [*uv, "pip", "install", "--python", str(self.python)]
        return [*pip, "--no-compile", "--progress-bar", "off"]

    def _run(self, command: list[str], job: Job) -> None:
        process = subprocess.Popen(
            command,
            cwd=self.root,
            env=uv_environment(self.python),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said: list[str] = []
        assert process.stdout is not None  # noqa: S101 - asked for as a pipe just above
        for line in process.stdout:
            said.append(line.rstrip())
            if line.strip().lower().startswith(("downloading", "collecting", "installing")):
                job.note = line.strip()[:60]
        if process.wait() != 0:
            raise LauncherError(
                f"Installing Python packages failed: {reason(said)} "
                "Check the network and pip's configuration (`pip config list`), then start again; "
                "what is already installed is kept."
            )

    def _check_torch(self, job: Job, progress: Progress) -> None:
        """A torch built for CUDA does not even import without its libraries: fetch them then."""
        job.note = "trying torch"
        test = subprocess.run(
            [str(self.python), "-c", "import torch"], capture_output=True, text=True, check=False
        )
        if test.returncode == 0:
            return
        progress.say(f"torch needs more packages ({last_line(test.stderr)}); installing them.")
        base = pins(self.root / "requirements" / "base.lock")
        self._run(
            [*self._installer(job), next(pin for pin in base if pin.startswith("torch=="))], job
        )

    def _usable(self) -> bool:
        if not self.python.exists():
            return False
        test = subprocess.run(
            [str(self.python), "-c", "import pip"], capture_output=True, check=False
        )
        return test.returncode == 0

    def _count(self) -> int:
        return sum(1 for _ in self.folder.glob("lib/python3*/site-packages/*.dist-info"))

    def _marker(self) -> Path:
        return self.folder / "installing"

    def _stamp(self, lock: str) -> str:
        try:
            return (self.folder / f"{lock}.stamp").read_text()
        except OSError:
            return ""

    def _wanted(self, lock: str) -> str:
        text = (self.root / "requirements" / f"{lock}.lock").read_bytes()
        place = os.fsencode(self.folder)  # scripts in .venv name it: a moved clone is a new one
        return hashlib.sha256(text + place).hexdigest()


class counting:  # noqa: N801 - reads as a verb where it is used
    """While open, the job's note counts installed packages: `57 of 117`."""

    def __init__(self, job: Job, count: Callable[[], int], total: int) -> None:
        self.job, self.count, self.total = job, count, total
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.thread.join()

    def _watch(self) -> None:
        while not self.done.wait(0.3):
            doing = self.job.note.split(" · ")[-1]
            self.job.note = f"{min(self.count(), self.total)} of {self.total} · {doing}"


def pins(path: Path) -> list[str]:
    """The requirement lines of a lock."""
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def last_line(text: str) -> str:
    found = [line.strip() for line in text.splitlines() if line.strip()]
    return found[-1] if found else "no reason given."


def reason(said: list[str]) -> str:
    """The line of an installer's output that says what went wrong."""
    telling = [
        line.strip()
        for line in said
        if line.strip().lower().startswith(("error", "cause", "caused by", "×", "╰"))
    ]
    return " ".join(telling[:3]) or last_line("\n".join(said[-TAIL:]))
