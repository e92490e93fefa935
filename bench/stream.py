"""Measures the delay of each event from a worker to each of 200 watching browsers.

    bin/studio bench stream

It uses three processes as in production, on one machine and so on one clock. This process is the
worker, with the sink that writes to Postgres and announces in Redis. The second is a web process as
`up` starts it. The third has 200 SSE clients. First all clients watch one run with an event every
100 ms. Then five clients each watch one of 40 runs with an event per second. In every run an agent
streams text all the time. The benchmark fails unless each client receives every event once and in
order. `p95_ms` is the worse of the two.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from itertools import cycle
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

import aiohttp
import uvloop

from bench.common.report import percentile, report
from bench.common.web import reading_token, serving, set_up
from workers.core.events import AgentDelta, AgentStarted, IntermediateAnswer, RunFinished
from workers.core.specs import GraphSpec, Usage

if TYPE_CHECKING:
    from workers.tasks.journal import Journal
    from workers.tasks.sink import Sink

CLIENTS = 200
SECONDS = 20.0
DELTA_SECONDS = 0.02
SCENARIOS = {"200 watch one run": (1, 0.1), "5 watch each of 40 runs": (40, 0.025)}
"""Number of runs, and seconds from one event to the next over all runs."""

WORKER = "bench:stream"
SENT = re.compile(rb'"answer":"sent ([0-9.]+)"')
END = b"event: end"
TEXT = "and so the loaves bring 42 "


def main() -> None:
    set_up()
    secret = reading_token()
    delays = {}
    with serving(STREAMS_PER_USER=str(CLIENTS)) as port:
        for name, (count, gap) in SCENARIOS.items():
            delays[name] = measure(port, secret, claimed_runs(count), gap)
    rows = [
        (
            name,
            f"{len(times):,}",
            f"{percentile(times, 0.5):.0f} ms",
            f"{percentile(times, 0.95):.0f} ms",
            f"{max(times):.0f} ms",
        )
        for name, times in delays.items()
    ]
    report(
        "stream",
        ("", "received", "median", "p95", "max"),
        rows,
        p95_ms=max(percentile(times, 0.95) for times in delays.values()),
    )


def claimed_runs(count: int) -> list[str]:
    """Ids of new runs that this worker holds."""
    from django.db.models.functions import Now

    from apps.runs.models import Run

    values = {"status": "running", "attempt": 1, "worker": WORKER, "method": "bench"}
    rows = Run.objects.bulk_create(
        Run(heartbeat_at=Now(), endpoint_key="bench", endpoint_spec={}, query="Which?", **values)
        for _ in range(count)
    )
    return [str(row.id) for row in rows]


def measure(port: int, secret: str, ids: list[str], gap: float) -> list[float]:
    """Milliseconds from writing each event to its arrival at each client."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    watching = multiprocessing.get_context("spawn").Process(
        target=watch, args=(port, secret, ids, theirs)
    )
    watching.start()
    theirs.close()
    assert ours.recv() == "all connected"
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        written = runner.run(write(ids, gap))
    arrived: list[list[tuple[float, float]]] = ours.recv()
    watching.join()
    for (run, sent), received in zip(assigned(written), arrived, strict=True):
        got = [at for at, _ in received]
        assert got == sent, f"a client of run {run} got {len(got)} of {len(sent)} events"
    return [(at - sent) * 1_000 for received in arrived for sent, at in received]


def assigned(written: dict[str, list[float]]) -> Iterator[tuple[str, list[float]]]:
    """The events that each client must have received, in the clients' order."""
    runs = cycle(written)
    return ((run, written[run]) for run in (next(runs) for _ in range(CLIENTS)))


# -- the worker


async def write(ids: list[str], gap: float) -> dict[str, list[float]]:
    """When each event was handed to the sink, per run."""
    from django.conf import settings

    from workers.tasks.publisher import Publisher
    from workers.tasks.sink import Sink
    from workers.tasks.store import Store

    sink = Sink(Store(WORKER), Publisher(settings.REDIS_URL))
    sink.start()
    journals = [sink.open(run_id, 1, endpoint_key="bench") for run_id in ids]
    for journal in journals:
        await sink.append(journal, AGENT)
    written: dict[str, list[float]] = {run_id: [] for run_id in ids}
    stream = [asyncio.create_task(talk(sink, journal)) for journal in journals]
    async for journal in paced(journals, gap):
        sent = time.monotonic()
        await sink.append(journal, IntermediateAnswer(step=1, answer=f"sent {sent!r}"))
        written[journal.key[0]].append(sent)
    for task in stream:
        task.cancel()
    for journal in journals:
        await sink.append(journal, FINISHED)
        await journal.settled
    await asyncio.sleep(0.5)
    await sink.close()
    return written


AGENT = AgentStarted(
    agent_id="a1", role_key="solver", role_name="Solver", family="maths", endpoint="bench"
)
FINISHED = RunFinished(answer="42", message="42", graph=GraphSpec(), usage=Usage(), seconds=1.0)


async def paced(journals: list[Journal], gap: float) -> AsyncIterator[Journal]:
    """Yield the journals in turn, one every `gap` seconds."""
    start = time.monotonic()
    for number, journal in enumerate(cycle(journals)):
        due = start + number * gap
        if due > start + SECONDS:
            return
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        yield journal


async def talk(sink: Sink, journal: Journal) -> None:
    """Stream the text of the run's agent."""
    with suppress(asyncio.CancelledError):
        offset = 0
        while True:
            await sink.append(journal, AgentDelta(agent_id="a1", text=TEXT, offset=offset))
            offset += len(TEXT)
            await asyncio.sleep(DELTA_SECONDS)


# -- the browsers


def watch(port: int, secret: str, ids: list[str], pipe: Connection) -> None:
    """Runs in a separate process: reads `CLIENTS` event streams to their ends."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(watch_all(port, secret, ids, pipe))


async def watch_all(port: int, secret: str, ids: list[str], pipe: Connection) -> None:
    headers = {"Authorization": f"Bearer {secret}", "Accept": "text/event-stream"}
    connected = asyncio.Semaphore(0)
    runs = cycle(ids)
    async with aiohttp.ClientSession(
        f"http://127.0.0.1:{port}",
        headers=headers,
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=300),
    ) as session:
        async with asyncio.TaskGroup() as group:  # a client that fails ends all
            clients = [
                group.create_task(client(session, next(runs), connected)) for _ in range(CLIENTS)
            ]
            for _ in range(CLIENTS):
                await connected.acquire()
            pipe.send("all connected")
        pipe.send([each.result() for each in clients])


async def client(
    session: aiohttp.ClientSession, run_id: str, connected: asyncio.Semaphore
) -> list[tuple[float, float]]:
    """`(sent, received)` of each event, in the order of arrival."""
    found: list[tuple[float, float]] = []
    async with session.get(f"/api/runs/{run_id}/events") as response:
        response.raise_for_status()
        async for line in response.content:
            if line.startswith(b"event: snapshot"):
                connected.release()
            elif line.startswith(END):
                break
            elif b'"answer":"sent ' in line and (sent := SENT.search(line)):
                found.append((float(sent.group(1)), time.monotonic()))
    return found


if __name__ == "__main__":
    main()
