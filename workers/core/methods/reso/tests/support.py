"""A small world for ReSo: three roles, a composed question, and models that follow a script."""

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from workers.core.benchmarks.compositional import TASK_GRAPH
from workers.core.events import Event
from workers.core.llm.types import ChatRequest
from workers.core.mas.tests.support import Script, role
from workers.core.specs import PoolSpec, SubtaskSpec, TaskGraphSpec, TaskSpec

E = TypeVar("E", bound=Event)

POOL = PoolSpec(key="p", name="P", roles=(role("adder"), role("poet"), role("lawyer")))
GRAPH = TaskGraphSpec(
    subtasks=(
        SubtaskSpec(id="loaves", text="What do 14 loaves at 3 dollars bring?", reference="42"),
        SubtaskSpec(id="cakes", text="What do 5 cakes at 12 dollars bring?", reference="60"),
        SubtaskSpec(
            id="all", text="What do both bring?", depends_on=("loaves", "cakes"), reference="102"
        ),
    )
)
RIGHT = {"14 loaves": "42", "5 cakes": "60", "both bring": "102"}
TASK = TaskSpec(
    query="What do 14 loaves at 3 dollars and 5 cakes at 12 dollars bring?",
    reference="102",
    verifier="numeric",
    metadata={TASK_GRAPH: GRAPH.model_dump(mode="json")},
)


class OneDirection:
    """Every text is alike: whoever earned most is found first, else the first of the pool."""

    dimension = 4

    async def embed(self, texts: list[str]) -> NDArray[np.float32]:
        return np.tile(np.array([1, 0, 0, 0], dtype=np.float32), (len(texts), 1))


def asked_of(request: ChatRequest) -> str:
    """The answer to the question, whatever stands in the messages above it."""
    text = request.messages[-1].content.rpartition("Question:")[2]
    return next(answer for part, answer in RIGHT.items() if part in text)


def by_role(adder: Script, other: Script) -> Script:
    return lambda request: (adder if "adder" in request.messages[0].content else other)(request)


def right(request: ChatRequest) -> str:
    return f"I add.\nAnswer: {asked_of(request)}"


def wrong(_: ChatRequest) -> str:
    return "I sing.\nAnswer: 7"


def of(events: Iterable[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def numbered(task: TaskSpec, number: int) -> TaskSpec:
    """The same task, asked in other words: another one for who counts tasks."""
    return task.model_copy(update={"query": f"{task.query} ({number})"})
