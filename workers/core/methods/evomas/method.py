"""EvoMAS as a method of the studio. Light to import: torch comes with the first run."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from importlib import import_module
from typing import Any, ClassVar

from workers.core.checkpoints import CheckpointError, unusable
from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.base import Departure, Options, Sweep
from workers.core.methods.configuration import read_config
from workers.core.methods.evomas.agents import (
    ANSWER_ROLE,
    EVALUATOR_ROLE,
    candidates,
    fixed_layers,
    single_agent,
)
from workers.core.methods.evomas.config import METHOD_KEY, SINGLE, AdapterConfig, EvoMasConfig
from workers.core.methods.evomas.training.config import PRESETS, SWEEPS, EvoMasTrainingConfig
from workers.core.methods.evomas.training.metric_names import METRICS
from workers.core.specs import AnswerForm, PoolSpec, RoleSpec, TaskSpec
from workers.core.tools.registry import TOOLS
from workers.core.training.context import TrainingContext

_HEAVY = "workers.core.methods.evomas.training.loop"
UNTRAINED_SEED = 0


class EvoMas:
    key = METHOD_KEY
    name = "EvoMAS"
    description = (
        "Works stage by stage: a planner names the next subtask, a learned adapter chooses layers "
        "of agents for it, they search, read and compute, an evaluator judges the result, and the "
        "plan moves on."
    )
    source = "arXiv:2605.08769"
    needs_pool = False
    learns = True
    config_schema = EvoMasConfig
    training_schema = EvoMasTrainingConfig
    presets: ClassVar[dict[str, dict[str, Any]]] = PRESETS
    sweeps: ClassVar[dict[str, Sweep]] = SWEEPS
    metrics = METRICS
    small_reply_tokens = 512
    """Many small models go in circles up to their limit. Programs need more than 256."""

    def selectable(self, options: Options, pool: PoolSpec | None) -> tuple[RoleSpec, ...]:
        return candidates(_config_of(options), pool).roles

    def tools(self, options: Options, pool: PoolSpec | None) -> tuple[str, ...]:
        """Those of the candidates, the evaluator and the final agent that the registry has."""
        config = _config_of(options)
        asked = candidates(config, pool)
        named = {tool for role in asked.roles for tool in role.tools}
        judging = EVALUATOR_ROLE.tools if config.state and config.evaluator_tools else ()
        ending = ANSWER_ROLE.tools if config.state else ()
        alone = single_agent(asked).tools if SINGLE in config.workflow else ()
        return tuple(sorted(named.union(judging, ending, alone).intersection(TOOLS)))

    def departures(
        self, options: Options, answer_form: AnswerForm, answer: str | None
    ) -> Iterator[Departure]:
        yield Departure(
            "stages_as_one_question",
            "EvoMAS asks its agents about one subtask after another, with a state that grows. A "
            "design asks all its agents the whole question.",
        )

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """Stage after stage, then the answer; see `solving.StageSolver`.

        Raises MethodError (unknown role of a fixed workflow, no embedder, unusable checkpoint, dead
        endpoint) and BudgetExceeded.
        """
        config = read_config(EvoMasConfig, context.config)
        pool = candidates(config, context.pool)
        fixed = fixed_layers(config, pool)
        # Importing torch takes seconds on the first run; the event loop serves others meanwhile.
        await asyncio.to_thread(import_module, _HEAVY)
        from workers.core.methods.evomas.adapter import initial_adapter
        from workers.core.methods.evomas.choosing import Chooser, choosing_of, pool_embeddings
        from workers.core.methods.evomas.solving import StageSolver
        from workers.core.methods.evomas.weights import load_adapter

        chooser = Chooser(pool, choosing_of(config, pool), context.embedder, fixed=fixed)
        if not fixed:
            agents = await pool_embeddings(context.embedder, pool)
            if context.checkpoint is None:
                shape = AdapterConfig(dimension=agents.shape[1])
                adapter = initial_adapter(UNTRAINED_SEED, shape, agents, chooser.choosing)
            else:
                try:
                    adapter = await asyncio.to_thread(
                        load_adapter, context.checkpoint, dimension=agents.shape[1]
                    )
                except CheckpointError as error:
                    raise unusable(error) from error
            seed = None if config.greedy else (context.seed,)
            chooser = Chooser(pool, chooser.choosing, context.embedder, adapter, agents, seed=seed)
        solver = StageSolver(task, config, chooser, context)
        async with aclosing(solver.events()) as events:
            async for event in events:
                yield event

    async def train(
        self, tasks: Sequence[TaskSpec], context: TrainingContext
    ) -> AsyncGenerator[Event]:
        """Train the adapter; see `workers.core.methods.evomas.training`."""
        config = read_config(EvoMasTrainingConfig, context.config)
        await asyncio.to_thread(import_module, _HEAVY)
        from workers.core.methods.evomas.training.loop import train

        async with aclosing(train(tasks, context, config)) as events:
            async for event in events:
                yield event


def _config_of(options: Options) -> EvoMasConfig:
    """Of a run, or of a training, which has further settings."""
    known = {name: options[name] for name in EvoMasConfig.model_fields if name in options}
    return EvoMasConfig.model_validate(known)
