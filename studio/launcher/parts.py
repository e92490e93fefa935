"""The processes of a studio, what each needs, and the environment they share."""

import json
import os
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from studio.launcher import migrations
from studio.launcher.cache import Cache
from studio.launcher.database import Database
from studio.launcher.errors import USAGE, LauncherError
from studio.launcher.folder import ROOT, Folder
from studio.launcher.probes import free_port, http_answers
from studio.launcher.process import Command
from studio.launcher.settings import (
    DATABASE,
    LLM,
    REDIS,
    SEARCH,
    SECRET_KEY,
    UpOptions,
    base_environment,
)
from studio.launcher.supervisor import Part

EMBEDDED = ("--parallel", "4", "--context", "16384")
TRAINER = ("worker", "-P", "threads", "-c", "1", "-Q", "training", "--without-gossip")
"""One training at once, in its own process: no question waits for it."""

WORKER = ("worker", "-P", "threads", "-c", "80", "-Q", "inference,evaluation", "--without-gossip")
"""Threads for `RUN_MAX_RUNNING` and `EVALUATION_MAX_ACTIVE`. Each only waits for its run."""


@dataclass(slots=True)
class Plan:
    """The parts of one start. `shared` is what other commands need to reach the studio."""

    parts: list[Part]
    shared: dict[str, str]
    bootstrap: Path | None = None
    names: list[str] = field(default_factory=list)


def services(folder: Folder, *, durable: bool = True) -> Plan:
    """PostgreSQL and Redis, unless DATABASE_URL or REDIS_URL name others."""
    check_urls(os.environ)
    keys = folder.secrets()
    environment = base_environment(str(folder.path), keys.secret_key)
    plan = Plan(parts=[], shared=dict(environment))
    if DATABASE not in os.environ:
        database = Database(
            folder.postgres,
            folder.logs,
            free_port(),
            keys.postgres_owner,
            keys.postgres_studio,
            durable,
        )
        plan.parts += database.parts(environment)
        plan.shared[DATABASE] = database.url
        plan.names.append("postgres")
    if REDIS not in os.environ:
        cache = Cache(folder.redis, folder.logs, free_port(), keys.redis)
        plan.parts.append(cache.part(environment))
        plan.shared[REDIS] = cache.url
        plan.names.append("redis")
    return plan


def check_urls(environment: Mapping[str, str]) -> None:
    """Before anything starts, raise LauncherError if a given URL can't be read."""
    if DATABASE not in environment and REDIS not in environment:
        return
    from django.core.exceptions import ImproperlyConfigured

    from studio import service_urls

    try:
        if DATABASE in environment:
            service_urls.database_parameters(environment[DATABASE])
        if REDIS in environment:
            service_urls.redis(environment[REDIS])
    except ImproperlyConfigured as error:
        raise LauncherError(str(error), code=USAGE) from error


def studio(folder: Folder, options: UpOptions, listening: socket.socket) -> Plan:
    """Everything of `up`. The page comes first; the worker and the model follow it."""
    plan = services(folder)
    external = os.environ.get(LLM)
    own_llm = options.llm and not external
    if own_llm:
        plan.shared["STUDIO_EMBEDDED_LLM_URL"] = f"http://127.0.0.1:{free_port()}/v1"
    plan.shared["STUDIO_MODELS_URL"] = f"http://127.0.0.1:{free_port()}/v1"
    _search(plan, listening)
    stored = list(plan.names)
    prepared = [*stored, *_migrate(plan, folder, stored)]
    _bootstrap(plan, folder, prepared)
    _web(plan, folder, options, listening, prepared)
    if own_llm:
        _llm(plan, folder)
    _own_models(plan, folder)
    _workers(plan, folder, options)
    return plan


def _search(plan: Plan, listening: socket.socket) -> None:
    """Agents search the studio's own corpora, unless a person names another service."""
    host, port = listening.getsockname()[:2]
    corpora = f"http://{bracketed(reachable(host))}:{port}/corpus"
    plan.shared["STUDIO_CORPUS_URL"] = corpora
    if not os.environ.get(SEARCH):
        plan.shared |= {SEARCH: corpora, "SEARCH_ALLOW_PRIVATE": "1"}


def _command(plan: Plan, folder: Folder, name: str, *argv: str, **more: Any) -> Command:
    """A Python program of ours, logged under its part's name."""
    return Command(
        name=name,
        argv=(sys.executable, *argv),
        environment=plan.shared,
        log=folder.logs / f"{name}.log",
        folder=ROOT,
        **more,
    )


def _migrate(plan: Plan, folder: Folder, stored: list[str]) -> list[str]:
    """A step that runs only if the database lacks migrations of this code."""
    url = plan.shared[DATABASE]
    wanted = migrations.fingerprint(ROOT, url, own="postgres" in stored)

    def due(say: Callable[[str], None]) -> bool:
        from studio.launcher.restore import finish  # which needs services itself

        if folder.restore_waits():
            say("Putting a backup in place.")
            finish(folder, url)
            if SECRET_KEY not in os.environ:
                plan.shared[SECRET_KEY] = folder.secrets().secret_key
        stamped = migrations.applied(folder.path) == wanted
        return migrations.needed(ROOT, url, stamped=stamped, say=say)

    command = _command(
        plan, folder, "migrate", "manage.py", "migrate", "--noinput", stop_seconds=20
    )
    done = partial(migrations.remember, folder.path, wanted)
    plan.parts.append(Part(command, needs=tuple(stored), once=True, due=due, after=done))
    return ["migrate"]


