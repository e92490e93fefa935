"""AT-GRPO as a method of the studio. Light to import: it doesn't need torch."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from workers.core.checkpoints import CheckpointInfo
from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.at_grpo.config import METHOD_KEY, AtGrpoConfig
from workers.core.methods.at_grpo.playing import Episode
from workers.core.methods.at_grpo.team import (
    as_episode,
    environment_of,
    one_environment,
    require_rewarded,
)
from workers.core.methods.at_grpo.training.config import (
    PRESETS,
    SWEEPS,
    AtGrpoTrainingConfig,
    preset_for,
)
from workers.core.methods.at_grpo.training.memory import known_memory
from workers.core.methods.at_grpo.training.metric_names import METRICS
from workers.core.methods.base import Departure, Options, Sweep, TrainableTeam
from workers.core.methods.configuration import read_config
from workers.core.rollouts.kept import write_models
from workers.core.rollouts.memory import Estimate
from workers.core.specs import AnswerForm, PoolSpec, TaskSpec
from workers.core.tools.program import PROGRAM_TOOL
from workers.core.training.context import TrainingContext

_HEAVY = "workers.core.methods.at_grpo.training.loop"


class AtGrpo:
    key = METHOD_KEY
    name = "AT-GRPO"
    description = (
        "A team of two works turn by turn: on a game one proposes and the other commits, on a "
        "problem one reasons and the other calculates, on a programming task one codes and the "
        "other tests. Training changes the language models themselves: each agent's answers in "
        "each turn are compared with each other, and the best is played."
    )
    source = "arXiv:2510.11062"
    needs_pool = False
    learns = True
    config_schema = AtGrpoConfig
    training_schema = AtGrpoTrainingConfig
    presets: ClassVar[dict[str, dict[str, Any]]] = PRESETS
    sweeps: ClassVar[dict[str, Sweep]] = SWEEPS
    metrics = METRICS

    def departures(
        self, options: Options, answer_form: AnswerForm, answer: str | None
    ) -> Iterator[Departure]:
        yield Departure(
            "episode_as_one_question",
            "AT-GRPO shows each agent what it needs in its turn, such as the board as it is now, "
            "or what a program printed. A design asks all its agents the whole question, and "
            "between its agents nothing is moved or run.",
        )

    def tools(self, options: Options, pool: PoolSpec | None) -> Iterator[str]:
        """The agents' programs are run by the environment."""
        config = read_config(AtGrpoConfig, dict(options))
        proposes = config.plays in ("both", "proposer") and config.proposes == "program"
        if proposes or config.plays == "tool_user":
            yield PROGRAM_TOOL

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """episode_started · for each turn and agent graph_planned, the agent's events,
        episode_moved · intermediate_answer after each turn.

        Raises MethodError (no episode, unusable checkpoint, dead endpoint), and BudgetExceeded.
        """
        config = read_config(AtGrpoConfig, context.config)
        task = as_episode(task)
        episode = Episode(task, environment_of(task, config), context, config)
        async with aclosing(episode.events()) as events:
            async for event in events:
                yield event

    async def train(
        self, tasks: Sequence[TaskSpec], context: TrainingContext
    ) -> AsyncGenerator[Event]:
        """See `workers.core.methods.at_grpo.training`."""
        config = read_config(AtGrpoTrainingConfig, context.config)
        # Importing torch takes seconds; the event loop serves others meanwhile.
        await asyncio.to_thread(import_module, _HEAVY)
        from workers.core.methods.at_grpo.training.loop import train

        async with aclosing(train(tasks, context, config)) as events:
            async for event in events:
                yield event

    def memory(self, options: Options) -> Estimate | None:
        return known_memory(read_config(AtGrpoTrainingConfig, dict(options)))

    def team_for(self, tasks: Sequence[TaskSpec]) -> TrainableTeam:
        environment = one_environment(tasks, AtGrpoConfig())
        require_rewarded(environment, tasks)
        return TrainableTeam(
            environment=environment.key,
            name=environment.name,
            agents=tuple(role.name for role in environment.roles),
            preset=preset_for(environment.key),
        )

    def asks_own_models(self, checkpoint: CheckpointInfo) -> bool:
        return True

    def write_adapter(self, checkpoint: Path, target: Path) -> None:
        write_models(checkpoint, target)
