"""Runs of a task graph as ReSo's solver tells them, on a scripted model: eight subtasks, three
candidates each.

The page's unit tests fold what this prints: `python -m tests.browser.task_graphs NAME`.
"""

import asyncio
import json
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from workers.core.agents.database import AgentDatabase, AgentKey, Statistics
from workers.core.agents.scoring import Scoring
from workers.core.events import (
    Event,
    IntermediateAnswer,
    RunFailed,
    RunFinished,
    RunStarted,
    SubtasksPlanned,
)
from workers.core.llm.types import ChatRequest
from workers.core.mas.tests.support import ScriptedClient, collect, context, endpoint, role
from workers.core.methods.reso.config import SearchConfig
from workers.core.methods.reso.planner import PlanFailed, Planner
from workers.core.methods.reso.rewards import RuleReward
from workers.core.methods.reso.solving import TaskSolver
from workers.core.specs import GraphSpec, PoolSpec, SubtaskSpec, TaskGraphSpec, TaskSpec, Usage

QUERY = "A baker sells 14 loaves and 5 cakes and opens for 540 minutes. What is left after all?"
FIRST_AT = 1_760_000_000.0
ENDPOINTS = ("stub", "large")
POOL = PoolSpec(
    key="bakery",
    name="Bakery",
    roles=(
        role("accountant", name="Accountant", family="finance", description="Sums of money."),
        role("algebraist", name="Algebraist", family="mathematics", description="Sums, hours."),
        role("poet", name="Poet", family="writing", description="Sings of loaves and money."),
    ),
)
GRAPH = TaskGraphSpec(
    subtasks=(
        SubtaskSpec(id="s1", text="How much money do 14 loaves at $3 bring?", reference="42"),
        SubtaskSpec(id="s2", text="How much money do 5 cakes at $12 bring?", reference="60"),
        SubtaskSpec(id="s3", text="How many hours are 540 minutes?", reference="9"),
        SubtaskSpec(
            id="s4",
            text="How much money do loaves and cakes bring together?",
            depends_on=("s1", "s2"),
            reference="102",
        ),
        SubtaskSpec(
            id="s5",
            text="How much money do these hours cost at $8 an hour?",
            depends_on=("s3",),
            reference="72",
        ),
        SubtaskSpec(
            id="s6",
            text="Which duty does the law levy on these takings, at 10 in 100?",
            depends_on=("s4",),
            reference="10.2",
        ),
        SubtaskSpec(
            id="s7",
            text="How much money is left of the takings after the wages?",
            depends_on=("s4", "s5"),
            reference="30",
        ),
        SubtaskSpec(
            id="s8",
            text="How much money is left once the duty is paid, too?",
            depends_on=("s6", "s7"),
            reference="19.8",
        ),
    )
)
RIGHT = {each.text: each.reference or "" for each in GRAPH.subtasks}
STARTED = RunStarted(method="reso", query=QUERY, seed=7, endpoint="stub", model="stub")
PROSE = "First I add up the loaves. <img src=x onerror=alert(1)>\n" + "\n".join(
    f"Then, as step {step}, I look at what is left." for step in range(2, 20)
)
CIRCLE = json.dumps(
    {
        "subtasks": [
            {"id": "loaves", "text": "How much do loaves bring?", "depends_on": ["cakes"]},
            {"id": "cakes", "text": "How much do cakes bring?", "depends_on": ["loaves"]},
        ]
    }
)
KNOWN = {
    AgentKey("accountant", "stub"): Statistics(reward=0.81, cost=0.02, count=12),
    AgentKey("accountant", "large"): Statistics(reward=0.74, cost=0.31, count=9),
    AgentKey("algebraist", "stub"): Statistics(reward=0.66, cost=0.02, count=7),
    AgentKey("algebraist", "large"): Statistics(reward=0.71, cost=0.29, count=8),
    AgentKey("poet", "stub"): Statistics(reward=0.05, cost=0.01, count=4),
    AgentKey("poet", "large"): Statistics(reward=0.1, cost=0.2, count=3),
}
AXES = (("sums",), ("money", "$"), ("hour", "minutes"), ("sings",), ("law", "duty"))


