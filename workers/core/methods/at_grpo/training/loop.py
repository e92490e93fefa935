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
from workers.core.methods.at_grpo.config import METHOD_KEY
from workers.core.methods.at_grpo.team import names_of, one_environment, require_trainable
from workers.core.methods.at_grpo.training import metrics
from workers.core.methods.at_grpo.training.choosing import lessons
from workers.core.methods.at_grpo.training.config import AtGrpoTrainingConfig
from workers.core.methods.at_grpo.training.demonstrating import Demonstrator
from workers.core.methods.at_grpo.training.divergence import of_turns
from workers.core.methods.at_grpo.training.kept_branches import probabilities_after, rows
from workers.core.methods.at_grpo.training.memory import require_room
from workers.core.methods.at_grpo.training.policies import engine_of, kept_of, starts_of
from workers.core.methods.at_grpo.training.replaying import Replays
from workers.core.methods.at_grpo.training.samples import sample_of
from workers.core.methods.at_grpo.trees import Grown, Trees
from workers.core.rollouts.base import LossOptions, Weighted
from workers.core.rollouts.branches import write_branches
from workers.core.rollouts.kept import named
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
    share_metrics,
    split_tasks,
    task_digest,
    task_indices,
)
from workers.core.training.updating import COLD_FLOOR, fallen, risen, step_seed, updated


