"""A whole training over HTTP, as small as one can be: the real client, sums, five roles."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from workers.core.checkpoints import load
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.events import Event, TrainingMetric
from workers.core.llm.client import OpenAIClient
from workers.core.llm.retry import RetryPolicy
from workers.core.llm.spending import Spending, Spent
from workers.core.methods.mashost.method import MasHost
from workers.core.methods.tests.support import small_pool
from workers.core.specs import EndpointSpec, TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.tasks import task_indices

SEED = 7
SMALL: dict[str, Any] = {
    "steps": 4,
    "queries_per_step": 2,
    "systems_per_query": 3,
    "max_agents": 3,
    "max_steps": 5,
    "hidden": 16,
    "layers": 1,
    "critic_hidden": 16,
    "checkpoint_every": 2,
    "samples_per_step": 1,
}


def product(a: int, b: int) -> TaskSpec:
    return TaskSpec(
        query=f"What is {a} * {b}?", reference=str(a * b), verifier="numeric", domain="arithmetic"
    )


TASKS = tuple(product(a, b) for a, b in ((2, 3), (4, 5), (6, 7), (8, 9), (3, 11)))


def queries_of(step: int, tasks: Sequence[TaskSpec], per_step: int) -> list[str]:
    """What a step asks. With `per_step` tasks for each step, no two steps ask the same."""
    order = task_indices(len(tasks), step, per_step=per_step, seed=SEED)
    return [tasks[index].query for index in order]


@dataclass(frozen=True, slots=True)
class Trainer:
    """Trainings in folders below `folder`, at the stub at `url` where no other is named."""

    folder: Path
    url: str
    embedder: MiniLMEmbedder

    @asynccontextmanager
    async def context(
        self,
        name: str = "job",
        *,
        url: str = "",
        endpoint: Mapping[str, Any] | None = None,
        **changes: Any,
    ) -> AsyncIterator[TrainingContext]:
        config = SMALL | changes.pop("config", {})
        values = {
            "key": "stub",
            "base_url": url or self.url,
            "model": "stub",
            "timeout_seconds": 10,
        }
        spec = EndpointSpec.model_validate(
            {**values, "allow_private_address": True, **(endpoint or {})}
        )
        budget = changes.pop("budget", None)
        async with OpenAIClient(retry=RetryPolicy(tries=1)) as client:
            yield TrainingContext(
                llm=Spending(client, Spent.zero(), budget),
                endpoint=spec,
                seed=SEED,
                folder=self.folder / name,
                config=config,
                pool=small_pool(),
                embedder=self.embedder,
                **changes,
            )

    async def __call__(
        self,
        name: str = "job",
        *,
        tasks: Sequence[TaskSpec] = TASKS,
        stop_after: int = 0,
        heard: Callable[[Event], None] | None = None,
        **changes: Any,
    ) -> list[Event]:
        """All events, each `heard` as it comes; with `stop_after` the process is as if killed after
        that many."""
        events = []
        async with self.context(name, **changes) as context:
            training = MasHost().train(tasks, context)
            async for event in training:
                events.append(event)
                if heard is not None:
                    heard(event)
                if stop_after and len(events) == stop_after:
                    break
            await training.aclose()
        return events

    def checkpoint(self, name: str, step: int) -> Path:
        return self.folder / name / "checkpoints" / f"step-{step:06d}"

    def weights(self, name: str, step: int) -> dict[str, Tensor]:
        """Those of the checkpoint of a step."""
        return load(self.checkpoint(name, step), method="mashost")[1]


def metrics(events: Sequence[Event]) -> dict[int, dict[str, float]]:
    """What is the same whenever it is done: no times, no use of the endpoint."""
    timed = {"seconds", "endpoint_utilisation", "cache_hits", "tokens_total", "cost_total"}
    return {
        event.step: {name: value for name, value in event.values.items() if name not in timed}
        for event in events
        if isinstance(event, TrainingMetric)
    }
