"""The training of a team in an environment: demonstrations, then trees of branches."""

import random
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial

from workers.core.concurrency import OneThread
from workers.core.events import Event
from workers.core.methods.at_grpo.config import METHOD_KEY
from workers.core.methods.at_grpo.team import names_of, one_environment, require_trainable
from workers.core.methods.at_grpo.training import metrics
from workers.core.methods.at_grpo.training.choosing import lessons
from workers.core.methods.at_grpo.training.config import AtGrpoTrainingConfig
from workers.core.methods.at_grpo.training.demonstrating import Demonstrator
from workers.core.methods.at_grpo.training.divergence import of_turns
from workers.core.methods.at_grpo.training.kept_branches import (
    After,
    Rows,
    probabilities_after,
    samples_of,
)
from workers.core.methods.at_grpo.training.memory import require_room
from workers.core.methods.at_grpo.training.policies import engine_of, kept_of, starts_of
from workers.core.methods.at_grpo.training.replaying import Replays
from workers.core.methods.at_grpo.training.samples import sample_of
from workers.core.methods.at_grpo.trees import Grown, Trees
from workers.core.rollouts.branches import pieces_of, write_branches
from workers.core.specs import TaskSpec
from workers.core.tools.sandbox import warm_sandboxes
from workers.core.training.context import TrainingContext
from workers.core.training.engine_training import EngineTraining, SampledStep
from workers.core.training.tasks import require_tasks, share_metrics
from workers.core.training.updating import Step, step_seed


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


class _Training(EngineTraining[AtGrpoTrainingConfig]):
    method, title = METHOD_KEY, "AT-GRPO"

    def __init__(
        self,
        tasks: Sequence[TaskSpec],
        context: TrainingContext,
        config: AtGrpoTrainingConfig,
        thread: OneThread,
    ) -> None:
        super().__init__(tasks, context, config, thread, starts_of(config, context))
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
        self._demonstrable = self._demonstrator.demonstrated(tasks, self._training)
        self._names = names_of(self._environment)
        kept = kept_of(config, self._environment.key, self._names)
        require_room(config, tasks, self._environment, ranks=context.ranks)
        self._begin(kept, engine_of(config, context, kept))
        self._trees = Trees(
            self._engine, self._environment, self._kept.agents, config.tree_options()
        )

    async def _shown(
        self, step: int, generator: random.Random
    ) -> tuple[dict[str, list[Step]], dict[str, float]]:
        shown = await self._demonstrator.demonstrations(
            self._drawn(self._demonstrable, step, self._config.cold_episodes),
            engine=self._engine,
            policies=self._kept.agents,
            generator=generator,
        )
        steps: dict[str, list[Step]] = {
            policy: [{policy: batch}] for policy, batch in shown.found.items() if batch
        }
        return steps, shown.told()

    async def _sampled(self, step: int) -> SampledStep:
        config, engine = self._config, self._engine
        began, published = time.monotonic(), engine.seconds_publishing
        seed = step_seed(self._context.seed, step)
        grown = await self._trees.grown(
            self._drawn(self._training, step, config.episodes_per_step), seed=seed
        )
        sampled = time.monotonic()
        publication = engine.seconds_publishing - published  # before the first sample
        apart = await self._thread.run(of_turns, grown, engine, self._names)
        steps: dict[str, list[Step]] = {
            policy: [{policy: part} for part in lessons(grown.groups, policy, config, seed=seed)]
            for policy in engine.policies
        }
        told = await self._learned(step, grown, steps)
        # The updates know the divergence of all that is learned from, where it has a weight.
        told = metrics.sampled(grown, self._names) | apart | told
        told |= {
            "seconds_sampling": sampled - began - publication,
            "seconds_publication": publication,
        }
        samples = [
            sample_of(grown, place, step=step, environment=self._environment, turns=config.turns)
            for place in range(min(config.samples_per_step, len(grown.episodes)))
        ]
        tokens = sum(len(b.sample.tokens) for g in grown.groups for b in g.branches)
        return SampledStep(told, tokens, samples)

    async def _learned(
        self, step: int, grown: Grown, steps: Mapping[str, Sequence[Step]]
    ) -> dict[str, float]:
        """The update. The branches are written beside it; those with ratios wait for its end."""
        after: Future[After] = Future()
        shown = self._config.with_ratios(len(grown.episodes))
        try:
            if self._config.branches_kept:
                await self._thread.run(self._write_branches, step, grown, shown, after)
            began = time.monotonic()
            told = await self._updated(steps, dict.fromkeys(steps, self._rate(step)), sampled=True)
            told["seconds_update"] = time.monotonic() - began
            if self._config.branches_kept:
                found = await self._thread.run(
                    probabilities_after, grown, self._engine, episodes=shown
                )
                after.set_result(found)
        finally:
            after.cancel()  # where the step breaks off, writing does, too
        return told

    def _write_branches(self, step: int, grown: Grown, shown: int, after: Future[After]) -> None:
        rows = Rows(
            grown,
            pieces=pieces_of(self._engine, samples_of(grown)),
            names=self._names,
            tasks=self._places(self._training, step, self._config.episodes_per_step),
        )
        self.beside(
            partial(
                write_branches,
                self._context.folder,
                step,
                rows.of(range(shown, len(grown.episodes))),
                late=rows.of(range(shown), after.result),
                kept=self._config.branches_kept,
            )
        )

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