class ByWords:
    """A text points along the axes of the words that it has, and a little along a common one."""

    dimension = len(AXES) + 1

    async def embed(self, texts: list[str]) -> NDArray[np.float32]:
        rows = [[*(_has(text, words) for words in AXES), 0.5] for text in texts]
        found = np.array(rows, dtype=np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def _has(text: str, words: tuple[str, ...]) -> float:
    return float(any(word in text.lower() for word in words))


def _answers(*, fails_at: str) -> Callable[[ChatRequest], str]:
    """Who sings slips; at `fails_at` nobody is right, and the algebraist refuses."""

    def script(request: ChatRequest) -> str:
        asked, who = request.messages[-1].content, request.messages[0].content
        # What it needs of others stands before it.
        subtask = max((text for text in RIGHT if text in asked), key=asked.rindex)
        if subtask == fails_at and "algebraist" in who:
            return "REFUSE: This is a question of law."
        if subtask == fails_at or "poet" in who:
            return "A loaf, a cake, a song for free.\nAnswer: 7"
        return f"Step by step, with what is given and nothing else.\nAnswer: {RIGHT[subtask]}"

    return script


async def _solved(*, fails_at: str, learns: bool) -> list[Event]:
    embedder = ByWords()
    database = await AgentDatabase.of(
        POOL,
        ENDPOINTS,
        embedder=embedder,
        scoring=Scoring(exploration="log"),
        known=None if learns else KNOWN,
    )
    script = _answers(fails_at=fails_at)
    solver = TaskSolver(
        GRAPH,
        database=database,
        context=context(
            ScriptedClient(script), embedder=embedder, endpoints={"large": endpoint(key="large")}
        ),
        k=3,
        reward_model=RuleReward() if learns else None,
    )
    told: list[Event] = [STARTED, SubtasksPlanned(planner="own", task_graph=GRAPH)]
    await collect(solver.events(), told)
    answer = next(each.answer for each in told if isinstance(each, IntermediateAnswer))
    graph = next(each.graph for each in reversed(told) if each.event == "graph_planned")
    return [*told, _finished(answer, graph)]


def _finished(answer: str | None, graph: GraphSpec) -> RunFinished:
    used = Usage(prompt_tokens=240, completion_tokens=120, cost=0.024)
    return RunFinished(answer=answer, message=answer or "", graph=graph, usage=used, seconds=9.0)


def voted() -> list[Event]:
    """In testing: nobody knows the law."""
    return _dated(asyncio.run(_solved(fails_at=GRAPH.subtasks[5].text, learns=False)))


def learned() -> list[Event]:
    """While it learns, from nothing: nobody solves the wages, so nothing is asked after them."""
    return _dated(asyncio.run(_solved(fails_at=GRAPH.subtasks[4].text, learns=True)))


def unplanned() -> list[Event]:
    """Nothing that the planner wrote can be used: prose, and subtasks that need each other."""
    told, failed = asyncio.run(_refused(PROSE, CIRCLE))
    used = Usage(prompt_tokens=20, completion_tokens=10, cost=0.0)
    end = RunFailed(failure=failed.failure(), usage=used, seconds=2.0)
    return _dated([STARTED, *told, end])


def mended() -> list[Event]:
    """As `voted`, once the planner was told what is wrong with its first reply."""
    (*before, _), _ = asyncio.run(_refused(PROSE, CIRCLE))
    planned = SubtasksPlanned(planner="llm", task_graph=GRAPH, repaired=True)
    started, _, *then = voted()
    return _dated([started, *before, planned, *then])


async def _refused(*replies: str) -> tuple[list[Event], PlanFailed]:
    said = iter(replies)
    client = ScriptedClient(lambda _: next(said))
    config = SearchConfig(planner="llm")
    task = TaskSpec(query=QUERY)
    planner = Planner(task, config, context(client), client=client)
    told: list[Event] = []
    try:
        async for event in planner.events():
            told.append(event)
    except PlanFailed as failed:
        return told, failed
    raise AssertionError("a reply of these is a task graph")


def _dated(events: list[Event]) -> list[Event]:
    return [
        event.model_copy(update={"at": FIRST_AT + place / 4}) for place, event in enumerate(events)
    ]


def main(name: str) -> None:
    """As frames of the page's stream, one a line."""
    told = {"voted": voted, "learned": learned, "unplanned": unplanned, "mended": mended}
    events = told[name]()
    frames = [
        {
            "type": "trace",
            "run": name,
            "attempt": 1,
            "seq": seq,
            "id": f"1.{seq}",
            "event": event.model_dump(mode="json"),
        }
        for seq, event in enumerate(events, start=1)
    ]
    print("[\n" + ",\n".join(json.dumps(frame) for frame in frames) + "\n]")


if __name__ == "__main__":
    main(sys.argv[1])