def _bootstrap(plan: Plan, folder: Folder, needs: list[str]) -> None:
    plan.bootstrap = folder.path / "bootstrap.json"
    arguments = ("manage.py", "studio_bootstrap", "--login-link")
    command = _command(plan, folder, "bootstrap", *arguments, output=plan.bootstrap)
    plan.parts.append(Part(command, needs=tuple(needs), once=True))


def _web(
    plan: Plan, folder: Folder, options: UpOptions, listening: socket.socket, needs: list[str]
) -> None:
    host, port = listening.getsockname()[:2]
    descriptor = listening.fileno()
    asks = http_answers(reachable(host), port, "/api/auth/csrf")
    for number in range(1, options.web_processes + 1):
        name = "web" if number == 1 else f"web-{number}"
        arguments = ("-m", "studio.launcher.web", str(descriptor))
        command = _command(plan, folder, name, *arguments, pass_fds=(descriptor,), stop_seconds=4.0)
        ready = asks if number == 1 else lambda: True
        plan.parts.append(Part(command, needs=tuple(needs), ready=ready, within=300.0))


def _llm(plan: Plan, folder: Folder) -> None:
    port = plan.shared["STUDIO_EMBEDDED_LLM_URL"].split(":")[-1].split("/")[0]
    arguments = ("-m", "workers.core.llm.embedded", "--port", port, *EMBEDDED, *model_threads())
    command = _command(plan, folder, "llm", *arguments, stop_seconds=3.0)
    ready = http_answers("127.0.0.1", int(port), "/v1/models", seconds=2.0)
    needs = ("bootstrap", "web")
    plan.parts.append(Part(command, needs=needs, ready=ready, within=120.0, essential=False))


def _own_models(plan: Plan, folder: Folder) -> None:
    """The server of the studio's own language models."""
    port = plan.shared["STUDIO_MODELS_URL"].split(":")[-1].split("/")[0]
    checkpoints = str(folder.path / "checkpoints")
    arguments = ("--port", port, "--checkpoints", checkpoints, *model_threads())
    command = _command(
        plan, folder, "models", "-m", "workers.core.rollouts.serving", *arguments, stop_seconds=3.0
    )
    ready = http_answers("127.0.0.1", int(port), "/health", seconds=2.0)
    needs = ("bootstrap", "web")
    plan.parts.append(Part(command, needs=needs, ready=ready, within=120.0, essential=False))


def model_threads() -> tuple[str, str]:
    """Half of the cores: the model's threads spin while they wait for each other.

    With one thread per core and anything else running, most of the time is lost to spinning.
    Measured on two busy cores: 64 tokens took 9 s with one thread and over 100 s with two.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return "--threads", str(max(1, (cores or 2) // 2))


def _workers(plan: Plan, folder: Folder, options: UpOptions) -> None:
    for number in range(1, options.workers + 1):
        name = "worker" if number == 1 else f"worker-{number}"
        arguments = ("-m", "celery", "-A", "studio", *WORKER, "-n", f"{name}@%h", "-l", "INFO")
        command = _command(plan, folder, name, *arguments, stop_seconds=4.0)
        plan.parts.append(Part(command, needs=("bootstrap", "web"), essential=False))
    _trainer(plan, folder)
    ticking = ("-m", "celery", "-A", "studio", "beat", "--pidfile", "")
    command = _command(plan, folder, "beat", *ticking, stop_seconds=2.0)
    plan.parts.append(Part(command, needs=("bootstrap", "web"), essential=False))


def _trainer(plan: Plan, folder: Folder) -> None:
    """Starts after the page and its workers, which people wait for."""
    arguments = ("-m", "celery", "-A", "studio", *TRAINER, "-n", "trainer@%h", "-l", "INFO")
    command = _command(plan, folder, "trainer", *arguments, stop_seconds=4.0)
    plan.parts.append(Part(command, needs=("bootstrap", "web", "worker"), essential=False))


def read_bootstrap(path: Path) -> dict[str, object]:
    """Read the JSON that `studio_bootstrap` printed, then remove it from the disk."""
    try:
        said = path.read_text()
        path.unlink()
        answer = json.loads(said.strip().splitlines()[-1])
    except (OSError, ValueError, IndexError) as error:
        raise LauncherError(f"The output of studio_bootstrap can't be read: {error}") from error
    if not isinstance(answer, dict):
        raise LauncherError("studio_bootstrap printed no JSON object.")
    return answer


def bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def reachable(host: str) -> str:
    """The address to reach this studio at; 127.0.0.1 or ::1 for one that means every interface."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
