"""The training: what AT-GRPO demonstrates, samples and holds out in each step."""

import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, ClassVar

from workers.core.concurrency import OneThread
from workers.core.events import Event
from workers.core.methods.at_grpo.config import METHOD_KEY
from workers.core.methods.at_grpo.team import names_of, one_environment, require_trainable
from workers.core.methods.at_grpo.training import metrics
from workers.core.methods.at_grpo.training.choosing import lessons
from workers.core.methods.at_grpo.training.config import AtGrpoTrainingConfig
from workers.core.methods.at_grpo.training.demonstrating import Demonstrator
from workers.core.methods.at_grpo.training.kept_branches import probabilities_after, rows
from workers.core.methods.at_grpo.training.memory import require_room
from workers.core.methods.at_grpo.training.policies import engine_of, kept_of
from workers.core.methods.at_grpo.training.replaying import Replays
from workers.core.methods.at_grpo.training.samples import sample_of
from workers.core.methods.at_grpo.trees import Grown, Trees
from workers.core.rollouts.base import Weighted
from workers.core.rollouts.branches import write_branches
from workers.core.specs import TaskSpec
from workers.core.tools.sandbox import warm_sandboxes
from workers.core.training.context import TrainingContext
from workers.core.training.engine_state import writing
from workers.core.training.language_models import LanguageModelTraining, Sampled
from workers.core.training.tasks import require_tasks, share_metrics
from workers.core.training.updating import Step


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
            await thread.run(training.close_engine)
    finally:
        thread.close()


class _Training(LanguageModelTraining[AtGrpoTrainingConfig]):
    method: ClassVar[str] = METHOD_KEY
    name: ClassVar[str] = "AT-GRPO"

    def __init__(
        self,
        tasks: Sequence[TaskSpec],
        context: TrainingContext,
        config: AtGrpoTrainingConfig,
        thread: OneThread,
    ) -> None:
        super().__init__(tasks, context, config, thread)
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
        self.begin(engine_of(config, context, self._kept), self._kept.base)
        self._trees = Trees(
            self._engine, self._environment, self._kept.agents, config.tree_options()
        )

    async def demonstrated(self, step: int) -> Mapping[str, Sequence[Step]]:
        shown = await self._demonstrator.demonstrations(
            self.drawn(self._shown, step, self._config.cold_episodes),
            engine=self._engine,
            policies=self._kept.agents,
            generator=random.Random(f"{self._context.seed} {step}"),  # noqa: S311  no secret
        )
        return _steps({policy: [batch] for policy, batch in shown.items() if batch})

    async def sampled(self, step: int, *, seed: int, rate: float) -> Sampled:
        config, engine = self._config, self._engine
        tasks = self.drawn(self._training, step, config.episodes_per_step)
        grown = await self._trees.grown(tasks, seed=seed)
        parts = {
            policy: lessons(grown.groups, policy, config, seed=seed) for policy in engine.policies
        }
        shown = range(min(config.samples_per_step, len(grown.episodes)))
        samples = [
            sample_of(grown, place, step=step, environment=self._environment, turns=config.turns)
            for place in shown
        ]
        return Sampled(
            steps=_steps(parts),
            rates=dict.fromkeys(parts, rate),
            told=metrics.sampled(grown, self._names),
            tokens=sum(len(b.sample.tokens) for g in grown.groups for b in g.branches),
            events=samples,
            keep=lambda: self._branches_kept(step, grown),
        )

    def _branches_kept(self, step: int, grown: Grown) -> None:
        config, engine = self._config, self._engine
        found = rows(
            grown,
            engine=engine,
            names=self._names,
            tasks=self.places(self._training, step, config.episodes_per_step),
            after=probabilities_after(grown, engine, config.samples_per_step),
        )
        with writing():
            write_branches(self._context.folder, step, found, kept=config.branches_kept)

    async def held_out_played(self) -> dict[str, float]:
        episodes = (await self._trees.played([self._tasks[at] for at in self._held_out])).episodes
        solved = [episode.is_solved for episode in episodes]
        turns = [episode.turns for episode in episodes]
        accuracy = share_metrics("held_out_accuracy", solved)
        # The reward says which checkpoint is the best one.
        return accuracy | {
            "held_out_reward": accuracy["held_out_accuracy"],
            "held_out_turns": sum(turns) / len(turns),
        }

    def checkpoint_config(self) -> dict[str, Any]:
        return self._kept.model_dump(mode="json")


def _steps(
    parts: Mapping[str, Sequence[Sequence[Weighted]]],
) -> dict[str, list[Step]]:
    """A policy's batches, each an optimiser step, told under the policy's name."""
    return {policy: [{policy: batch} for batch in own] for policy, own in parts.items()}
