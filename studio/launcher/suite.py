"""`test`: runs all test suites on temporary services."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit, urlunsplit

from studio.launcher.console import Progress
from studio.launcher.errors import LauncherError
from studio.launcher.folder import ROOT
from studio.launcher.install import npm_packages
from studio.launcher.install.packages import last_line
from studio.launcher.session import Session, private_session
from workers.core.tools.browsing.contained import BROWSERS

PYTEST = (sys.executable, "-m", "pytest")
CORE = "workers/core"
METHODS, BENCHMARKS = f"{CORE}/methods", f"{CORE}/benchmarks"
INSIDE, OUTSIDE = ("apps", "workers"), ("studio", "bench", "tests/api", "tests/seam")
"""The suites that test the studio from inside and from outside."""
PACKAGES = ("chromium-headless-shell", "fonts-liberation")


@dataclass(frozen=True, slots=True)
class Suite:
    name: str
    command: list[str]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Begun:
    """One suite. `later`: the suites that follow it in its lane."""

    name: str
    later: list[Suite]
    output: IO[bytes]
    since: float


def test(arguments: list[str]) -> int:
    """Return 0 if everything passed. With arguments, only pytest runs, with these arguments."""
    more = {"STUDIO_CHROMIUM": browser_present(), **_template()}
    with private_session() as services:
        if arguments:
            return services.run([*PYTEST, *arguments], more=more)
        return _everything(services, more)


def _everything(services: Session, more: Mapping[str, str]) -> int:
    """Run three lanes side by side, each with one suite after the other. At any time one lane waits
    for a browser, one for processes that it kills, and one computes. A fourth made it slower, and
    timeouts in the tests would pass. Lanes share no database, no Redis number, no folder and no
    port. Suites that need none of these go to the lane that ends first, longest first. A suite's
    output is shown at its end, that of a failed one after all others."""
    elsewhere = {**more, **_elsewhere(services.environment)}
    lanes = [
        [_pytest(["tests/browser"], more)],
        [_pytest(["tests/processes"], more), _pytest(OUTSIDE, elsewhere)],
        [_pytest(INSIDE, more, f"--ignore={CORE}")],
    ]
    anywhere = [
        _pytest([CORE], more, f"--ignore={METHODS}", f"--ignore={BENCHMARKS}"),
        _pytest([METHODS], more),
        _pytest([BENCHMARKS], more),
        Suite("the tests of the pages", _frontend_tests(), more),
    ]
    failed = _side_by_side(services, lanes, anywhere)
    for name, said in failed.items():
        print(f"failed: {name}\n{said}")
    print(
        f"Failed: {', '.join(failed)}. See the output above." if failed else "Everything passed.",
        flush=True,
    )
    return 1 if failed else 0


def _pytest(paths: Sequence[str], environment: Mapping[str, str], *options: str) -> Suite:
    return Suite(f"pytest {' '.join(paths)}", [*PYTEST, *paths, *options], environment)


def _side_by_side(
    services: Session, lanes: list[list[Suite]], anywhere: list[Suite]
) -> dict[str, str]:
    """The suites that failed, each with its output."""
    failed = {}
    with ExitStack() as stack:
        running: dict[subprocess.Popen[bytes], Begun] = {}

        def begin(lane: list[Suite]) -> None:
            suite, *later = lane
            output: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
            process = services.begin(suite.command, more=suite.environment, output=output)
            running[process] = Begun(suite.name, later, output, time.monotonic())
            print(f"started: {suite.name}", flush=True)

        for lane in lanes:
            begin(lane)
        while running:
            before = _cpu_seconds()
            process = services.wait_for_one(running)
            computed = _cpu_seconds() - before
            ended = running.pop(process)
            ended.output.seek(0)
            said = ended.output.read().decode(errors="replace")
            seconds = time.monotonic() - ended.since
            if process.returncode:
                failed[ended.name] = said
            shown = "It failed; its output comes last." if process.returncode else said
            print(
                f"ended after {seconds:.0f} s, {computed:.0f} s of CPU time: {ended.name}\n{shown}",
                flush=True,
            )
            if ended.later:
                begin(ended.later)
            elif anywhere:
                begin([anywhere.pop(0)])
    return failed


def _cpu_seconds() -> float:
    """Of all ended children, with what they waited for. One suite ends at a time."""
    told = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told.ru_utime + told.ru_stime


def _elsewhere(environment: Mapping[str, str]) -> dict[str, str]:
    """Names that differ from those of another pytest run on the same services."""
    database = urlsplit(environment["DATABASE_URL"])
    redis = urlsplit(environment["REDIS_URL"])
    folder = Path(environment["STUDIO_DATA_DIR"])
    return {
        "DATABASE_URL": urlunsplit(database._replace(path=f"{database.path}_elsewhere")),
        "REDIS_URL": urlunsplit(redis._replace(path="/1")),
        "STUDIO_DATA_DIR": str(folder.with_name(f"{folder.name}-elsewhere")),
    }


def _template() -> dict[str, str]:
    """The database that all suites copy theirs from. It is deleted with its server. On an external
    server each suite makes and drops its own."""
    return {} if os.environ.get("DATABASE_URL") else {"STUDIO_TESTS_TEMPLATE": "tests_template"}


def _frontend_tests() -> list[str]:
    npm_packages(ROOT)
    script = 'cd frontend && PATH="$1:$PATH" npm test --silent'
    return ["/bin/sh", "-c", script, "sh", str(ROOT / ".venv" / "node")]


def browser_present() -> str:
    """The path of a Chromium. Installs it from Debian's packages if possible."""
    found = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if found:
        return found
    if not shutil.which("apt-get") or os.geteuid() != 0:
        raise LauncherError(
            "The browser tests need Chromium. Install it with your package manager (Debian, "
            "Ubuntu: sudo apt-get install chromium) and start again. To skip these tests: "
            "bin/studio test -m 'not browser'."
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
