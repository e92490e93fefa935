"""Measures the time the studio adds to the models' time, and the same for LangGraph.

    bin/studio bench overhead

A stub endpoint in its own process answers every call after 1 s. 1,000 runs of 5 agents in 3 layers
at concurrency 256 take at least 3 s × 1,000 / 256. `ratio` is the wall time divided by that. Our
runs do everything a worker does: engine, run, cached LLM client with streaming, and the sink that
writes every event to Postgres and Redis. The others store nothing and do not stream. The bare
client only makes the same calls, so it shows how fast the machine is today. `cpu_ms_per_call` is
this process's CPU time divided by 5,000 agent calls. Postgres, Redis and the stub are separate
processes.
"""

import argparse
import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from operator import or_
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import aiohttp
import uvloop
from pydantic import BaseModel

from bench.common.report import report
from bench.common.web import set_up
from workers.core.events import Event, GraphPlanned, IntermediateAnswer
from workers.core.mas.agent import Team
from workers.core.mas.context import MethodContext
from workers.core.mas.execute import execute_graph
from workers.core.specs import AgentNode, Edge, EndpointSpec, GraphSpec, RoleSpec, RunSpec, TaskSpec
from workers.core.testing.stub_process import running_stub

RUNS = 1_000
CONCURRENCY = 256
LATENCY_SECONDS = 1.0
LAYERS = 3
READS = {"a1": (), "a2": (), "a3": ("a1", "a2"), "a4": ("a1", "a2"), "a5": ("a3", "a4")}
PROMPT = "You are one agent of a team. Work on the question with what the others wrote."

GRAPH = GraphSpec(
    nodes=tuple(
        AgentNode(
            id=agent,
            role=RoleSpec(
                key=f"role-{agent}",
                name=f"Role {agent}",
                family="bench",
                description="An agent.",
                prompt=f"{PROMPT} You are {agent}.",
            ),
        )
        for agent in READS
    ),
    edges=tuple(Edge(source=s, target=target) for target, read in READS.items() for s in read),
)


class NoConfig(BaseModel):
    """No options."""


class FixedGraph:
    """The benchmark's graph as a method."""

    key = name = "fixed"
    description = source = "a graph given in advance"
    needs_pool = learns = False
    config_schema = NoConfig

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        team = Team(task.query, context)
        yield GraphPlanned(graph=GRAPH)
        events = execute_graph(GRAPH, team)
        async with aclosing(events):
            async for event in events:
                yield event
        yield IntermediateAnswer(step=1, answer=team.outcomes["a5"].answer, agent_id="a5")


@dataclass(frozen=True, slots=True)
class Measured:
    name: str
    runs: int
    wall_seconds: float
    cpu_seconds: float

    @property
    def ratio(self) -> float:
        return self.wall_seconds / (LAYERS * LATENCY_SECONDS * self.runs / CONCURRENCY)

    @property
    def cpu_ms_per_call(self) -> float:
        return self.cpu_seconds * 1000 / (self.runs * len(READS))

    def row(self) -> tuple[str, ...]:
        return (
            self.name,
            f"{self.runs:,}",
            f"{self.wall_seconds:.1f} s",
            f"{self.ratio:.2f}",
            f"{self.cpu_ms_per_call:.2f} ms",
        )


async def measure(name: str, runs: int, one: Callable[[int], Awaitable[None]]) -> Measured:
    """Run `one(number)` for each run, at most `CONCURRENCY` at once."""
    slots = asyncio.Semaphore(CONCURRENCY)

    async def guarded(number: int) -> None:
        async with slots:
            await one(number)

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(guarded(number) for number in range(runs)))
    return Measured(name, runs, time.perf_counter() - wall, time.process_time() - cpu)


async def studio(url: str, runs: int) -> Measured:
    """Measure a worker's engine, from claimed rows to stored ends."""
    from asgiref.sync import sync_to_async

    from workers.tasks.core_driver import CoreDriver
    from workers.tasks.engine import EngineLoop, Job, Verdict, collect_rarely

    endpoint = EndpointSpec(
        key="bench", base_url=url, model="stub", max_concurrency=4_096, allow_private_address=True
    )
    worker = f"bench:{uuid4().hex[:8]}"
    ids = await sync_to_async(claimed_rows)(endpoint, worker, runs)
    collect_rarely()  # as `Engine` does when it starts
    engine = EngineLoop(worker, CoreDriver({"fixed": FixedGraph()}))
    ready = threading.Event()
    running = asyncio.create_task(engine.run(ready))
    await asyncio.sleep(0.2)

    async def one(number: int) -> None:
        task = TaskSpec(query=f"Question {number}: what is {number} + 1?")
        spec = RunSpec(task=task, method="fixed", endpoint=endpoint, seed=number)
        ended = await engine.execute(Job(ids[number], 1, spec))
        assert ended.verdict is Verdict.ENDED

    measured = await measure("MAS Studio", runs, one)
    await engine.finish()
    await running
    await sync_to_async(check)(ids)
    return measured


