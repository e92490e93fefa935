"""The training: sample, learn, save, tell; a step after the other, resumable after each.

Step k samples B queries × L systems with the weights that step k − 1 − `lag` left, learns from them
and writes its state with its events. Only then these are yielded, and again when a training is
resumed: a process that dies in between loses no step, and who stores each step once doubles none.
With `lag` 1 the next sample is under way while this one ends and is learned from, so that the
endpoint has work meanwhile, and `importance` makes up for weights that are one step old.
"""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import AsyncGenerator, Sequence

import torch
from torch import Tensor

from workers.core.checkpoints import CheckpointError, CheckpointInfo
from workers.core.concurrency import cancel_all, to_its_end
from workers.core.events import (
    EVENT_ADAPTER,
    CheckpointSaved,
    Event,
    TrainingEnded,
    TrainingMetric,
)
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded
from workers.core.methods.base import MethodError, TrainingContext
from workers.core.methods.mashost.config import METHOD_KEY
from workers.core.methods.mashost.policy import MasHostPolicy
from workers.core.methods.mashost.training.config import BEFORE, MasHostTrainingConfig
from workers.core.methods.mashost.training.deciding import Sampler
from workers.core.methods.mashost.training.kept import kept_samples
from workers.core.methods.mashost.training.metrics import step_metrics
from workers.core.methods.mashost.training.preparing import Parts, prepare
from workers.core.methods.mashost.training.rollouts import Sample
from workers.core.methods.mashost.training.state import Progress, load_state, save_state
from workers.core.methods.mashost.weights import CODE_VERSION, save_policy
from workers.core.specs import TaskSpec

Weights = dict[str, Tensor]


async def train(
    tasks: Sequence[TaskSpec], context: TrainingContext, config: MasHostTrainingConfig
) -> AsyncGenerator[Event]:
    """See `workers.core.methods.base.LearningMethod`."""
    training = _Training(await prepare(tasks, context, config), context, config)
    try:
        async for event in training.events():
            yield event
    finally:
        await training.close()


