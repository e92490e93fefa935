"""The built web pages: `frontend/dist`, rebuilt when a source file changed."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from studio.launcher.console import Job, Progress
from studio.launcher.errors import LauncherError
from studio.launcher.install.node import node_environment
from studio.launcher.install.packages import Packages, last_line

NOT_SOURCES = {"node_modules", "dist", "test-artifacts", "dev", "e2e"}


class Interface:
    """`frontend/` of a clone: its dependencies and its build, each with a stamp written last."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "frontend"
        self.modules = self.folder / "node_modules"

    def stale(self) -> bool:
        if not (self.folder / "package.json").exists():
            return False
        built = (self.folder / "dist" / "index.html").exists()
        return not built or read(self._build_stamp()) != self._sources()

    def build(self, packages: Packages, progress: Progress) -> None:
        """`npm ci` where dependencies changed, then the build."""
        job = progress.begin("Web pages")
        environment = node_environment(packages, job)
        self._install(environment, job)
        sources = self._sources()
        job.note = "building"
        # Not `npm run build`: its type check takes ten seconds and is done by `bin/studio check`.
        self._npm(["exec", "--no", "--", "vite", "build"], environment)
        self._build_stamp().write_text(sources)
        progress.end(job, "Web pages built")

    def dependencies(self, packages: Packages, progress: Progress) -> dict[str, str]:
        """Install the dependencies alone; return the environment to run npm scripts in."""
        job = progress.begin("npm packages")
        environment = node_environment(packages, job)
        self._install(environment, job)
        progress.end(job)
        return environment

    def _install(self, environment: dict[str, str], job: Job) -> None:
        wanted = digest([self.folder / "package-lock.json", self.folder / "package.json"])
        stamp = self.modules / ".studio-installed"
        if read(stamp) == wanted:
            return
        job.note = "installing npm packages"
        self._npm(["ci", "--no-audit", "--no-fund", "--ignore-scripts"], environment)
        stamp.write_text(wanted)

    def _npm(self, arguments: list[str], environment: dict[str, str]) -> None:
        done = subprocess.run(
            ["npm", *arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise LauncherError(
                f"`npm {' '.join(arguments)}` in {self.folder} failed: {complaint(done.stdout)} "
                "Run it there to see all it says."
            )

    def _build_stamp(self) -> Path:
        return self.modules / ".studio-built"

    def _sources(self) -> str:
        return digest(sorted(self._files(self.folder)))

    def _files(self, folder: Path) -> Iterator[Path]:
        for path in folder.iterdir():
            if path.is_dir() and path.name not in NOT_SOURCES:
                yield from self._files(path)
            elif path.is_file() and not path.name.endswith(".tsbuildinfo"):
                yield path


def digest(paths: list[Path]) -> str:
    """A fingerprint of names and contents."""
    total = hashlib.sha256()
    for path in paths:
        total.update(f"{path.name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def read(stamp: Path) -> str:
    try:
        return stamp.read_text()
    except OSError:
        return ""


def complaint(output: str) -> str:
    """The sentence in npm's output that says what went wrong."""
    lines = [line.replace("npm error", "").strip() for line in output.splitlines()]
    telling = [line for line in lines if "error" in line.lower() or "can only" in line.lower()]
    return " ".join(telling[:2]) or last_line("\n".join(lines))
