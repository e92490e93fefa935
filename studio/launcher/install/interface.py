"""The built web pages: `frontend/dist`, rebuilt when a source file changed."""

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from studio.launcher.console import Job, Progress
from studio.launcher.errors import LauncherError
from studio.launcher.install.node import node_environment
from studio.launcher.install.packages import Packages, last_line
from studio.launcher.install.programs import Programs

KEPT_SECONDS = 7 * 24 * 3_600
BUILD_SECONDS = 600
"""No build takes longer. A file this much older than the index is from an earlier build."""
NOT_SOURCES = {"node_modules", "dist", "test-artifacts", "dev", "e2e"}


class Interface:
    """`frontend/` of a clone: its dependencies and its build. Each has a stamp. The stamp is
    removed before any change and written last."""

    def __init__(self, root: Path, programs: Programs | None = None) -> None:
        self.folder = root / "frontend"
        self.modules = self.folder / "node_modules"
        self.programs = programs or Programs()

    def stale(self) -> bool:
        if not (self.folder / "package.json").exists():
            return False
        built = (self.folder / "dist" / "index.html").exists()
        return not built or read(self._build_stamp()) != self._sources()

    def build(self, packages: Packages, progress: Progress) -> None:
        """Run `npm ci` if dependencies changed or are incomplete, then build."""
        job = progress.begin("Web pages")
        environment = node_environment(packages, job)
        fresh = self._install(environment, job)
        sources = self._sources()
        self._build_stamp().unlink(missing_ok=True)
        job.note = "building"
        try:
            self._vite(environment)
        except LauncherError as error:
            if fresh or not lacks_a_package(str(error)):
                raise
            self._install(environment, job, again=True)
            job.note = "building"
            self._vite(environment)
        self._build_stamp().write_text(sources)
        progress.end(job, "Web pages built")

    def dependencies(self, packages: Packages, progress: Progress) -> dict[str, str]:
        """Install only the dependencies and return the environment to run npm scripts in."""
        job = progress.begin("npm packages")
        environment = node_environment(packages, job)
        self._install(environment, job)
        progress.end(job)
        return environment

    def missing(self) -> list[str]:
        """The packages that npm lists as installed but that are missing."""
        try:
            listed = json.loads((self.modules / ".package-lock.json").read_text())["packages"]
        except (OSError, ValueError, KeyError):
            return ["node_modules/.package-lock.json"]
        return [path for path in listed if not (self.folder / path / "package.json").is_file()]

    def _install(self, environment: dict[str, str], job: Job, *, again: bool = False) -> bool:
        """Install if needed and say whether it was. `again` always installs."""
        wanted = digest([self.folder / "package-lock.json", self.folder / "package.json"])
        stamp = self.modules / ".studio-installed"
        if not again and read(stamp) == wanted and not self.missing():
            return False
        stamp.unlink(missing_ok=True)
        job.note = "installing npm packages"
        self._npm(["ci", "--no-audit", "--no-fund", "--ignore-scripts"], environment)
        if missing := self.missing():
            raise LauncherError(
                f"npm installed the packages in {self.folder}, but {missing[0]} is missing. "
                "Start again to install them all."
            )
        stamp.write_text(wanted)
        return True

    def _vite(self, environment: dict[str, str]) -> None:
        """Keep the files that a build replaces for one more week, however old they are. A running
        studio and open pages still ask for them."""
        index, assets = self.folder / "dist" / "index.html", self.folder / "dist" / "assets"
        if index.exists():
            for path in assets.glob("*"):
                if path.stat().st_mtime > index.stat().st_mtime - BUILD_SECONDS:
                    os.utime(path)
        # Not `npm run build`: its type check takes ten seconds and is done by `bin/studio check`.
        self._npm(["exec", "--no", "--", "vite", "build"], environment)
        for path in assets.glob("*"):
            if path.stat().st_mtime < time.time() - KEPT_SECONDS:
                path.unlink()

    def _npm(self, arguments: list[str], environment: dict[str, str]) -> None:
        command = ["npm", *arguments]
        done = self.programs.run(command, folder=self.folder, environment=environment)
        if done.code != 0:
            raise LauncherError(
                f"`npm {' '.join(arguments)}` in {self.folder} failed: {complaint(done.text)} "
                "Run it there to see its full output."
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


NOISE = ("code ", "errno ", "syscall ", "path ", "dest ", "command ", "A complete log", "Log files")
NPM = re.compile(r"^npm (?:error|ERR!)\s*")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def complaint(output: str) -> str:
    """The sentences that say what went wrong, from the output of npm or of what it ran."""
    lines = [COLOURS.sub("", line).strip() for line in output.splitlines()]
    of_npm = [NPM.sub("", line) for line in lines if NPM.match(line)]
    telling = [line for line in of_npm if line and not line.startswith(NOISE)]
    if not telling:
        others = [line for line in lines if not NPM.match(line)]
        telling = [line for line in others if "error" in line.lower() or "cannot" in line.lower()]
    return " ".join(telling[:3]) or last_line("\n".join(lines))


def lacks_a_package(said: str) -> bool:
    """Whether a build failed because of a missing package, not of an error in the sources."""
    return any(words in said for words in ("MODULE_NOT_FOUND", "Cannot find", "npx canceled"))
