"""The method; see the package."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, ClassVar

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.base import Sweep
from workers.core.methods.configuration import read_config
from workers.core.methods.team_size.config import TeamSizeConfig, TeamSizeTrainingConfig
from workers.core.methods.team_size.policy import KEY, logits_in, solved
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext


class TeamSize:
    key = KEY
    name = "Team size"
    description = "Learns how many solvers to ask; the answer that most of them give counts."
    source = "tests"
    needs_pool = False
    learns = True
    config_schema = TeamSizeConfig
    training_schema = TeamSizeTrainingConfig
    presets: ClassVar[dict[str, dict[str, Any]]] = {"short": {}}
    sweeps: ClassVar[dict[str, Sweep]] = {}

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """size_drawn · graph_planned · the agents' events · intermediate_answer."""
        read_config(TeamSizeConfig, context.config)
        known = logits_in(context.checkpoint)
        async with aclosing(solved(task, context, known, int(known.argmax()) + 1)) as events:
            async for event in events:
                yield event

    async def train(
        self, tasks: Sequence[TaskSpec], context: TrainingContext
    ) -> AsyncGenerator[Event]:
        from workers.core.methods.team_size.training import Training

        config = read_config(TeamSizeTrainingConfig, context.config)
        async with aclosing(Training(tasks, context, config).events(config.steps)) as events:
            async for event in events:
                yield event
