"""The training: supervised steps on demonstrations, then steps of reinforcement learning.

A step is a function of the seed, its number, the weights and the optimiser. So a training that is
resumed equals one that was never stopped.
"""

import random
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from workers.core.checkpoints import CheckpointError, CheckpointInfo, save, unusable
from workers.core.concurrency import OneThread
from workers.core.events import CheckpointSaved, Event, TrainingMetric
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
from workers.core.rollouts.base import LossOptions
from workers.core.rollouts.branches import write_branches
from workers.core.rollouts.designs import write_designs
from workers.core.rollouts.kept import named
from workers.core.scripts.session import warm_scripts
from workers.core.specs import TaskSpec
from workers.core.tools.sandbox import warm_sandboxes
from workers.core.training.context import TrainingContext
from workers.core.training.engine_state import (
    Progress,
    forget_after,
    load_state,
    save_state,
    writing,
)
from workers.core.training.resumable import (
    ResumableTraining,
    checkpoint_saved,
    code_version,
    require_model,
    require_same,
)
from workers.core.training.tasks import (
    indices_of,
    known_hashes,
    learned_from,
    require_tasks,
    split_tasks,
    task_digest,
    task_indices,
)
from workers.core.training.updating import (
    COLD_FLOOR,
    Step,
    fallen,
    risen,
    step_seed,
    updated,
)

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
            await thread.run(training.end)
    finally:
        thread.close()


