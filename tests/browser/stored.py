"""Run once in a process of its own: stored runs that a visited studio would take long to come to.

Prints `{"long": id, …}` as its last line: 200 agents and 5,000 events; a debate whose first attempt
was lost with its worker; an episode; tasks solved in stages; teams that
are scripts; and task graphs, solved by a vote and
while the method learned, written anew after one that could not be used, and never written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import django

from tests.browser import episodes, scripts, stages, task_graphs
from workers.core.errors import Failure
from workers.core.events import (
    AgentFinished,
    AgentStarted,
    AttemptLost,
    Event,
    GraphPlanned,
    RunFailed,
    RunFinished,
    RunStarted,
)
from workers.core.methods.debate import DebateConfig, debate_graph, round_ids
from workers.core.specs import GraphSpec, Usage

if TYPE_CHECKING:
    from apps.runs.models import Run

QUERY = "Which of the two ways of dividing the harvest leaves nobody with less than before?"
ANSWER = "The second way, in which everybody keeps what they had and only the surplus is divided."
REFERENCE = "The second way: keep what everybody had, and divide the surplus alone."
FIRST_AT = 1_760_000_000.0
USED = Usage(prompt_tokens=120, completion_tokens=40, cost=0.0001)


def attempts() -> Iterator[list[Event]]:
    """Each agent says which attempt it speaks in; the first attempt ends in the second round."""
    ids = round_ids(DebateConfig())
    graph = debate_graph(ids)
    yield [
        *_began(graph),
        *_speak(graph, ids[0], 1),
        *_speak(graph, ids[1], 1)[:1],
        AttemptLost(
            failure=Failure(code="worker_lost", message="The worker vanished.", remedy="None."),
            will_retry=True,
        ),
    ]
    yield [
        *_began(graph),
        *_speak(graph, ids[0], 2),
        *_speak(graph, ids[1], 2),
        RunFinished(answer=ANSWER, message=ANSWER, graph=graph, usage=USED, seconds=6.0),
    ]


def _began(graph: GraphSpec) -> list[Event]:
    started = RunStarted(method="debate", query=QUERY, seed=7, endpoint="bench", model="bench")
    return [started, GraphPlanned(graph=graph)]


def _speak(graph: GraphSpec, ids: list[str], attempt: int) -> list[Event]:
    nodes = {node.id: node for node in graph.nodes}
    told: list[Event] = []
    for agent_id in ids:
        role = nodes[agent_id].role
        told += [
            AgentStarted(
                agent_id=agent_id,
                role_key=role.key,
                role_name=role.name,
                family=role.family,
                reads=tuple(edge.source for edge in graph.edges if edge.target == agent_id),
                endpoint="bench",
                prompt=({"role": "user", "content": f"{QUERY}\n{agent_id} in attempt {attempt}."},),
            ),
            AgentFinished(
                agent_id=agent_id,
                message=f"Said by {agent_id} in attempt {attempt}:\nFirst line\nSecond line",
                answer="the second" if agent_id in {"a2", "a4", "a6"} else "the first",
                usage=USED,
                seconds=1.0,
            ),
        ]
    return told


def store_twice() -> Run:
    run = _run(
        status="succeeded",
        attempt=2,
        method="debate",
        method_config=DebateConfig(temperature=0.9).model_dump(mode="json"),
        budget={
            "max_tokens": 60_000,
            "max_cost": None,
            "max_seconds": 300.0,
            "max_completion_tokens_per_call": 512,
        },
        endpoint_key="bench",
        query=QUERY,
        reference=REFERENCE,
        answer=ANSWER,
        message=ANSWER,
        correct=True,
        reward=1.0,
        agent_count=6,
        prompt_tokens=720,
        completion_tokens=240,
        cost=0.0006,
        seconds=6.0,
    )
    for attempt, events in enumerate(attempts(), start=1):
        times = [FIRST_AT + 100 * attempt + seq for seq in range(1, len(events) + 1)]
        timed = zip(events, times, strict=True)
        _store_events(run, [event.model_copy(update={"at": at}) for event, at in timed], attempt)
    return run


def store_task_graph(events: list[Event]) -> Run:
    reference = task_graphs.GRAPH.subtasks[-1].reference
    return _store(events, method="reso", query=task_graphs.QUERY, reference=reference)


def store_episode(events: list[Event]) -> Run:
    task = episodes.TASK
    return _store(events, method="at_grpo", query=task.query, reference=task.reference)


def store_stages(events: list[Event]) -> Run:
    return _store(events, method="evomas", query=stages.QUERY, reference=stages.ANSWER)


def store_script(events: list[Event]) -> Run:
    return _store(events, method="metaagent_x", query=scripts.QUERY, reference=scripts.ANSWER)


def _store(events: list[Event], **about: Any) -> Run:
    """A run of one attempt that ended as its last event says."""
    end = events[-1]
    assert isinstance(end, RunFinished | RunFailed)
    run = _run(endpoint_key="stub", seconds=end.seconds, **about, **_ended(end))
    _store_events(run, events, attempt=1)
    return run


def _run(**values: Any) -> Run:
    from apps.runs.models import Run

    return Run.objects.create(endpoint_spec={}, started_at=_at(), finished_at=_at(), **values)


def _store_events(run: Run, events: list[Event], attempt: int) -> None:
    from apps.runs.models import RunEvent

    RunEvent.objects.bulk_create(
        RunEvent(
            run=run,
            attempt=attempt,
            seq=seq,
            kind=event.event,
            payload=event.model_dump(mode="json"),
            at=_at(),
        )
        for seq, event in enumerate(events, start=1)
    )


def _at() -> datetime:
    return datetime.fromtimestamp(FIRST_AT, UTC)


def _ended(end: RunFinished | RunFailed) -> dict[str, Any]:
    if isinstance(end, RunFailed):
        return {"status": "failed", "failure": end.failure.model_dump(mode="json")}
    return {
        "status": "succeeded",
        "answer": end.answer,
        "message": end.message,
        "agent_count": len(end.graph.nodes),
    }


def main() -> None:
    django.setup()
    from bench.common.long_run import store_long_run

    runs = {
        "long": store_long_run(),
        "twice": store_twice(),
        "voted": store_task_graph(task_graphs.voted()),
        "learned": store_task_graph(task_graphs.learned()),
        "unplanned": store_task_graph(task_graphs.unplanned()),
        "episode": store_episode(episodes.played()),
        "stages": store_stages(stages.solved()),
        "many_stages": store_stages(stages.longest()),
        "script": store_script(scripts.delivered()),
        "given_script": store_script(scripts.given()),
        "large_script": store_script(scripts.largest()),
        "mended": store_task_graph(task_graphs.mended()),
    }
    print(json.dumps({name: str(run.id) for name, run in runs.items()}))


if __name__ == "__main__":
    main()
