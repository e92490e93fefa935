"""Makes everything a fresh clone needs, once, with only the standard library.

`prepare` is what `bin/studio` calls before it hands over to the virtual environment's Python.
"""

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from studio.launcher.console import Progress
from studio.launcher.errors import LauncherError
from studio.launcher.install.interface import Interface
from studio.launcher.install.packages import Packages
from studio.launcher.install.programs import Programs

# What each command needs beyond nothing: locks to install, and whether the built pages.
NEEDS: dict[str, tuple[tuple[str, ...], bool]] = {
    "up": (("base",), True),
    "ask": (("base",), False),
    "test": (("base", "dev"), True),
    "check": (("base", "dev"), True),
    "bench": (("base",), False),
    "login": (("base",), False),
    "manage": (("base",), False),
    "backup": (("base",), False),
    "restore": (("base",), False),
}
NEEDS_NOTHING = ("status", "stop")
"""Commands that the machine's own Python runs."""
BROWSED = frozenset({"ask_page", "run_page", "designer_page", "compare_page"})
"""Benchmarks that look at the pages."""

BESIDE_TESTS = frozenset({"rollouts", "vllm"})
"""Benchmarks that run tests, or compare with what tests compare with."""


def needs(command: str, arguments: list[str]) -> tuple[tuple[str, ...], bool]:
    """The locks to install for a command line, and whether to build the interface."""
    locks, pages = NEEDS[command]
    if command == "bench" and "overhead" in arguments:
        locks = (*locks, "dev", "bench")  # LangChain needs some of what the tests need
    if command == "bench" and BESIDE_TESTS.intersection(arguments):
        locks = (*locks, "dev")
    if command == "bench" and BROWSED.intersection(arguments):
        return (*locks, "dev"), True
    return locks, pages


def prepare(root: Path, *, locks: tuple[str, ...], pages: bool) -> Path:
    """Install what is missing, if anything, and return the Python to continue with."""
    packages, interface = Packages(root), Interface(root)
    if not packages.stale(locks) and not (pages and interface.stale()):
        return packages.python
    with installing(root) as programs, Progress() as progress:
        packages, interface = Packages(root, programs), Interface(root, programs)
        jobs: list[Callable[[], None]] = []
        if packages.stale(locks):
            jobs.append(lambda: packages.install(locks, progress))
        if pages and interface.stale():
            jobs.append(lambda: interface.build(packages, progress))
        together(jobs)
    return packages.python


def npm_packages(root: Path) -> dict[str, str]:
    """Install what npm scripts need and return the environment to run them in."""
    with installing(root) as programs, Progress() as progress:
        return Interface(root, programs).dependencies(Packages(root, programs), progress)


@contextmanager
def installing(root: Path) -> Iterator[Programs]:
    """Runs programs that install here, one installation at once. At the end it kills those still
    running.

    With two commands in two terminals, the second waits for the first one's installation, and for
    what a killed one left running. Clones that share a folder by a link also wait for each other.
    """
    shared = {(root / place).resolve().parent for place in (".venv", "frontend/node_modules")}
    places = sorted({root.resolve(), *(place for place in shared if place.exists())})
    locks = [os.open(place, os.O_RDONLY) for place in places]
    programs = Programs(tuple(locks))
    try:
        for lock in locks:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print("Another bin/studio is installing here. Waiting for it.", flush=True)
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield programs
    finally:
        programs.end()
        for lock in locks:
            os.close(lock)


def together(jobs: list[Callable[[], None]]) -> None:
    """Run the jobs side by side. When all have ended, raise the first error."""
    errors: list[BaseException] = []

    def guarded(job: Callable[[], None]) -> None:
        try:
            job()
        except (LauncherError, OSError) as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