class _Training(ResumableTraining[Progress]):
    """Made in a thread, where its updates run, too: it reads models."""

    def __init__(
        self,
        tasks: Sequence[TaskSpec],
        context: TrainingContext,
        config: MetaAgentXTrainingConfig,
        world: World,
        thread: OneThread,
    ) -> None:
        super().__init__(context)
        self._tasks, self._config, self._thread = tasks, config, thread
        try:
            seen = indices_of(tasks, learned_from(context.start_from))
        except CheckpointError as error:
            raise unusable(error) from error
        self._training, self._held_out = split_tasks(
            len(tasks), config.held_out, seed=context.seed, seen=seen
        )
        world.require(tasks)
        self._policies = policies_of(config)
        limits: dict[Role, int] = {DESIGNER: config.design_tokens, EXECUTOR: config.max_tokens}
        self._demonstrator = Demonstrator(world, self._policies, limits)
        self._shown = (
            self._demonstrator.demonstrated(tasks, self._training) if config.cold_steps else []
        )
        self._kept = kept_of(config, world.key)
        require_room(config, tasks, world, ranks=context.ranks)
        self._engine = engine_of(config, context, self._kept)
        self._rollouts = Rollouts(self._engine, world, self._policies, _options(config))
        self._settings: dict[str, Any] = config.model_dump(mode="json")
        self.progress = Progress(
            config=self._settings, tasks=task_digest(tasks), base=self._kept.base
        )
        found = load_state(context.folder, self._engine, method=METHOD_KEY)
        if found is not None:
            began = MetaAgentXTrainingConfig.model_validate(found.config).model_dump(mode="json")
            same_tasks = found.tasks == self.progress.tasks
            require_same(began, self._settings, same_tasks=same_tasks)
            require_model(found, self._kept.base, model=config.model)
            self.progress = found

    # -- one step

    async def step(self) -> list[Event]:
        began, config, step = time.monotonic(), self._config, self.progress.step + 1
        events: list[Event] = []
        tokens = self.progress.tokens
        if step <= config.cold_steps:
            told = await self._demonstrated(step)
        else:
            told, questions = await self._sampled(step)
            tokens += metrics.tokens_of(questions)
            events += [
                sample_of(question, place, step=step, policies=self._policies)
                for place, question in enumerate(questions[: config.samples_per_step])
            ]
        saves = step % config.checkpoint_every == 0 or step in (
            config.cold_steps,
            config.total_steps(),
        )
        if saves and self._held_out:
            told |= await self._held_out_played()
        told |= {"seconds": time.monotonic() - began, "tokens_total": float(tokens)}
        events.insert(0, TrainingMetric(step=step, values=told))
        if saves:
            events.append(await self._thread.run(self.checkpoint, step, told))
        await self.keep(events, step=step, tokens=tokens)
        self._context.pulse.share = 0.0
        return events

    async def _demonstrated(self, step: int) -> dict[str, float]:
        config = self._config
        shown = await self._demonstrator.demonstrations(
            self._drawn(self._shown, step, config.cold_questions),
            engine=self._engine,
            generator=random.Random(f"{self._context.seed} {step}"),  # noqa: S311  no secret
        )
        rate = fallen(config.cold_rate, COLD_FLOOR, (step - 1) / config.cold_steps)
        rate *= risen(step, config.warmup)
        parts: dict[str, dict[str, Any]] = {}
        for role, batch in shown.items():
            if batch:
                parts.setdefault(self._policies[role], {})[role] = batch
        steps: dict[str, list[Step]] = {policy: [step] for policy, step in parts.items()}
        told = await self._thread.run(self._updated, steps, dict.fromkeys(steps, rate), False)
        if step == config.cold_steps:
            for policy in self._engine.policies:
                self._engine.anchor(policy)
        return told

    async def _sampled(self, step: int) -> tuple[dict[str, float], list[Question]]:
        config, engine = self._config, self._engine
        began, published = time.monotonic(), engine.seconds_publishing
        seed = step_seed(self._context.seed, step)
        tasks = self._drawn(self._training, step, config.questions_per_step)
        questions = await self._rollouts.rolled(tasks, seed=seed)
        sampled = time.monotonic()
        publication = engine.seconds_publishing - published  # before the first sample
        done = step - config.cold_steps
        learns = shares(done, config)
        steps = lessons(questions, learns, self._policies, updates=config.updates, seed=seed)
        rate = fallen(config.learning_rate, config.final_rate, (done - 1) / config.steps)
        rate *= risen(done, config.warmup)
        told = await self._thread.run(
            self._updated,
            steps,
            rates(rate, learns, self._policies),
            True,
            of_gradient(learns, self._policies),
        )
        updated_ = time.monotonic()
        told = metrics.sampled(questions) | told
        questions = [frozen(question, learns) for question in questions]
        if config.branches_kept:
            await self._thread.run(self._kept_rows, step, questions)
        apart = await self._thread.run(gone, questions, engine, self._policies)
        # The updates know the divergence of all that is learned from, where it has a weight.
        return apart | told | {
            "stage": float(stage(done, config)),
            "seconds_sampling": sampled - began - publication,
            "seconds_update": updated_ - sampled,
            "seconds_publication": publication,
        }, questions

    def _kept_rows(self, step: int, questions: Sequence[Question]) -> None:
        config, engine, folder = self._config, self._engine, self._context.folder
        tasks = self._places(self._training, step, config.questions_per_step)
        shown = questions[: config.with_ratios(len(questions))]
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

    def _places(self, among: Sequence[int], step: int, count: int) -> list[int]:
        """Those of a step's tasks."""
        order = task_indices(len(among), step, per_step=count, seed=self._context.seed)
        return [among[place] for place in order]

    def _drawn(self, among: Sequence[int], step: int, count: int) -> list[TaskSpec]:
        return [self._tasks[place] for place in self._places(among, step, count)]

    def _updated(
        self,
        steps: Mapping[str, Sequence[Step]],
        rates: Mapping[str, float],
        sampled: bool,
        shares: Mapping[str, float] | None = None,
    ) -> dict[str, float]:
        config = self._config
        options = LossOptions(
            epsilon=config.epsilon,
            kl=config.kl if sampled else 0.0,
            normaliser=config.normaliser,
        )
        return updated(self._engine, steps, rates, options, sampled=sampled, shares=shares)

    async def _held_out_played(self) -> dict[str, float]:
        """Each held-out task once, as a run does it."""
        tasks = [self._tasks[at] for at in self._held_out]
        seed = step_seed(self._context.seed, HELD_OUT)
        return metrics.held_out(await self._rollouts.played(tasks, seed=seed))

    def end(self) -> None:
        """Also of a step that broke off nothing stays."""
        self._engine.close()
        forget_after(self._context.folder, self.progress.step)

    # -- what stays

    def checkpoint(self, step: int, told: dict[str, float]) -> CheckpointSaved:
        config, context = self._config, self._context
        trained_on, held_out = known_hashes(self._tasks, self._training, context.start_from)
        info = CheckpointInfo(
            method=METHOD_KEY,
            label=f"MetaAgent-X, step {step}",
            trained=True,
            seed=context.seed,
            code_version=code_version(context),
            recipe=context.recipe
            | {"kind": "trained", "step": step, "training": config.model_dump(mode="json")},
            config=self._kept.model_dump(mode="json"),
            run=config.run_config().model_dump(mode="json"),
            trained_on=trained_on,
            held_out=held_out,
        )
        tensors = named({policy: self._engine.tensors(policy) for policy in self._engine.policies})
        return checkpoint_saved(context, step, told, lambda folder: save(folder, tensors, info))

    def write(self, progress: Progress) -> None:
        context = self._context
        save_state(context.folder, self._engine, progress, method=METHOD_KEY, seed=context.seed)

    def restore(self) -> None:
        load_state(self._context.folder, self._engine, method=METHOD_KEY)


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
