"""The training's steps: sample, learn, save, yield. A training can resume after each.

Step k samples B queries × L systems with the weights after step k − 1 − `lag`, and learns from
them. With `lag` 1 the next sample runs while this one finishes and is learned from, so the endpoint
stays busy. `importance` corrects for weights that are one step old.
"""

import asyncio
import copy
import time
from collections.abc import AsyncGenerator, Sequence

import torch
from torch import Tensor

from workers.core.checkpoints import CheckpointInfo
from workers.core.concurrency import cancel_all, to_its_end
from workers.core.events import (
    CheckpointSaved,
    Event,
    TrainingMetric,
)
from workers.core.methods.mashost.config import METHOD_KEY
from workers.core.methods.mashost.policy import MasHostPolicy
from workers.core.methods.mashost.training.config import BEFORE, MasHostTrainingConfig
from workers.core.methods.mashost.training.deciding import Sampler
from workers.core.methods.mashost.training.kept import kept_samples
from workers.core.methods.mashost.training.metrics import step_metrics
from workers.core.methods.mashost.training.preparing import Parts, prepare
from workers.core.methods.mashost.training.rollouts import Sample
from workers.core.methods.mashost.training.state import Progress, load_state, save_state
from workers.core.methods.mashost.weights import save_policy
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.resumable import (
    ResumableTraining,
    checkpoint_saved,
    code_version,
    require_same,
)

Weights = dict[str, Tensor]


async def train(
    tasks: Sequence[TaskSpec], context: TrainingContext, config: MasHostTrainingConfig
) -> AsyncGenerator[Event]:
    """See `workers.core.methods.base.LearningMethod`."""
    training = _Training(await prepare(tasks, context, config), context, config)
    try:
        async for event in training.events(config.steps):
            yield event
    finally:
        await training.close()


class _Training(ResumableTraining[Progress]):
    def __init__(
        self, parts: Parts, context: TrainingContext, config: MasHostTrainingConfig
    ) -> None:
        super().__init__(context)
        self._config = config
        self._parts = parts
        self._learner = parts.learner
        self._rollouts = parts.rollouts
        self._meter = parts.meter
        self._ahead: asyncio.Task[Sample] | None = None
        self._behaviour: Weights = _copied(self._learner.policy)
        self.progress = Progress(
            config=config.model_dump(mode="json"),
            tasks=parts.digest,
            entropy_bonus=self._learner.entropy_bonus,
            unseen=parts.unseen,
        )
        self.restore()

    async def close(self) -> None:
        """End the sample that was started ahead. What stopped a step also stopped that sample."""
        if self._ahead is not None:
            ahead, self._ahead = self._ahead, None
            await cancel_all([ahead])

    # -- one step

    async def step(self) -> list[Event]:
        began = time.monotonic()
        step = self._learner.step + 1
        sample = await self._sample_of(step)
        self._rollouts.require_endpoint(sample.systems)
        groups = [[system.trajectory for system in group] for group in sample.groups]
        before = _copied(self._learner.policy)
        sampled_by = self._policy_of(self._behaviour)
        learned, credit = await asyncio.to_thread(
            self._learner.update, groups, sampled_by=sampled_by
        )
        metrics = learned | step_metrics(
            sample,
            credit,
            pool=self._rollouts.endpoint.pool,
            meter=self._meter,
            action_term=self._config.action_term,
        )
        saves = step % self._config.checkpoint_every == 0 or step == self._config.steps
        if saves and self._rollouts.held_out:
            averaged = self._sampler(_copied(self._learner.averaged))
            metrics |= await self._rollouts.try_held_out(averaged)
        tokens, cost = self.spent_with(self._meter)
        metrics |= {"seconds": time.monotonic() - began, "tokens_total": tokens, "cost_total": cost}
        self._behaviour = before if self._config.lag else _copied(self._learner.policy)
        events: list[Event] = [TrainingMetric(step=step, values=metrics)]
        events += kept_samples(
            step, sample, credit, tasks=self._rollouts.tasks, config=self._config
        )
        if saves:
            events.append(await to_its_end(self.checkpoint, step, metrics))
        await self.keep(
            events, step=step, tokens=tokens, cost=cost, entropy_bonus=self._learner.entropy_bonus
        )
        self._tell_share()
        return events

    async def _sample_of(self, step: int) -> Sample:
        """The sample of a step. With `lag` the next one uses what this one leaves free."""
        if self._ahead is None:
            self._ahead = self._begin(step)
        mine, self._ahead = self._ahead, None
        if self._config.lag and step < self._config.steps:
            # Sampled with the weights of now, one update before they are those of its own step.
            self._ahead = self._begin(step + 1, weights=_copied(self._learner.policy))
        try:
            return await mine
        except BaseException:
            mine.cancel()
            raise

    def _begin(self, step: int, *, weights: Weights | None = None) -> asyncio.Task[Sample]:
        sampler = self._sampler(weights or self._behaviour)
        return asyncio.create_task(self._rollouts.sample(step, sampler, told=self._tell_share))

    def _tell_share(self) -> None:
        """The progress of the current step. Systems of the next step do not count."""
        self._context.pulse.share = self._rollouts.share_of(self._learner.step + 1)

    def _sampler(self, weights: Weights) -> Sampler:
        policy = self._policy_of(weights)
        with torch.no_grad():
            tensors = policy.pool_tensors(self._learner.pool)
        return Sampler(
            policy, tensors, self._config.run_config(), explore_power=self._config.explore_power
        )

    def _policy_of(self, weights: Weights) -> MasHostPolicy:
        policy = MasHostPolicy(self._learner.policy.config)
        policy.load_state_dict(weights)
        return policy.eval()

    # -- what stays

    def checkpoint(self, step: int, metrics: dict[str, float]) -> CheckpointSaved:
        info = CheckpointInfo(
            method=METHOD_KEY,
            label=f"MasHost, step {step}",
            trained=True,
            seed=self._context.seed,
            code_version=code_version(self._context),
            recipe=self._context.recipe
            | {"kind": "trained", "step": step, "training": self.progress.config},
            run=self._config.inference_options(),
            trained_on=self._parts.trained_on,
            held_out=self._parts.held_out,
        )
        averaged = self._learner.averaged
        return checkpoint_saved(
            self._context, step, metrics, lambda folder: save_policy(folder, averaged, info)
        )

    def write(self, progress: Progress) -> None:
        save_state(self._context.folder, self._learner, self._behaviour, progress)

    def restore(self) -> None:
        found = load_state(self._context.folder, self._learner)
        if found is None:
            return
        progress, self._behaviour = found
        began = MasHostTrainingConfig.model_validate(BEFORE | progress.config)
        require_same(
            began.model_dump(),
            self._config.model_dump(),
            same_tasks=progress.tasks == self._parts.digest,
        )
        self.progress = progress.model_copy(update={"config": self.progress.config})


def _copied(policy: MasHostPolicy) -> Weights:
    return copy.deepcopy({name: tensor.detach() for name, tensor in policy.state_dict().items()})
