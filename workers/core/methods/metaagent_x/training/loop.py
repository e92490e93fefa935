"""The training: what MetaAgent-X demonstrates, samples and holds out in each step."""

import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, ClassVar

from workers.core.concurrency import OneThread
from workers.core.events import Event
from workers.core.methods.metaagent_x.config import METHOD_KEY
from workers.core.methods.metaagent_x.training import metrics
from workers.core.methods.metaagent_x.training.choosing import lessons, rates
from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.demonstrating import Demonstrator
from workers.core.methods.metaagent_x.training.kept import (
    branch_rows,
    design_rows,
    probabilities_after,
)
from workers.core.methods.metaagent_x.training.language import LanguageWorld
from workers.core.methods.metaagent_x.training.memory import require_room
from workers.core.methods.metaagent_x.training.plays import script_limits
from workers.core.methods.metaagent_x.training.policies import engine_of, kept_of, policies_of
from workers.core.methods.metaagent_x.training.rollouts import Question, RolloutOptions, Rollouts
from workers.core.methods.metaagent_x.training.samples import sample_of
from workers.core.methods.metaagent_x.training.schedule import shares, stage
from workers.core.methods.metaagent_x.training.worlds import DESIGNER, EXECUTOR, Role, World
from workers.core.rollouts.branches import write_branches
from workers.core.rollouts.designs import write_designs
from workers.core.scripts.session import warm_scripts
from workers.core.specs import TaskSpec
from workers.core.tools.sandbox import warm_sandboxes
from workers.core.training.context import TrainingContext
from workers.core.training.engine_state import writing
from workers.core.training.language_models import LanguageModelTraining, Sampled
from workers.core.training.tasks import require_tasks
from workers.core.training.updating import Step, step_seed

WARM_SCRIPTS = 2
HELD_OUT = 1
"""Added to the job's seed, so that held-out tasks are answered alike at each checkpoint."""


async def train(
    tasks: Sequence[TaskSpec],
    context: TrainingContext,
    config: MetaAgentXTrainingConfig,
    world: World | None = None,
) -> AsyncGenerator[Event]:
    """See `workers.core.methods.base.LearningMethod`. `world`: None for the studio's own."""
    require_tasks(tasks)
    thread = OneThread()
    try:
        if world is None:
            world = await thread.run(LanguageWorld.made, config, context)
        training = await thread.run(_Training, tasks, context, config, world, thread)
        try:
            # Sandboxes for programs and for scripts start while models sample.
            limits = script_limits(config.max_calls)
            async with warm_sandboxes(), warm_scripts(WARM_SCRIPTS, limits):
                async for event in training.events(config.total_steps()):
                    yield event
        finally:
            await thread.run(training.close_engine)
    finally:
        thread.close()


class _Training(LanguageModelTraining[MetaAgentXTrainingConfig]):
    method: ClassVar[str] = METHOD_KEY
    name: ClassVar[str] = "MetaAgent-X"

    def __init__(
        self,
        tasks: Sequence[TaskSpec],
        context: TrainingContext,
        config: MetaAgentXTrainingConfig,
        world: World,
        thread: OneThread,
    ) -> None:
        super().__init__(tasks, context, config, thread)
        world.require(tasks)
        self._policies = policies_of(config)
        limits: dict[Role, int] = {DESIGNER: config.design_tokens, EXECUTOR: config.max_tokens}
        self._demonstrator = Demonstrator(world, self._policies, limits)
        self._shown = (
            self._demonstrator.demonstrated(tasks, self._training) if config.cold_steps else []
        )
        self._kept = kept_of(config, world.key)
        require_room(config, tasks, world, ranks=context.ranks)
        self.begin(engine_of(config, context, self._kept), self._kept.base)
        self._rollouts = Rollouts(self._engine, world, self._policies, _options(config))

    async def demonstrated(self, step: int) -> Mapping[str, Sequence[Step]]:
        shown = await self._demonstrator.demonstrations(
            self.drawn(self._shown, step, self._config.cold_questions),
            engine=self._engine,
            generator=random.Random(f"{self._context.seed} {step}"),  # noqa: S311  no secret
        )
        parts: dict[str, dict[str, Any]] = {}
        for role, batch in shown.items():
            if batch:
                parts.setdefault(self._policies[role], {})[role] = batch
        return {policy: [part] for policy, part in parts.items()}

    async def sampled(self, step: int, *, seed: int, rate: float) -> Sampled:
        config = self._config
        tasks = self.drawn(self._training, step, config.questions_per_step)
        questions = await self._rollouts.rolled(tasks, seed=seed)
        done = step - config.cold_steps
        learns = shares(done, config)
        samples = [
            sample_of(question, place, step=step, policies=self._policies)
            for place, question in enumerate(questions[: config.samples_per_step])
        ]
        return Sampled(
            steps=lessons(questions, learns, self._policies, updates=config.updates, seed=seed),
            rates=rates(rate, learns, self._policies),
            told=metrics.sampled(questions) | {"stage": float(stage(done, config))},
            tokens=metrics.tokens_of(questions),
            events=samples,
            keep=lambda: self._rows_kept(step, questions),
        )

    def _rows_kept(self, step: int, questions: Sequence[Question]) -> None:
        config, engine, folder = self._config, self._engine, self._context.folder
        tasks = self.places(self._training, step, config.questions_per_step)
        shown = questions[: config.samples_per_step]
        branches = branch_rows(
            questions,
            engine=engine,
            policies=self._policies,
            tasks=tasks,
            after=probabilities_after(shown, engine, self._policies),
        )
        designs = design_rows(questions, tasks, self._policies)
        with writing():
            write_branches(folder, step, branches, kept=config.branches_kept)
            write_designs(folder, step, designs, kept=config.branches_kept)

    async def held_out_played(self) -> dict[str, float]:
        tasks = [self._tasks[at] for at in self._held_out]
        seed = step_seed(self._context.seed, HELD_OUT)
        return metrics.held_out(await self._rollouts.played(tasks, seed=seed))

    def checkpoint_config(self) -> dict[str, Any]:
        return self._kept.model_dump(mode="json")


def _options(config: MetaAgentXTrainingConfig) -> RolloutOptions:
    return RolloutOptions(
        designs=config.designs,
        executions=config.executions,
        design_tokens=config.design_tokens,
        max_tokens=config.max_tokens,
        max_calls=config.max_calls,
        delivery=config.delivery,
        format=config.format,
        call_cost=config.call_cost,
    )
