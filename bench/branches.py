"""Measures a step of 10,000 branches: how soon the API shows it, and how long a training waits for
its file.

    bin/studio bench branches [--branches 10000] [--tokens 200] [--requests 100]

The file is written once alone, and once beside an update, for which a product of matrices stands,
on all cores but for what Python needs between the products. `wait_ms` is what the step then still
waits for, once the update has ended. Requests are real HTTP to one web process over one connection,
one after the other. The whole file is asked for three times in each format.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import torch

from bench.api import figures, measure
from bench.common.branch_step import BRANCHES, OF_GROUP, STEP, TOKENS, rows, store
from bench.common.report import percentile, report
from bench.common.web import reading_token, serving, set_up
from workers.core.rollouts.branches import BranchRow, path_of, write_branches

ROUNDS = 3
FILES = 3
PRODUCTS = 500
REQUESTS = {
    "first page": "?page_size=100",
    "1,000 groups": "?page_size=1000",
    "last page": "?offset={last}",
    "agent, turn, mixed": "?agent=planner&turn=2&mixed=true",
    "best reward": "?least=1",
    "one task": "?task=3",
    "a group": "/{middle}/planner/2",
}
FORMATS = ("parquet", "jsonl")


@dataclass(frozen=True, slots=True)
class Written:
    """Seconds, each the median of the rounds. `wait`: after the update, for a file beside it."""

    alone: float
    update: float
    update_beside: float
    wait: float
    megabytes: float


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure a step of many branches.")
    parser.add_argument("--branches", type=int, default=BRANCHES)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="of each branch")
    parser.add_argument("--requests", type=int, default=100, help="of each kind")
    options = parser.parse_args()
    set_up()
    written = writing([*rows(options.branches, options.tokens)])
    address = f"/api/training-jobs/{store(options.branches, options.tokens).id}/branches"
    groups = options.branches // OF_GROUP
    place = {"last": max(0, groups - 100), "middle": groups // 16}
    headers = {"Authorization": f"Bearer {reading_token()}", "Accept": "application/json"}
    with serving() as port:
        told = {
            name: measure(
                port, f"{address}/{STEP}{query.format(**place)}", headers, options.requests
            )
            for name, query in REQUESTS.items()
        }
        files = {
            form: measure(port, f"{address}/{STEP}/file?format={form}", headers, FILES)
            for form in FORMATS
        }
    _report(written, told, files)


def writing(found: list[BranchRow]) -> Written:
    times: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(1) as thread:
        folder = Path(made)

        def write() -> None:
            write_branches(folder, STEP, found, kept=1)

        write()  # which imports what it needs
        size = path_of(folder, STEP).stat().st_size / 1e6
        for _ in range(ROUNDS):
            alone = timed(write)
            update = timed(updated)
            beside = thread.submit(write)
            update_beside = timed(updated)
            times.append((alone, update, update_beside, timed(beside.result)))
    alone, update, update_beside, wait = map(median, zip(*times, strict=True))
    return Written(alone, update, update_beside, wait, size)


def updated() -> None:
    """As much as an update computes in two or three seconds."""
    some = torch.ones(512, 512)
    for _ in range(PRODUCTS):
        torch.mm(some, some)


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _report(written: Written, told: dict[str, list[float]], files: dict[str, list[float]]) -> None:
    rows = [(f"groups: {name}", *figures(times)) for name, times in told.items()]
    rows += [(f"the step as {form}", *figures(times)) for form, times in files.items()]
    for name in ("alone", "update", "update_beside", "wait"):
        rows.append((f"writing: {name}", f"{1_000 * getattr(written, name):.0f} ms", "", ""))
    report(
        "branches",
        ("", "median", "p95", "max"),
        rows,
        page_p50_ms=max(percentile(times, 0.5) for times in told.values()),
        page_p95_ms=max(percentile(times, 0.95) for times in told.values()),
        write_ms=1_000 * written.alone,
        wait_ms=1_000 * written.wait,
        update_longer_ms=1_000 * (written.update_beside - written.update),
        megabytes=written.megabytes,
    )


if __name__ == "__main__":
    main()
