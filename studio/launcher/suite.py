"""`test`: both test suites against services of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from studio.launcher.console import Progress
from studio.launcher.errors import LauncherError
from studio.launcher.folder import ROOT
from studio.launcher.install.interface import Interface
from studio.launcher.install.packages import Packages, last_line
from studio.launcher.session import private_session

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PACKAGES = ("chromium", "fonts-liberation")


def test(arguments: list[str]) -> int:
    """0 when everything passed. With arguments, only pytest runs, with them."""
    browser = browser_present()
    pytest = [sys.executable, "-m", "pytest", *arguments]
    with private_session() as services:
        more = {"STUDIO_CHROMIUM": browser}
        pages = 0 if arguments else services.run(*_frontend_tests())
        if not arguments:
            print("pytest", flush=True)
        rest = services.run(pytest, more=more)
    if pages:
        print("The tests of the pages failed; they are above pytest's.", file=sys.stderr)
    return rest or pages


def _frontend_tests() -> tuple[list[str]]:
    with Progress() as progress:
        Interface(ROOT).dependencies(Packages(ROOT), progress)
    script = 'cd frontend && PATH="$1:$PATH" npm test --silent'
    return (["/bin/sh", "-c", script, "sh", str(ROOT / ".venv" / "node")],)


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
