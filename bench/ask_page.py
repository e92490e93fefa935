"""Measures “Find the way” on the page “Ask”: how soon a trained team's answer is on the page.

    bin/studio bench ask_page [--visits 20] [--rate 1]

The whole way: a real Chromium, a web process, the queue, a worker, and the server of the studio's
own models, which runs `at-grpo-nano` on half of the cores. All are started as `up` starts them.
Each visit opens the page with an empty cache, chooses the sample, puts another board of 5×5 in its
place, and presses Run: a board that was asked before would be answered from memory. `answer_ms` is
the time from the press until the page shows the answer, and `longest_ms` the longest one. Of it,
the run waits for a worker for `queue_ms`, and is answered in `run_ms`. `solved` is the share of
boards whose answer is right.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from io import StringIO
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Page

from bench.common.pages import PATIENCE_MS, VIEWPORT, Door, arguments, spread, visited
from bench.common.report import report
from studio.launcher.folder import ROOT
from studio.launcher.parts import WORKER, model_threads
from studio.launcher.probes import free_port, http_answers
from workers.core.benchmarks.games.episodes import GAMES, episodes
from workers.core.benchmarks.games.plan_path import PlanPathOptions
from workers.core.benchmarks.registry import VERIFIERS
from workers.core.specs import TaskSpec

if TYPE_CHECKING:
    from apps.accounts.models import User

SAMPLE = "Find the way"
READY_SECONDS = 120.0
MODELS_URL = "STUDIO_MODELS_URL"
PRESS = """(run) => new Promise((resolve) => {
  const begun = performance.now()
  const look = () => {
    if (document.querySelector('section[aria-label=Answer]')) resolve(performance.now() - begun)
    else requestAnimationFrame(look)
  }
  run.click()
  look()
})"""


@dataclass(frozen=True, slots=True)
class Asked:
    task: TaskSpec
    answer: str
    answer_ms: float
    queue_ms: float
    run_ms: float


def main() -> None:
    parser = arguments("Measure how soon a trained team answers on the page “Ask”.")
    parser.set_defaults(visits=20)
    options = parser.parse_args()
    game = GAMES["plan_path"]
    boards = episodes(
        game, PlanPathOptions(size=5), split="test", count=options.visits + 1, seed=10_000
    )
    with ExitStack() as processes:
        processes.enter_context(answering())
        found = visited(
            partial(stored, processes=processes), lambda door: ask(door, next(boards)), options
        )
    times = {
        "the press → the answer on the page": [each.answer_ms for each in found],
        "of it in the queue": [each.queue_ms for each in found],
        "of it in the worker": [each.run_ms for each in found],
    }
    answers, queues, runs = times.values()
    report(
        "ask_page",
        ("milliseconds", "median", "range"),
        [(name, *spread(each)) for name, each in times.items()],
        answer_ms=median(answers),
        longest_ms=max(answers),
        queue_ms=median(queues),
        run_ms=median(runs),
        solved=fmean(asyncio.run(is_solved(each)) for each in found),
    )


async def is_solved(asked: Asked) -> bool:
    verifier = VERIFIERS[str(asked.task.verifier)]
    verdict = await verifier.verify(asked.task, answer=asked.answer, message="")
    return verdict.correct is True


@contextmanager
def answering() -> Iterator[None]:
    """The server of the studio's own models. It answers as soon as it is asked."""
    port = free_port()
    os.environ[MODELS_URL] = f"http://127.0.0.1:{port}/v1"
    checkpoints = f"{os.environ['STUDIO_DATA_DIR']}/checkpoints"
    where = ("--port", str(port), "--checkpoints", checkpoints, *model_threads())
    with running("-m", "workers.core.rollouts.serving", *where):
        ready, until = http_answers("127.0.0.1", port, "/health"), time.monotonic() + READY_SECONDS
        while not ready():
            assert time.monotonic() < until, "the server of the studio's models does not answer"
            time.sleep(0.2)
        yield


def stored(_: User, *, processes: ExitStack) -> str:
    """What a first user has, and a worker for it."""
    from django.core.management import call_command

    call_command("studio_bootstrap", stdout=StringIO(), stderr=StringIO())
    processes.enter_context(running("-m", "celery", "-q", "-A", "studio", *WORKER, "-l", "WARNING"))
    return "/"


@contextmanager
def running(*arguments: str) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT)
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


def ask(door: Door, task: TaskSpec) -> Asked:
    with door.browser.new_context(
        base_url=door.address, storage_state=door.login, viewport=VIEWPORT
    ) as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(door.path)
        page.get_by_role("button", name=SAMPLE).click()
        page.get_by_label("Question", exact=True).fill(task.query)
        run = page.get_by_role("button", name="Run", exact=True)
        run.click(trial=True)  # once it can be pressed
        answer_ms: float = run.evaluate(PRESS)
        told = stored_run(page)
        made, began, ended = (
            datetime.fromisoformat(told[name])
            for name in ("created_at", "started_at", "finished_at")
        )
        return Asked(
            task,
            told["answer"] or "",
            answer_ms,
            queue_ms=milliseconds(began - made),
            run_ms=milliseconds(ended - began),
        )


def stored_run(page: Page) -> dict[str, Any]:
    """Once it has ended: the answer can be on the page before that is stored."""
    address = f"/api/runs/{page.url.rsplit('/', 1)[-1]}"
    while True:
        told: dict[str, Any] = page.request.get(address).json()
        if told["finished_at"]:
            return told
        page.wait_for_timeout(100)


def milliseconds(time: timedelta) -> float:
    return time.total_seconds() * 1_000


if __name__ == "__main__":
    main()
