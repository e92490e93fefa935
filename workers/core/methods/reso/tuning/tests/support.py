"""Tunings small enough for a test, and what came of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workers.core.benchmarks.compositional import TASK_GRAPH
from workers.core.events import Event, TrainingMetric
from workers.core.llm.types import ChatRequest
from workers.core.mas.tests.support import ScriptedClient, endpoint, role
from workers.core.methods.reso.config import SearchConfig
from workers.core.methods.reso.tuning.config import TuningConfig, TuningKind
from workers.core.methods.reso.tuning.loop import Tuning, tune
from workers.core.methods.tests.support import HashEmbedder
from workers.core.specs import PoolSpec, SubtaskSpec, TaskGraphSpec, TaskSpec
from workers.core.training.context import StopSwitch, TrainingContext

POOL = PoolSpec(key="p", name="P", roles=(role("adder"), role("poet")))
SEARCH = SearchConfig(max_subtasks=5)


def composed(number: int) -> TaskSpec:
    """A sum of two numbers, in two subtasks of its own."""
    graph = TaskGraphSpec(
        subtasks=(
            SubtaskSpec(id="p1", text=f"What is {number} and 1?", reference=str(number + 1)),
            SubtaskSpec(
                id="final", text="And 2 more?", depends_on=("p1",), reference=str(number + 3)
            ),
        )
    )
    return TaskSpec(
        query=f"What is {number} and 1 and 2?",
        reference=str(number + 3),
        verifier="numeric",
        metadata={TASK_GRAPH: graph.model_dump(mode="json")},
    )


TASKS = [composed(number) for number in range(6)]


def half_right(request: ChatRequest) -> str:
    """Adds to even numbers, and is wrong of odd ones; the final subtask is never right."""
    asked = request.messages[-1].content
    number = next((n for n in range(6) if f"What is {n} and" in asked), None)
    right = number is not None and number % 2 == 0
    return f"I add.\nAnswer: {number + 1 if number is not None and right else 99}"


def context_in(folder: Path, script: Any = half_right, **changes: Any) -> TrainingContext:
    values: dict[str, Any] = {
        "llm": ScriptedClient(script),
        "endpoint": endpoint(),
        "seed": 0,
        "folder": folder,
        "config": {},
        "pool": POOL,
        "embedder": HashEmbedder(),
        "stop": StopSwitch(),
    }
    return TrainingContext(**(values | changes))


def tuning_of(kind: TuningKind, **changes: Any) -> Tuning:
    values: dict[str, Any] = {
        "model": "tiny",
        "learning_rate": 5e-3,
        "epochs": 4,
        "batch_size": 2,
        "checkpoint_every": 4,
    }
    return Tuning(kind, TuningConfig.model_validate(values | changes), SEARCH)


async def tuned(
    kind: TuningKind,
    folder: Path,
    *,
    tasks: Sequence[TaskSpec] = TASKS,
    stop_after: int | None = None,
    context: TrainingContext | None = None,
    **changes: Any,
) -> list[Event]:
    """`stop_after`: so many events are heard, and then nothing is: as of a killed process."""
    events: list[Event] = []
    async for event in tune(tasks, context or context_in(folder), tuning_of(kind, **changes)):
        events.append(event)
        if len(events) == stop_after:
            break
    return events


def metrics(events: Sequence[Event]) -> dict[int, dict[str, float]]:
    """Of each step, without what the clock says."""
    return {
        event.step: {name: value for name, value in event.values.items() if name != "seconds"}
        for event in events
        if isinstance(event, TrainingMetric)
    }