async def train(
    tasks: Sequence[TaskSpec], context: TrainingContext, config: AtGrpoTrainingConfig
) -> AsyncGenerator[Event]:
    """See `workers.core.methods.base.LearningMethod`."""
    require_tasks(tasks)
    thread = OneThread()
    try:
        training = await thread.run(_Training, tasks, context, config, thread)
        try:
            async with warm_sandboxes():  # they start while models sample
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
        config: AtGrpoTrainingConfig,
        thread: OneThread,
    ) -> None:
        super().__init__(context)
        self._tasks, self._config, self._thread = tasks, config, thread
        try:
            self._starts = starts_of(config, context)
            seen = indices_of(tasks, learned_from(*self._starts))
        except CheckpointError as error:
            raise unusable(error) from error
        self._training, self._held_out = split_tasks(
            len(tasks), config.held_out, seed=context.seed, seen=seen
        )
        self._environment = one_environment(tasks, config)
        require_trainable(self._environment, tasks, model=config.model)
        replays = None
        if config.reads_runs():
            replays = Replays(self._environment, config.order, context.traces)
        self._demonstrator = Demonstrator(
            self._environment,
            config.order,
            config.max_tokens,
            weak=config.cold_weak,
            astray=config.cold_astray,
            replays=replays,
        )
        self._shown = self._demonstrator.demonstrated(tasks, self._training)
        self._names = names_of(self._environment)
        self._kept = kept_of(config, self._environment.key, self._names)
        require_room(config, tasks, self._environment, ranks=context.ranks)
        self._engine = engine_of(config, context, self._kept)
        self._trees = Trees(
            self._engine, self._environment, self._kept.agents, config.tree_options()
        )
        self._settings: dict[str, Any] = config.model_dump(mode="json")
        self.progress = Progress(
            config=self._settings, tasks=task_digest(tasks), base=self._kept.base
        )
        if (found := load_state(context.folder, self._engine, method=METHOD_KEY)) is not None:
            began = AtGrpoTrainingConfig.model_validate(found.config).model_dump(mode="json")
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
        elif config.steps:
            told, grown = await self._sampled(step)
            tokens += sum(len(b.sample.tokens) for g in grown.groups for b in g.branches)
            events += [
                sample_of(
                    grown, place, step=step, environment=self._environment, turns=config.turns
                )
                for place in range(min(config.samples_per_step, len(grown.episodes)))
            ]
        else:  # agents that were trained alone are only joined
            told = {}
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
            self._drawn(self._shown, step, config.cold_episodes),
            engine=self._engine,
            policies=self._kept.agents,
            generator=random.Random(f"{self._context.seed} {step}"),  # noqa: S311  no secret
        )
        rate = fallen(config.cold_rate, COLD_FLOOR, (step - 1) / config.cold_steps)
        rate *= risen(step, config.warmup)
        parts = {policy: [batch] for policy, batch in shown.items() if batch}
        told = await self._thread.run(self._updated, parts, rate, False)
        if step == config.cold_steps:
            for policy in self._engine.policies:
                self._engine.anchor(policy)
        return told

    async def _sampled(self, step: int) -> tuple[dict[str, float], Grown]:
        config, engine = self._config, self._engine
        began, published = time.monotonic(), engine.seconds_publishing
        seed = step_seed(self._context.seed, step)
        grown = await self._trees.grown(
            self._drawn(self._training, step, config.episodes_per_step), seed=seed
        )
        sampled = time.monotonic()
        publication = engine.seconds_publishing - published  # before the first sample
        apart = await self._thread.run(of_turns, grown, engine, self._names)
        compared = time.monotonic()
        parts = {
            policy: lessons(grown.groups, policy, config, seed=seed) for policy in engine.policies
        }
        done = step - config.cold_steps
        rate = fallen(config.learning_rate, config.final_rate, (done - 1) / config.steps)
        rate *= risen(done, config.warmup)
        told = await self._thread.run(self._updated, parts, rate, True)
        updated = time.monotonic()
        if config.branches_kept:
            await self._thread.run(self._branches_kept, step, grown)
        # The updates know the divergence of all that is learned from, where it has a weight.
        return metrics.sampled(grown, self._names) | apart | told | {
            "seconds_sampling": sampled - began - publication,
            "seconds_update": updated - compared,
            "seconds_publication": publication,
        }, grown

    def _branches_kept(self, step: int, grown: Grown) -> None:
        config, engine = self._config, self._engine
        found = rows(
            grown,
            engine=engine,
            names=self._names,
            tasks=self._places(self._training, step, config.episodes_per_step),
            after=probabilities_after(grown, engine, config.with_ratios(len(grown.episodes))),
        )
        with writing():
            write_branches(self._context.folder, step, found, kept=config.branches_kept)

    def _places(self, among: Sequence[int], step: int, count: int) -> list[int]:
        """Those of a step's tasks."""
        order = task_indices(len(among), step, per_step=count, seed=self._context.seed)
        return [among[place] for place in order]

    def _drawn(self, among: Sequence[int], step: int, count: int) -> list[TaskSpec]:
        return [self._tasks[place] for place in self._places(among, step, count)]

    def _updated(
        self, parts: Mapping[str, Sequence[Sequence[Weighted]]], rate: float, sampled: bool
    ) -> dict[str, float]:
        config = self._config
        options = LossOptions(
            epsilon=config.epsilon,
            kl=config.kl if sampled else 0.0,
            normaliser=config.normaliser,
        )
        steps = {policy: [{policy: batch} for batch in own] for policy, own in parts.items()}
        rates = dict.fromkeys(parts, rate)
        return updated(self._engine, steps, rates, options, sampled=sampled)

    async def _held_out_played(self) -> dict[str, float]:
        """Each held-out task once, as a run would play it."""
        episodes = (await self._trees.played([self._tasks[at] for at in self._held_out])).episodes
        solved = [episode.is_solved for episode in episodes]
        turns = [episode.turns for episode in episodes]
        accuracy = share_metrics("held_out_accuracy", solved)
        # The reward says which checkpoint is the best one.
        return accuracy | {
            "held_out_reward": accuracy["held_out_accuracy"],
            "held_out_turns": sum(turns) / len(turns),
        }

    def end(self) -> None:
        """Also of a step that broke off nothing stays."""
        self._engine.close()
        forget_after(self._context.folder, self.progress.step)

    # -- what stays

    def checkpoint(self, step: int, told: dict[str, float]) -> CheckpointSaved:
        config, context = self._config, self._context
        trained_on, held_out = known_hashes(self._tasks, self._training, *self._starts)
        info = CheckpointInfo(
            method=METHOD_KEY,
            label=f"AT-GRPO, step {step}",
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
