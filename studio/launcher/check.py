"""`check`: every check of the code except its tests."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from studio.launcher.console import Progress
from studio.launcher.folder import ROOT
from studio.launcher.install import npm_packages
from studio.launcher.session import private_session

AT_ONCE = 2
PYTHON = sys.executable
PAGES = ROOT / "frontend"
# What docker-compose.yml demands; its form is checked, not these values.
REQUIRED = ("SECRET_KEY", "ALLOWED_HOSTS", "POSTGRES_PASSWORD", "REDIS_PASSWORD")
COMPOSE_FILE = ROOT / "docker-compose.yml"


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    argv: tuple[str, ...]
    folder: Path = ROOT


@dataclass(frozen=True, slots=True)
class Outcome:
    """`code` is None if the check was skipped; `said` then says why."""

    check: Check
    code: int | None
    seconds: float
    said: str


# The slow ones first: two at a time, the last to end is then a short one.
CHECKS = (
    Check("pages: lint", ("npm", "run", "--silent", "lint"), PAGES),
    Check("types (mypy)", (PYTHON, "-m", "mypy")),
    Check("pages: types", ("npm", "run", "--silent", "typecheck"), PAGES),
    Check("pages: format", ("npm", "run", "--silent", "format:check"), PAGES),
    Check("lint (ruff)", (PYTHON, "-m", "ruff", "check", "--no-cache", ".")),
    Check("format (ruff)", (PYTHON, "-m", "ruff", "format", "--check", ".")),
    Check("layers (import-linter)", (str(Path(PYTHON).with_name("lint-imports")),)),
    Check("migrations", (PYTHON, "manage.py", "makemigrations", "--check", "--dry-run")),
    Check("Django", (PYTHON, "manage.py", "check")),
    Check("generated types", ("npm", "run", "--silent", "generate:check"), PAGES),
    # Of the build that every command which needs the pages makes where it is out of date.
    Check("pages: first load", ("npm", "run", "--silent", "size"), PAGES),
)


def check() -> int:
    """0 if every check passed. The output of a failed check is printed above the table."""
    environment = npm_packages(ROOT)
    with private_session() as services, Progress() as progress:
        merged = {**services.environment, "PATH": environment["PATH"]}
        with ThreadPoolExecutor(AT_ONCE) as pool:
            outcomes = list(pool.map(lambda item: run(item, merged, progress), CHECKS))
    outcomes.append(compose())
    show(outcomes)
    return int(any(outcome.code for outcome in outcomes))


def run(item: Check, environment: Mapping[str, str], progress: Progress) -> Outcome:
    job, started = progress.begin(item.name), time.monotonic()
    done = subprocess.run(
        item.argv,
        cwd=item.folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    progress.end(job)
    return Outcome(item, done.returncode, time.monotonic() - started, done.stdout.strip())


def compose() -> Outcome:
    """Let Docker check docker-compose.yml, if docker compose is installed."""
    item = Check("docker compose", ("docker", "compose", "--file", str(COMPOSE_FILE)))
    docker = shutil.which("docker")
    plugin = docker and subprocess.run(
        [docker, "compose", "version"], capture_output=True, check=False
    )
    if not plugin or plugin.returncode != 0:
        return Outcome(item, None, 0.0, "docker compose is not installed")
    started = time.monotonic()
    done = subprocess.run(
        [*item.argv, "config", "--quiet"],
        env={**os.environ, **dict.fromkeys(REQUIRED, "checked")},
        capture_output=True,
        text=True,
        check=False,
    )
    return Outcome(item, done.returncode, time.monotonic() - started, done.stderr.strip())


def show(outcomes: list[Outcome]) -> None:
    console = Console()
    table = Table("check", "result", "seconds", box=None, pad_edge=False)
    for outcome in outcomes:
        if outcome.code:
            console.rule(outcome.check.name)
            console.print(outcome.said, markup=False, highlight=False, soft_wrap=True)
        word = {None: f"skipped: {outcome.said}", 0: "ok"}.get(outcome.code, "FAILED")
        table.add_row(outcome.check.name, word, f"{outcome.seconds:.1f}")
    console.print(table)
