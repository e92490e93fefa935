"""A very long run: 200 agents of MasHost, built one by one, and 5,000 events."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workers.core.events import (
    ActionProbability,
    AgentFinished,
    AgentStarted,
    AnswerVerified,
    EdgeProbability,
    EdgesSampled,
    Event,
    IntermediateAnswer,
    NodeSampled,
    RunFinished,
    RunStarted,
    ToolCalled,
    ToolReturned,
)
from workers.core.pools import load_builtin_pool
from workers.core.specs import AgentNode, Edge, GraphSpec, RoleSpec, Usage

if TYPE_CHECKING:
    from apps.runs.models import Run

AGENTS = 200
EVENTS = 5_000
MOST_READ = 3
NEAR = 20
"""An agent reads up to three of the twenty before it. So the graph is deep and wide."""

FIRST_AT = 1_760_000_000.0
GAP_SECONDS = 0.25
QUERY = "A baker sells 14 loaves at 3 dollars and 5 cakes at 12 dollars. How much does she take in?"
MESSAGE = (
    "First, what is given: 14 loaves at 3 dollars, and 5 cakes at 12 dollars.\n\n"
    "1. The loaves bring `14 * 3 = 42` dollars.\n2. The cakes bring `5 * 12 = 60` dollars.\n\n"
    "Together that is **102** dollars; the other way round it is the same sum.\nAnswer: 102"
)
USED = Usage(prompt_tokens=640, completion_tokens=90, cost=0.0004)


def graph_of(roles: tuple[RoleSpec, ...], seed: int = 0, *, agents: int = AGENTS) -> GraphSpec:
    """The team. The same seed gives the same team."""
    chance = random.Random(seed)
    names = [f"a{number}" for number in range(1, agents + 1)]
    edges = [
        Edge(source=source, target=target)
        for place, target in enumerate(names)
        for source in _read(chance, names[max(0, place - NEAR) : place])
    ]
    nodes = (AgentNode(id=name, role=roles[chance.randrange(len(roles))]) for name in names)
    return GraphSpec(nodes=tuple(nodes), edges=tuple(edges))


def _read(chance: random.Random, before: list[str]) -> list[str]:
    count = min(len(before), chance.randint(1, MOST_READ))
    return chance.sample(before, count)


def events_of(graph: GraphSpec, roles: tuple[RoleSpec, ...]) -> list[Event]:
    """5,000 events in MasHost's order, a quarter of a second apart."""
    told = list(_told(graph, roles, rounds=10))
    spare = (len(told) - EVENTS) // 2  # a call of a tool and its result
    last = {agent.id for agent in graph.nodes[-spare:]} if spare else set()
    told = [each for each in told if not _is_spare(each, last)]
    return [
        each.model_copy(update={"at": FIRST_AT + GAP_SECONDS * number})
        for number, each in enumerate(told)
    ]


def _is_spare(event: Event, agents: set[str]) -> bool:
    return (
        isinstance(event, ToolCalled | ToolReturned)
        and event.call_id.endswith("-9")
        and event.agent_id in agents
    )


def _told(graph: GraphSpec, roles: tuple[RoleSpec, ...], *, rounds: int) -> Iterator[Event]:
    reads = {
        node.id: [e.source for e in graph.edges if e.target == node.id] for node in graph.nodes
    }
    share = 1 / (len(roles) + 1)
    actions = [ActionProbability(action=role.key, probability=share) for role in roles]
    candidates = (*actions, ActionProbability(action="EXIT", probability=share))
    yield RunStarted(method="mashost", query=QUERY, seed=7, endpoint="bench", model="bench")
    for step, node in enumerate(graph.nodes, start=1):
        yield _sampled(step, candidates, "add", node.role.key, node.id)
        if step > 1:
            yield EdgesSampled(
                step=step,
                agent_id=node.id,
                candidates=tuple(
                    EdgeProbability(source=e.id, probability=0.4, chosen=e.id in reads[node.id])
                    for e in graph.nodes[: step - 1]
                ),
                log_probability=-1.0,
            )
        yield from _works(node, reads[node.id], rounds)
        yield IntermediateAnswer(step=step, answer="102", agent_id=node.id)
    yield _sampled(len(graph.nodes) + 1, candidates, "exit", "EXIT", None)
    yield IntermediateAnswer(step=len(graph.nodes) + 1, answer="102")
    yield AnswerVerified(
        verifier="numeric", correct=True, reward=1.0, explanation="102 is the reference answer."
    )
    yield RunFinished(answer="102", message=MESSAGE, graph=graph, usage=_in_all(), seconds=1_250.0)


def _sampled(
    step: int, candidates: tuple[ActionProbability, ...], kind: str, choice: str, agent: str | None
) -> NodeSampled:
    values = {"step": step, "candidates": candidates, "kind": kind, "choice": choice}
    values |= {"log_probability": -3.5, "greedy": False, "agent_id": agent}
    return NodeSampled.model_validate(values)


def _works(node: AgentNode, reads: list[str], rounds: int) -> Iterator[Event]:
    said = "\n\n".join(f"{source} wrote:\n{MESSAGE}" for source in reads)
    yield AgentStarted(
        agent_id=node.id,
        role_key=node.role.key,
        role_name=node.role.name,
        family=node.role.family,
        reads=tuple(reads),
        endpoint="bench",
        prompt=(
            {"role": "system", "content": node.role.prompt},
            {"role": "user", "content": f"{QUERY}\n\n{said}"},
        ),
    )
    for number in range(rounds):
        call = {"agent_id": node.id, "call_id": f"{node.id}-{number}", "tool": "calculator"}
        yield ToolCalled.model_validate({**call, "arguments": {"expression": f"14 * 3 + {number}"}})
        returned = {"ok": True, "output": str(42 + number), "seconds": 0.01}
        yield ToolReturned.model_validate({**call, **returned})
    yield AgentFinished(agent_id=node.id, message=MESSAGE, answer="102", usage=USED, seconds=5.0)


def _in_all() -> Usage:
    return Usage(
        prompt_tokens=AGENTS * (USED.prompt_tokens or 0),
        completion_tokens=AGENTS * (USED.completion_tokens or 0),
        cost=AGENTS * (USED.cost or 0),
    )


def store_long_run(*, seed: int = 0) -> Run:
    """Store the run with its whole trace in the database. Another seed gives another team."""
    from datetime import UTC, datetime

    from apps.runs.models import Run, RunEvent

    roles = load_builtin_pool("general").roles
    graph = graph_of(roles, seed)
    events = events_of(graph, roles)
    usage = _in_all()
    at = datetime.fromtimestamp(FIRST_AT, UTC)
    drawn = [
        {"id": n.id, "role_key": n.role.key, "role_name": n.role.name, "family": n.role.family}
        for n in graph.nodes
    ]
    run = Run.objects.create(
        status=Run.Status.SUCCEEDED,
        attempt=1,
        method="mashost",
        endpoint_key="bench",
        endpoint_spec={},
        query=QUERY,
        reference="102",
        answer="102",
        message=MESSAGE,
        correct=True,
        reward=1.0,
        graph={"nodes": drawn, "edges": [edge.model_dump() for edge in graph.edges]},
        agent_count=AGENTS,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost=usage.cost,
        seconds=1_250.0,
        started_at=at,
        finished_at=at,
    )
    RunEvent.objects.bulk_create(
        RunEvent(
            run=run,
            attempt=1,
            seq=seq,
            kind=event.event,
            payload=event.model_dump(mode="json"),
            at=at,
        )
        for seq, event in enumerate(events, start=1)
    )
    return run
