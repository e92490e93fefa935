"""ReSo as a method of the studio. Light to import: it doesn't need torch."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from workers.core.agents.kept import profiles_in
from workers.core.checkpoints import CheckpointError, CheckpointInfo, read_info, unusable
from workers.core.errors import MethodError
from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.base import Departure, Options, Sweep
from workers.core.methods.configuration import read_config
from workers.core.methods.reso.config import METHOD_KEY, ReSoConfig
from workers.core.methods.reso.given import database_of
from workers.core.methods.reso.planner import Planner
from workers.core.methods.reso.solving import TaskSolver
from workers.core.methods.reso.training.config import PRESETS, SWEEPS, ReSoTrainingConfig
from workers.core.methods.reso.training.metric_names import METRICS
from workers.core.methods.reso.tuning.config import ADAPTERS
from workers.core.specs import AnswerForm, TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.weights.adapters import write_adapter

_HEAVY = "workers.core.methods.reso.tuning.loop"


class ReSo:
    key = METHOD_KEY
    name = "ReSo"
    description = (
        "Divides a question into subtasks and gives each to the agents (roles on endpoints) "
        "that suit it and have earned the most so far. It learns from the reward of every "
        "answer."
    )
    source = "EMNLP 2025"
    needs_pool = True
    learns = True
    config_schema = ReSoConfig
    training_schema = ReSoTrainingConfig
    presets: ClassVar[dict[str, dict[str, Any]]] = PRESETS
    sweeps: ClassVar[dict[str, Sweep]] = SWEEPS
    metrics = METRICS

    def departures(
        self, options: Options, answer_form: AnswerForm, answer: str | None
    ) -> Iterator[Departure]:
        yield Departure(
            "subtasks_as_one_question",
            "ReSo asks each agent its subtask and chooses among several agents of one subtask. "
            "A design asks all its agents the whole question and doesn't choose.",
        )

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """The planner's events, ending with subtasks_planned · for each level candidates_scored,
        graph_planned, the agents' events and subtask_answered · intermediate_answer.

        Raises MethodError (empty database, no task graph, unusable checkpoint, dead endpoints),
        LLMError if the planner's endpoint fails, and BudgetExceeded.
        """
        config = read_config(ReSoConfig, context.config)
        scoring = config.scoring(weight=config.exploration_weight, exploration=config.exploration)
        known = profiles_in(context.checkpoint, method=self.key)
        database = await database_of(context, config, scoring, known)
        planner = Planner(task, config, context, client=context.llm)
        async with aclosing(planner.events()) as planning:
            async for event in planning:
                yield event
        solver = TaskSolver(
            planner.graph,
            database=database,
            context=context,
            k=config.k,
            tolerance=config.tolerance,
        )
        async with aclosing(solver.events()) as events:
            async for event in events:
                yield event

    async def train(
        self, tasks: Sequence[TaskSpec], context: TrainingContext
    ) -> AsyncGenerator[Event]:
        """Train the database, or tune a model; see `workers.core.methods.reso.training` and
        `workers.core.methods.reso.tuning`."""
        config = read_config(ReSoTrainingConfig, context.config)
        async with aclosing(await _trained(tasks, context, config)) as events:
            async for event in events:
                yield event

    def runs_with(self, checkpoint: CheckpointInfo) -> bool:
        """Runs use agents. The checkpoint of a tuning is for a server, or for rewards."""
        return self.holds_agents(checkpoint)

    def holds_agents(self, checkpoint: CheckpointInfo) -> bool:
        return "agents" in checkpoint.config

    def write_adapter(self, checkpoint: Path, target: Path) -> None:
        try:
            kind = read_info(checkpoint, method=self.key).config.get("kind")
        except CheckpointError as error:
            raise unusable(error) from error
        if kind not in ADAPTERS:
            raise MethodError(
                code="no_adapter",
                message=f"The checkpoint “{checkpoint.name}” has agents but no adapter.",
                remedy="Name a checkpoint of a training with learns=planner or "
                "learns=reward_model.",
            )
        write_adapter(checkpoint, target, ADAPTERS[kind])


async def _trained(
    tasks: Sequence[TaskSpec], context: TrainingContext, config: ReSoTrainingConfig
) -> AsyncGenerator[Event]:
    if config.learns == "agents":
        from workers.core.methods.reso.training.loop import train

        return train(tasks, context, config)
    # Importing torch takes seconds; the event loop serves others meanwhile.
    await asyncio.to_thread(import_module, _HEAVY)
    from workers.core.methods.reso.tuning.loop import Tuning, tune

    settings = config.model_dump(mode="json")
    kind = config.learns
    return tune(tasks, context, Tuning(kind, config.tuning(), config, config.k, settings))