class _Training:
    """One training in this process."""

    def __init__(
        self, parts: Parts, context: TrainingContext, config: MasHostTrainingConfig
    ) -> None:
        self._context = context
        self._config = config
        self._parts = parts
        self._learner = parts.learner
        self._rollouts = parts.rollouts
        self._meter = parts.meter
        self._tokens = 0
        self._cost = 0.0
        self._ahead: asyncio.Task[Sample] | None = None
        self._behaviour: Weights = _copied(self._learner.policy)
        self._told_before: tuple[Event, ...] = ()
        self._restore()

    async def events(self) -> AsyncGenerator[Event]:
        learner, config = self._learner, self._config
        for event in self._told_before:
            yield event
        while learner.step < config.steps:
            if (reason := self._context.stop.wanted) is not None:
                await self.close()  # what is under way is paid for: it belongs to this attempt
                yield TrainingEnded(step=learner.step, reason=reason)
                return
            try:
                told = await self._step()
            except BudgetExceeded as error:
                await self.close()  # before anything else: it would go on asking
                if error.limit == JOB:
                    for event in await self._paid_for():
                        yield event
                raise
            for event in told:
                yield event
        yield TrainingEnded(step=learner.step, reason="completed")

    async def close(self) -> None:
        """Ends the sample that was begun ahead; what stopped a step stopped that one, too."""
        if self._ahead is not None:
            ahead, self._ahead = self._ahead, None
            await cancel_all([ahead])

    # -- one step

    async def _step(self) -> list[Event]:
        """Samples, learns, saves; returns the step's events once its state is on the disk."""
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
        self._tokens += self._meter.tokens
        self._cost += self._meter.cost
        metrics |= {
            "seconds": time.monotonic() - began,
            "tokens_total": float(self._tokens),
            "cost_total": self._cost,
        }
        self._meter.restart()
        self._behaviour = before if self._config.lag else _copied(self._learner.policy)
        events: list[Event] = [TrainingMetric(step=step, values=metrics)]
        events += kept_samples(
            step, sample, credit, tasks=self._rollouts.tasks, config=self._config
        )
        if saves:
            events.append(await to_its_end(self._checkpoint, step, metrics))
        await to_its_end(self._save, events)
        self._tell_share()
        return events

    async def _sample_of(self, step: int) -> Sample:
        """The sample of a step; with `lag` the next one gets what this one leaves free."""
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
        """Of the step in hand; systems of the next one, sampled meanwhile, do not count."""
        self._context.pulse.share = self._rollouts.share_of(self._learner.step + 1)

    def _sampler(self, weights: Weights) -> Sampler:
        policy = self._policy_of(weights)
        pool = self._learner.pool
        with torch.no_grad():
            tensors = policy.pool_tensors(pool.roles, pool.anchors, pool.phrases)
        return Sampler(
            policy, tensors, self._config.run_config(), explore_power=self._config.explore_power
        )

    def _policy_of(self, weights: Weights) -> MasHostPolicy:
        policy = MasHostPolicy(self._learner.policy.config)
        policy.load_state_dict(weights)
        return policy.eval()

    # -- what stays

    async def _paid_for(self) -> list[Event]:
        """A checkpoint of the last whole step, unless it has one: what the budget has bought. It is
        among the step's events from then on."""
        self._restore()  # the step that broke off may have been learned from already
        told = self._told_before
        measured = [event for event in told if isinstance(event, TrainingMetric)]
        if not measured or any(isinstance(event, CheckpointSaved) for event in told):
            return []
        saved = await to_its_end(self._checkpoint, measured[0].step, measured[0].values)
        await to_its_end(self._save, [*told, saved])
        return [saved]

    def _checkpoint(self, step: int, metrics: dict[str, float]) -> CheckpointSaved:
        name = f"step-{step:06d}"
        info = CheckpointInfo(
            method=METHOD_KEY,
            label=f"MasHost, step {step}",
            trained=True,
            seed=self._context.seed,
            code_version=str(self._context.recipe.get("code_version") or CODE_VERSION),
            recipe=self._context.recipe
            | {"kind": "trained", "step": step, "training": self._config.model_dump(mode="json")},
            run=self._config.inference_options(),
            trained_on=self._parts.trained_on,
            held_out=self._parts.held_out,
        )
        try:
            saved = save_policy(
                self._context.folder / "checkpoints" / name, self._learner.averaged, info
            )
        except CheckpointError as error:
            raise MethodError(
                code="checkpoint_not_written",
                message=error.message,
                remedy="Free some disk space and resume the job: this step is done again.",
            ) from error
        return CheckpointSaved(step=step, name=name, sha256=saved.sha256, metrics=metrics)

    def _save(self, events: Sequence[Event]) -> None:
        progress = Progress(
            step=self._learner.step,
            entropy_bonus=self._learner.entropy_bonus,
            tokens=self._tokens,
            cost=self._cost,
            config=self._config.model_dump(mode="json"),
            tasks=self._parts.digest,
            unseen=self._parts.unseen,
            events=tuple(event.model_dump(mode="json") for event in events),
        )
        save_state(self._context.folder, self._learner, self._behaviour, progress)

    def _restore(self) -> None:
        found = load_state(self._context.folder, self._learner)
        if found is None:
            return
        progress, self._behaviour = found
        began = MasHostTrainingConfig.model_validate(BEFORE | progress.config).model_dump()
        config = self._config.model_dump()
        others = [name for name, value in config.items() if began[name] != value]
        others += ["the tasks"] * (progress.tasks != self._parts.digest)
        if others:
            raise MethodError(
                code="other_training",
                message=f"The folder's training began with others of: {', '.join(others)}.",
                remedy="Start a new job, or resume with the same tasks and settings.",
            )
        self._tokens, self._cost = progress.tokens, progress.cost
        self._told_before = tuple(EVENT_ADAPTER.validate_python(event) for event in progress.events)


def _copied(policy: MasHostPolicy) -> Weights:
    return copy.deepcopy({name: tensor.detach() for name, tensor in policy.state_dict().items()})
