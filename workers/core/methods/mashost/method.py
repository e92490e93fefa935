"""MasHost as a method of the studio. Light to import: torch comes with the first run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import ValidationError

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.base import Departure, Options, Sweep
from workers.core.methods.configuration import read_config
from workers.core.methods.mashost.config import METHOD_KEY, MasHostConfig
from workers.core.methods.mashost.initial import ensure_initial
from workers.core.methods.mashost.training.config import (
    PAPER,
    PAPER_OTHERS,
    MasHostTrainingConfig,
)
from workers.core.methods.mashost.training.metric_names import METRICS
from workers.core.methods.mashost.training.sweeps import SWEEPS
from workers.core.methods.nearest import pool_of
from workers.core.methods.plans import AgentSampling, Plan
from workers.core.specs import AnswerForm, GraphSpec, TaskSpec
from workers.core.training.context import TrainingContext

if TYPE_CHECKING:
    from workers.core.methods.mashost.weights import PolicyCache

_HEAVY = "workers.core.methods.mashost.build"


class MasHost:
    """A learned policy adds, deletes and connects agents until it exits; see the package's
    docstring.

    One object serves all runs of a process. It keeps the loaded policies and pools.
    """

    key = METHOD_KEY
    name = "MasHost"
    description = (
        "A learned policy builds a team for each question, agent by agent. It chooses a role, "
        "decides which agents the new one reads, may delete it again, and stops when the team "
        "is complete."
    )
    source = "arXiv:2506.08507"
    needs_pool = True
    learns = True
    config_schema = MasHostConfig
    training_schema = MasHostTrainingConfig
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "studio": {},
        "paper": PAPER,
        "paper-not-gsm8k": PAPER_OTHERS,
    }
    sweeps: ClassVar[dict[str, Sweep]] = SWEEPS
    metrics = METRICS

    def plan(self, options: Options, graph: GraphSpec) -> Plan:
        """Every agent samples with the run's seed, and so does the summary agent."""
        temperature = _known(options).temperature
        if temperature == 0:
            return Plan()
        sampling = AgentSampling(temperature=temperature)
        return Plan(
            sampling={node.id: sampling for node in graph.nodes}, summary_temperature=temperature
        )

    def departures(
        self, options: Options, answer_form: AnswerForm, answer: str | None
    ) -> Iterator[Departure]:
        with suppress(ValidationError):
            config = _known(options)
            if config.feedback_edges and config.final_answer == "summary":
                yield Departure(
                    "revisions_and_first_messages",
                    "MasHost's summary agent reads only the last version of a message that was "
                    "revised. The summary agent of a design also reads the versions before it.",
                )

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """node_sampled · edges_sampled · the agent's events · intermediate_answer, until EXIT; then
        the summary agent's events and the last intermediate_answer.

        Raises MethodError (no pool, no embedder, unusable checkpoint, dead endpoint) and
        BudgetExceeded.
        """
        config = read_config(MasHostConfig, context.config)
        pool = pool_of(context, self.name)
        # Importing torch takes seconds on the first run; the event loop serves others meanwhile.
        await asyncio.to_thread(import_module, _HEAVY)
        from workers.core.methods.mashost.build import Construction
        from workers.core.methods.mashost.prepared import prepare

        prepared = await prepare(self._cache, pool, config, task=task, context=context)
        construction = Construction(prepared, task=task, context=context)
        async with aclosing(construction.events()) as events:
            async for event in events:
                yield event

    async def train(
        self, tasks: Sequence[TaskSpec], context: TrainingContext
    ) -> AsyncGenerator[Event]:
        """Train the policy; see `workers.core.methods.mashost.training`."""
        config = read_config(MasHostTrainingConfig, context.config)
        await asyncio.to_thread(import_module, _HEAVY)
        from workers.core.methods.mashost.training.loop import train

        async with aclosing(train(tasks, context, config)) as events:
            async for event in events:
                yield event

    def untrained(self, checkpoints: Path) -> Path:
        return ensure_initial(checkpoints)

    @cached_property
    def _cache(self) -> PolicyCache:
        from workers.core.methods.mashost.weights import PolicyCache

        return PolicyCache()


def _known(options: Options) -> MasHostConfig:
    """The options without those of another version. Raises ValidationError."""
    known = {name: value for name, value in options.items() if name in MasHostConfig.model_fields}
    return MasHostConfig.model_validate(known)
