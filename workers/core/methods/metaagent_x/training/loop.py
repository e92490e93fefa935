"""The training of a designer and an executor: demonstrations, then designs and executions."""

import random
import time
from collections.abc import AsyncGenerator, Sequence
from functools import partial

from workers.core.concurrency import OneThread
from workers.core.events import Event
from workers.core.methods.metaagent_x.config import METHOD_KEY
from workers.core.methods.metaagent_x.training import metrics
from workers.core.methods.metaagent_x.training.choosing import lessons, of_gradient, rates
from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.demonstrating import Demonstrator
from workers.core.methods.metaagent_x.training.kept import (
    branch_rows,
    design_rows,
    gone,
    probabilities_after,
    samples_of,
)
from workers.core.methods.metaagent_x.training.language import LanguageWorld
from workers.core.methods.metaagent_x.training.memory import require_room
from workers.core.methods.metaagent_x.training.plays import script_limits
from workers.core.methods.metaagent_x.training.policies import engine_of, kept_of, policies_of
from workers.core.methods.metaagent_x.training.rollouts import (
    Question,
    RolloutOptions,
    Rollouts,
    frozen,
)
from workers.core.methods.metaagent_x.training.samples import sample_of
from workers.core.methods.metaagent_x.training.schedule import shares, stage
from workers.core.methods.metaagent_x.training.worlds import DESIGNER, EXECUTOR, Role, World
from workers.core.rollouts.base import Weighted
from workers.core.rollouts.branches import pieces_of, write_branches
from workers.core.rollouts.designs import write_designs
from workers.core.scripts.session import warm_scripts
from workers.core.specs import TaskSpec
from workers.core.tools.sandbox import warm_sandboxes
from workers.core.training.context import TrainingContext
from workers.core.training.engine_training import EngineTraining, SampledStep
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
        training = await thread.run(_Training, tasks, context, config, thread, world)
        try:
            # Sandboxes for programs and for scripts start while models sample.
            limits = script_limits(config.max_calls)
            async with warm_sandboxes(), warm_scripts(WARM_SCRIPTS, limits):
                async for event in training.events(config.total_steps()):
                    yield event
        finally:
            await thread.run(training.end)
    finally:
        thread.close()


class _Training(EngineTraining[MetaAgentXTrainingConfig]):
    method, title = METHOD_KEY, "MetaAgent-X"

    def __init__(
        self,
        tasks: Sequence[TaskSpec],
        context: TrainingContext,
        config: MetaAgentXTrainingConfig,
        thread: OneThread,
        world: World,
    ) -> None:
        super().__init__(tasks, context, config, thread, (context.start_from,))
        world.require(tasks)
        self._policies = policies_of(config)
        limits: dict[Role, int] = {DESIGNER: config.design_tokens, EXECUTOR: config.max_tokens}
        self._demonstrator = Demonstrator(world, self._policies, limits)
        self._demonstrable = (
            self._demonstrator.demonstrated(tasks, self._training) if config.cold_steps else []
        )
        kept = kept_of(config, world.key)
        require_room(config, tasks, world, ranks=context.ranks)
        self._begin(kept, engine_of(config, context, kept))
        self._rollouts = Rollouts(self._engine, world, self._policies, _options(config))

    async def _shown(
        self, step: int, generator: random.Random
    ) -> tuple[dict[str, list[Step]], dict[str, float]]:
        shown = await self._demonstrator.demonstrations(
            self._drawn(self._demonstrable, step, self._config.cold_questions),
            engine=self._engine,
            generator=generator,
        )
        parts: dict[str, dict[str, Sequence[Weighted]]] = {}
        for role, batch in shown.found.items():
            if batch:
                parts.setdefault(self._policies[role], {})[role] = batch
        return {policy: [part] for policy, part in parts.items()}, shown.told()

    async def _sampled(self, step: int) -> SampledStep:
        config, engine = self._config, self._engine
        began, published = time.monotonic(), engine.seconds_publishing
        seed = step_seed(self._context.seed, step)
        tasks = self._drawn(self._training, step, config.questions_per_step)
        questions = await self._rollouts.rolled(tasks, seed=seed)
        sampled = time.monotonic()
        publication = engine.seconds_publishing - published  # before the first sample
        done = step - config.cold_steps
        learns = shares(done, config)
        told = await self._updated(
            lessons(questions, learns, self._policies, updates=config.updates, seed=seed),
            rates(self._rate(step), learns, self._policies),
            sampled=True,
            shares=of_gradient(learns, self._policies),
        )
        updated = time.monotonic()
        told = metrics.sampled(questions) | told
        questions = [frozen(question, learns) for question in questions]
        if config.branches_kept:
            await self._thread.run(self._kept_rows, step, questions)
        apart = await self._thread.run(gone, questions, engine, self._policies)
        # The updates know the divergence of all that is learned from, where it has a weight.
        told = apart | told
        told |= {
            "stage": float(stage(done, config)),
            "seconds_sampling": sampled - began - publication,
            "seconds_update": updated - sampled,
            "seconds_publication": publication,
        }
        samples = [
            sample_of(question, place, step=step, policies=self._policies)
            for place, question in enumerate(questions[: config.samples_per_step])
        ]
        return SampledStep(told, metrics.tokens_of(questions), samples)

    def _kept_rows(self, step: int, questions: Sequence[Question]) -> None:
        config, engine, folder = self._config, self._engine, self._context.folder
        tasks = self._places(self._training, step, config.questions_per_step)
        shown = questions[: config.with_ratios(len(questions))]
        branches = branch_rows(
            questions,
            policies=self._policies,
            tasks=tasks,
            pieces=pieces_of(engine, samples_of(questions, self._policies)),
            after=probabilities_after(shown, engine, self._policies),
        )
        designs = design_rows(questions, tasks, self._policies)
        kept = config.branches_kept
        self.beside(partial(write_branches, folder, step, branches, kept=kept))
        self.beside(partial(write_designs, folder, step, designs, kept=kept))

    async def _held_out_played(self) -> dict[str, float]:
        """Each held-out task once, as a run does it."""
        tasks = [self._tasks[at] for at in self._held_out]
        seed = step_seed(self._context.seed, HELD_OUT)
        return metrics.held_out(await self._rollouts.played(tasks, seed=seed))


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
