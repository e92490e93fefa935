"""MetaAgent-X as a method of the studio."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from workers.core.checkpoints import CheckpointInfo
from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.base import Departure, Options, Sweep
from workers.core.methods.configuration import read_config
from workers.core.methods.metaagent_x.config import METHOD_KEY, MetaAgentXConfig
from workers.core.methods.metaagent_x.designing import Designing, read_script
from workers.core.methods.metaagent_x.models import trained
from workers.core.methods.metaagent_x.performing import Performance
from workers.core.methods.metaagent_x.training.config import (
    PRESETS,
    SWEEPS,
    MetaAgentXTrainingConfig,
)
from workers.core.methods.metaagent_x.training.memory import known_memory
from workers.core.methods.metaagent_x.training.metric_names import METRICS
from workers.core.rollouts.kept import write_models
from workers.core.rollouts.memory import Estimate
from workers.core.specs import AnswerForm, PoolSpec, TaskSpec
from workers.core.training.context import TrainingContext

_HEAVY = "workers.core.methods.metaagent_x.training.loop"


class MetaAgentX:
    key = METHOD_KEY
    name = "MetaAgent-X"
    description = (
        "A designer writes the team for the question as a short script: agents that vote, check "
        "each other, debate or work in turn. The script is checked, drawn and run in the sandbox. "
        "Training changes the models of both, the designer and the agents."
    )
    source = "arXiv:2605.14212"
    needs_pool = False
    learns = True
    config_schema = MetaAgentXConfig
    training_schema = MetaAgentXTrainingConfig
    presets: ClassVar[dict[str, dict[str, Any]]] = PRESETS
    sweeps: ClassVar[dict[str, Sweep]] = SWEEPS
    metrics = METRICS

    def tools(self, options: Options, pool: PoolSpec | None) -> tuple[str, ...]:
        """Those of a given script; without one, all that the designer may give."""
        known = {name: options[name] for name in MetaAgentXConfig.model_fields if name in options}
        config = MetaAgentXConfig.model_validate(known)
        if not config.script.strip():
            return config.tool_keys
        meaning = read_script(config.script, config.tool_keys)
        if meaning.drawing is None or not meaning.drawing.complete:
            return config.tool_keys
        return tuple({tool for block in meaning.drawing.blocks for tool in block.tools})

    def departures(
        self, options: Options, answer_form: AnswerForm, answer: str | None
    ) -> Iterator[Departure]:
        yield Departure(
            "calls_as_graph",
            "The design has the calls that the script made, each as an agent. The script's "
            "conditions, loops, votes, stops and temperatures are not in it: every agent answers, "
            "also where the script asked for a verdict.",
        )

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """[the designer's events] · script_read · for each call block_called and the agent's events
        · script_ended · intermediate_answer.

        Raises MethodError (no usable script, a script that delivers nothing, unusable checkpoint,
        dead endpoint) and BudgetExceeded.
        """
        config = read_config(MetaAgentXConfig, context.config)
        designer, executor = trained(context)
        designing = Designing(task, designer, config)
        async with aclosing(designing.events()) as events:
            async for event in events:
                yield event
        performance = Performance(designing.meaning, task, executor, config)
        async with aclosing(performance.events()) as events:
            async for event in events:
                yield event

    async def train(
        self, tasks: Sequence[TaskSpec], context: TrainingContext
    ) -> AsyncGenerator[Event]:
        """See `workers.core.methods.metaagent_x.training`."""
        config = read_config(MetaAgentXTrainingConfig, context.config)
        # Importing torch takes seconds; the event loop serves others meanwhile.
        await asyncio.to_thread(import_module, _HEAVY)
        from workers.core.methods.metaagent_x.training.loop import train

        async with aclosing(train(tasks, context, config)) as events:
            async for event in events:
                yield event

    def memory(self, options: Options) -> Estimate | None:
        return known_memory(read_config(MetaAgentXTrainingConfig, dict(options)))

    def asks_own_models(self, checkpoint: CheckpointInfo) -> bool:
        return True

    def write_adapter(self, checkpoint: Path, target: Path) -> None:
        write_models(checkpoint, target)
