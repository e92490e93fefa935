"""`test`: both test suites against services of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit, urlunsplit

from studio.launcher.console import Progress
from studio.launcher.errors import LauncherError
from studio.launcher.folder import ROOT
from studio.launcher.install.interface import Interface
from studio.launcher.install.packages import Packages, last_line
from studio.launcher.session import Session, private_session

PYTEST = (sys.executable, "-m", "pytest")
LATER = ("nice", "-n", "10")
CORE = "workers/core"
PROCESSES = ("tests/browser", "tests/processes")
"""Tests that start a studio of their own, and mostly wait for it: each with its databases."""
INSIDE, OUTSIDE = ("apps", "workers"), ("studio", "bench", "tests/api")
"""What looks at the studio from outside takes about as long as what does from inside."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PACKAGES = ("chromium", "fonts-liberation")


def test(arguments: list[str]) -> int:
    """0 when everything passed. With arguments, only pytest runs, with them."""
    more = {"STUDIO_CHROMIUM": browser_present()}
    with private_session() as services:
        if arguments:
            return services.run([*PYTEST, *arguments], more=more)
        return _everything(services, more)


def _everything(services: Session, more: Mapping[str, str]) -> int:
    """Five runs of pytest and one of vitest beside each other: they share no database, no number of
    Redis, no folder and no port. The tests of core only compute, so they give way. What they print
    is shown one after the other."""
    results = {}
    elsewhere = {**more, **_elsewhere(services.environment)}
    with ExitStack() as stack:
        begun: dict[str, tuple[subprocess.Popen[bytes], IO[bytes]]] = {}
        for name, command, environment in (
            *((f"pytest {path}", [*PYTEST, path], more) for path in PROCESSES),
            ("the tests of the pages", _frontend_tests(), more),
            (f"pytest {' '.join(OUTSIDE)}", [*PYTEST, *OUTSIDE], elsewhere),
            (f"pytest {CORE}", [*LATER, *PYTEST, CORE], more),
        ):
            output: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
            begun[name] = services.begin(command, more=environment, output=output), output
        inside = f"pytest {' '.join(INSIDE)}"
        print(inside, flush=True)
        results[inside] = services.run([*PYTEST, *INSIDE, f"--ignore={CORE}"], more=more)
        for name, (process, output) in begun.items():
            results[name] = services.wait(process)
            output.seek(0)
            print(f"{name}\n{output.read().decode(errors='replace')}", flush=True)
    failed = [name for name, code in results.items() if code]
    print(
        f"Failed: {', '.join(failed)}; see above." if failed else "Everything passed.", flush=True
    )
    return next((code for code in results.values() if code), 0)


def _elsewhere(environment: Mapping[str, str]) -> dict[str, str]:
    """Names beside those that another run of pytest has on the same services."""
    database = urlsplit(environment["DATABASE_URL"])
    redis = urlsplit(environment["REDIS_URL"])
    folder = Path(environment["STUDIO_DATA_DIR"])
    return {
        "DATABASE_URL": urlunsplit(database._replace(path=f"{database.path}_elsewhere")),
        "REDIS_URL": urlunsplit(redis._replace(path="/1")),
        "STUDIO_DATA_DIR": str(folder.with_name(f"{folder.name}-elsewhere")),
    }


def _frontend_tests() -> list[str]:
    with Progress() as progress:
        Interface(ROOT).dependencies(Packages(ROOT), progress)
    script = 'cd frontend && PATH="$1:$PATH" npm test --silent'
    return ["/bin/sh", "-c", script, "sh", str(ROOT / ".venv" / "node")]


def browser_present() -> str:
    """The path of a Chromium, installed from Debian's packages where that can be done."""
    found = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if found:
        return found
    if not shutil.which("apt-get") or os.geteuid() != 0:
        raise LauncherError(
            "The browser tests need Chromium. Install it with the system's package manager "
            "(Debian, Ubuntu: sudo apt-get install chromium) and start again, "
            "or leave them out: bin/studio test -m 'not browser'."
        )
    with Progress() as progress:
        job = progress.begin("Chromium for the browser tests")
        for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
            _apt(command)
        progress.end(job, "Chromium is installed")
    return shutil.which(BROWSERS[0]) or ""


def _apt(command: list[str]) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        ["apt-get", *command], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise LauncherError(f"apt-get {command[0]} failed: {last_line(done.stderr)}")