def claimed_rows(endpoint: EndpointSpec, worker: str, runs: int) -> list[str]:
    """Ids of new runs that `worker` holds. Here all wait for their turn at once, while a worker
    claims them one by one. So their first sign of life is set to the time when the last will have
    started."""
    from datetime import timedelta

    from django.utils import timezone

    from apps.runs.models import Run

    rows = Run.objects.bulk_create(
        Run(
            status="running",
            attempt=1,
            worker=worker,
            heartbeat_at=timezone.now() + timedelta(minutes=10),
            method="fixed",
            endpoint_key=endpoint.key,
            endpoint_spec=endpoint.model_dump(mode="json"),
            query=f"Question {number}",
        )
        for number in range(runs)
    )
    return [str(row.id) for row in rows]


def check(ids: list[str]) -> None:
    """Check that every run succeeded with its whole trace, then delete the rows."""
    from apps.runs.models import Run, RunAgent, RunEvent

    runs = Run.objects.filter(id__in=ids)
    assert runs.filter(status="succeeded", agent_count=len(READS)).count() == len(ids)
    assert RunAgent.objects.filter(run_id__in=ids).count() == len(ids) * len(READS)
    # run_started, graph_planned, a start and an end per agent, intermediate_answer, run_finished
    assert RunEvent.objects.filter(run_id__in=ids).count() == len(ids) * (4 + 2 * len(READS))
    runs.delete()


async def bare(url: str, runs: int) -> Measured:
    """Make the same calls and nothing else: what any Python client costs on this machine."""
    import orjson

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(agent: str, number: int, read: list[str]) -> str:
            system = {"role": "system", "content": f"{PROMPT} You are {agent}."}
            notes = "\n".join(read)
            user = {"role": "user", "content": f"{notes}\nWhat is {number} + 1?"}
            body = orjson.dumps({"model": "stub", "messages": [system, user], "temperature": 0})
            kind = {"Content-Type": "application/json"}
            async with session.post(f"{url}/chat/completions", data=body, headers=kind) as reply:
                content: str = orjson.loads(await reply.read())["choices"][0]["message"]["content"]
                return content

        async def one(number: int) -> None:
            first = await asyncio.gather(*(ask(agent, number, []) for agent in ("a1", "a2")))
            second = await asyncio.gather(*(ask(agent, number, first) for agent in ("a3", "a4")))
            await ask("a5", number, second)

        return await measure("bare aiohttp and orjson", runs, one)


async def langgraph(name: str, client: Any, url: str, runs: int) -> Measured:
    """Run the same graph as a `StateGraph` of `ChatOpenAI` calls over this HTTP client."""
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    model = ChatOpenAI(
        model="stub",
        base_url=url,
        api_key=SecretStr("none"),
        http_async_client=client,
        temperature=0,
        timeout=600,
    )
    graph = state_graph(model)

    async def one(number: int) -> None:
        query = f"Question {number}: what is {number} + 1?"
        state = await graph.ainvoke({"query": query, "messages": {}})
        assert len(state["messages"]) == len(READS)

    return await measure(name, runs, one)


class State(TypedDict):
    """What LangGraph's nodes share. Messages of one step are merged."""

    query: str
    messages: Annotated[dict[str, str], or_]


def state_graph(model: Any) -> Any:
    from langgraph.graph import END, START, StateGraph

    def node(agent: str) -> Callable[[State], Awaitable[dict[str, Any]]]:
        async def ask(state: State) -> dict[str, Any]:
            notes = "\n".join(state["messages"][source] for source in READS[agent])
            said = await model.ainvoke(
                [
                    ("system", f"{PROMPT} You are {agent}."),
                    ("user", f"{notes}\n{state['query']}"),
                ]
            )
            return {"messages": {agent: said.content}}

        return ask

    graph: Any = StateGraph(State)
    for agent, reads in READS.items():
        graph.add_node(agent, node(agent))
        if reads:
            graph.add_edge(list(reads), agent)
        else:
            graph.add_edge(START, agent)
    graph.add_edge("a5", END)
    return graph.compile()


async def bench(runs: int, others: bool) -> list[Measured]:
    found = []
    with running_stub(latency=LATENCY_SECONDS, log_limit=0) as stub:
        found.append(await studio(stub.url, runs))
        if others:
            import openai

            found.append(await bare(stub.url, runs))
            # A line per call would count as LangGraph's time.
            for client_log in ("httpx", "httpx2"):  # which one depends on the SDK's version
                logging.getLogger(client_log).setLevel(logging.WARNING)
            async with openai.DefaultAioHttpClient() as client:
                found.append(
                    await langgraph("LangGraph, openai on aiohttp", client, stub.url, runs)
                )
            # One wave is enough: on its default transport the SDK needs minutes for a thousand.
            found.append(
                await langgraph("LangGraph, openai's default", None, stub.url, CONCURRENCY)
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.overhead", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--alone", action="store_true", help="without LangGraph")
    given = parser.parse_args()
    set_up()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        measured = runner.run(bench(given.runs, not given.alone))
    beside = measured[2:3]
    report(
        "overhead",
        ("", "runs", "wall", "÷ ideal", "CPU per agent call"),
        [item.row() for item in measured],
        ratio=measured[0].ratio,
        cpu_ms_per_call=measured[0].cpu_ms_per_call,
        **{f"langgraph_{key}": getattr(item, key) for item in beside for key in KEYS},
    )


KEYS = ("ratio", "cpu_ms_per_call")

if __name__ == "__main__":
    main()
