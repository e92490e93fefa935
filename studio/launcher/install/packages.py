"""The virtual environment and the locked packages in it."""

import hashlib
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from studio.launcher.console import Job, Progress
from studio.launcher.errors import LauncherError, disk_space
from studio.launcher.install.pip_settings import uv_environment
from studio.launcher.install.programs import Programs

NEED_MB = 3_500
TAIL = 12


class Packages:
    """`.venv` of a clone: complete, or made again. Each stamp is removed before what it vouches for
    changes, and written last. `made` vouches for the environment, a lock's stamp for its
    packages."""

    def __init__(self, root: Path, programs: Programs | None = None) -> None:
        self.root = root
        # Several clones may share one by a link: it is then one installation.
        self.folder = (root / ".venv").resolve()
        self.python = self.folder / "bin" / "python"
        self.programs = programs or Programs()
        self.environment_made = threading.Event()
        self._one_installer = threading.Lock()

    def stale(self, locks: tuple[str, ...]) -> bool:
        return not self.python.exists() or any(not self._installed(lock) for lock in locks)

    def make_environment(self, progress: Progress) -> None:
        """Create `.venv`. Create it again if it is unfinished or its Python no longer starts."""
        disk_space(self.root, need_mb=NEED_MB if not self.python.exists() else 200, purpose=".venv")
        if self._usable():
            return
        for stamp in self.folder.glob("*.stamp"):
            stamp.unlink()
        shutil.rmtree(self.folder, ignore_errors=True)
        job = progress.begin("Python environment")
        done = self.programs.run([sys.executable, "-m", "venv", str(self.folder)])
        if done.code != 0:
            raise LauncherError(
                f"{sys.executable} could not make a virtual environment in {self.folder}: "
                f"{last_line(done.text)} On Debian and Ubuntu install python3-venv."
            )
        self._stamp("made").write_text("made")
        progress.end(job, "Python environment made")

    def install(self, locks: tuple[str, ...], progress: Progress) -> None:
        """Install the locks that are missing, then check that torch can be imported."""
        try:
            self.make_environment(progress)
        finally:
            self.environment_made.set()
        job = progress.begin("Python packages")
        missing = [lock for lock in locks if not self._installed(lock)]
        interrupted = self._marker().exists()
        self._marker().touch()
        for lock in missing:
            self._stamp(lock).unlink(missing_ok=True)
        before = self._count()
        files = [self.root / "requirements" / f"{lock}.lock" for lock in missing]
        total = sum(len(pins(path)) for path in files)
        with counting(job, lambda: self._count() - before, total):
            self._install_files(files, job, again=interrupted)
        if "base" in missing:
            self._check_torch(job, progress)
        for lock in missing:
            self._stamp(lock).write_text(self._wanted(lock))
        self._marker().unlink()
        progress.end(job, f"{total} Python packages in .venv")

    def add(self, requirement: str, job: Job) -> None:
        """Install one more package with its dependencies, beside the locks (for example Node)."""
        if self.stale(("base",)):
            self.environment_made.wait()
        command = self._installer(job)
        self._run([*command, "--no-deps", again_option(command), requirement], job)

    def _install_files(self, files: list[Path], job: Job, *, again: bool) -> None:
        command = self._installer(job)
        # A package cut off half-way may look installed.
        options = ["--no-deps", *([again_option(command)] if again else [])]
        for path in files:
            options += ["-r", str(path)]
        if files:
            self._run([*command, *options], job)

    def _installer(self, job: Job) -> list[str]:
        """uv from its pinned wheel, or pip if uv can't be installed."""
        pip = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check"]
        uv = str(self.python.with_name("uv"))
        with self._one_installer:
            if not self._installed("installer"):
                job.note = "the installer"
                lock = str(self.root / "requirements" / "installer.lock")
                done = self.programs.run([*pip, "--quiet", "--force-reinstall", "-r", lock])
                if done.code == 0 and self.programs.run([uv, "--version"]).code == 0:
                    self._stamp("installer").write_text(self._wanted("installer"))
        if self._installed("installer"):
            return [uv, "pip", "install", "--python", str(self.python)]
        return [*pip, "--no-compile", "--progress-bar", "off"]

    def _run(self, command: list[str], job: Job) -> None:
        def note(line: str) -> None:
            if line.strip().lower().startswith(("downloading", "collecting", "installing")):
                job.note = line.strip()[:60]

        environment = uv_environment(self.python)
        done = self.programs.run(command, folder=self.root, environment=environment, heard=note)
        if done.code != 0:
            raise LauncherError(
                f"Installing Python packages failed: {reason(done.lines)} Check the network and "
                "pip's configuration (`pip config list`), then start again. Everything "
                "installed so far is kept."
            )

    def _check_torch(self, job: Job, progress: Progress) -> None:
        """Fetch CUDA's libraries if this torch needs them: without them its import fails."""
        job.note = "trying torch"
        test = self.programs.run([str(self.python), "-c", "import torch"])
        if test.code == 0:
            return
        progress.say(f"torch needs more packages ({last_line(test.text)}). Installing them.")
        base = pins(self.root / "requirements" / "base.lock")
        self._run(
            [*self._installer(job), next(pin for pin in base if pin.startswith("torch=="))], job
        )

    def _usable(self) -> bool:
        """Whether it was finished once and its Python and pip still work. A stamp of packages also
        counts: older versions of the studio wrote no stamp for the environment alone."""
        if not self.python.exists() or not any(self.folder.glob("*.stamp")):
            return False
        return self.programs.run([str(self.python), "-m", "pip", "--version"]).code == 0

    def _count(self) -> int:
        return sum(1 for _ in self.folder.glob("lib/python3*/site-packages/*.dist-info"))

    def _marker(self) -> Path:
        return self.folder / "installing"

    def _installed(self, lock: str) -> bool:
        try:
            return self._stamp(lock).read_text() == self._wanted(lock)
        except OSError:
            return False

    def _stamp(self, name: str) -> Path:
        return self.folder / f"{name}.stamp"

    def _wanted(self, lock: str) -> str:
        text = (self.root / "requirements" / f"{lock}.lock").read_bytes()
        place = os.fsencode(self.folder)  # scripts in .venv name it: a moved clone is a new one
        return hashlib.sha256(text + place).hexdigest()


@contextmanager
def counting(job: Job, count: Callable[[], int], total: int) -> Iterator[None]:
    """While it is open, the job's note counts installed packages: `57 of 117`."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.3):
            doing = job.note.split(" · ")[-1]
            found = min(max(count(), 0), total)  # a reinstallation first removes some
            job.note = f"{found} of {total} · {doing}"

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def again_option(command: list[str]) -> str:
    """The option that makes this installer reinstall what it thinks is installed."""
    return "--reinstall" if Path(command[0]).name == "uv" else "--force-reinstall"


def pins(path: Path) -> list[str]:
    """The requirement lines of a lock."""
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def last_line(text: str) -> str:
    found = [line.strip() for line in text.splitlines() if line.strip()]
    return found[-1] if found else "The installer gave no reason."


def reason(said: list[str]) -> str:
    """The line of an installer's output that says what went wrong."""
    telling = [
        line.strip()
        for line in said
        if line.strip().lower().startswith(("error", "cause", "caused by", "×", "╰"))
    ]
    return " ".join(telling[:3]) or last_line("\n".join(said[-TAIL:]))
