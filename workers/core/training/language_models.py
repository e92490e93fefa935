"""A training of language models: supervised steps on demonstrations, then steps of reinforcement
learning.

A step is a function of the seed, its number, the weights and the optimiser. So a training that is
resumed equals one that was never stopped.
"""

import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from workers.core.checkpoints import CheckpointError, CheckpointInfo, save, unusable
from workers.core.concurrency import OneThread
from workers.core.events import CheckpointSaved, Event, TrainingMetric
from workers.core.rollouts.base import LossOptions, PolicyEngine
from workers.core.rollouts.kept import named
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.engine_state import Progress, load_state, save_state
from workers.core.training.learning_config import LearningConfig
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
    split_tasks,
    task_digest,
    task_indices,
)
from workers.core.training.updating import COLD_FLOOR, Step, fallen, risen, step_seed, updated
from workers.core.weights.fingerprint import Fingerprint

C = TypeVar("C", bound=LearningConfig)


@dataclass(frozen=True, slots=True)
class Sampled:
    """What a step sampled: the optimiser steps and the rate of each policy, metrics, new tokens,
    and sampled runs to show. `keep` writes branches; it runs in a thread, after the updates."""

    steps: Mapping[str, Sequence[Step]]
    rates: Mapping[str, float]
    told: Mapping[str, float]
    tokens: int
    events: Sequence[Event]
    keep: Callable[[], None]


class LanguageModelTraining(ResumableTraining[Progress], Generic[C]):
    """One training. It is made in a thread, where its updates run, too: it reads models. The
    method's constructor ends with `begin`."""

    method: ClassVar[str]
    name: ClassVar[str]

    def __init__(
        self, tasks: Sequence[TaskSpec], context: TrainingContext, config: C, thread: OneThread
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

    def begin(self, engine: PolicyEngine, base: Fingerprint | None) -> None:
        """Start, or go on where the folder's training was. Raises MethodError."""
        config = self._config
        self._engine = engine
        now = config.model_dump(mode="json")
        self.progress = Progress(config=now, tasks=task_digest(self._tasks), base=base)
        found = load_state(self._context.folder, engine, method=self.method)
        if found is not None:
            began = config.model_validate(found.config).model_dump(mode="json")
            require_same(began, now, same_tasks=found.tasks == self.progress.tasks)
            require_model(found, base, model=config.model)
            self.progress = found

    def close_engine(self) -> None:
        self._engine.close()

    # -- what a method does

    @abstractmethod
    async def demonstrated(self, step: int) -> Mapping[str, Sequence[Step]]:
        """The optimiser steps of each policy that imitate demonstrations."""

    @abstractmethod
    async def sampled(self, step: int, *, seed: int, rate: float) -> Sampled:
        """`rate`: this step's learning rate."""

    @abstractmethod
    async def held_out_played(self) -> dict[str, float]:
        """Metrics of the held-out tasks, each done as a run does it."""

    @abstractmethod
    def checkpoint_config(self) -> dict[str, Any]:
        """The method's own part of a checkpoint."""

    # -- one step

    async def step(self) -> list[Event]:
        began, config, step = time.monotonic(), self._config, self.progress.step + 1
        events: Sequence[Event] = ()
        tokens = self.progress.tokens
        if step <= config.cold_steps:
            told = await self._imitated(step)
        elif config.steps:
            told, sampled = await self._learned(step)
            tokens += sampled.tokens
            events = sampled.events
        else:  # policies that were trained alone are only joined
            told = {}
        saves = step % config.checkpoint_every == 0 or step in (
            config.cold_steps,
            config.total_steps(),
        )
        if saves and self._held_out:
            told |= await self.held_out_played()
        told |= {"seconds": time.monotonic() - began, "tokens_total": float(tokens)}
        found: list[Event] = [TrainingMetric(step=step, values=told), *events]
        if saves:
            found.append(await self._thread.run(self.checkpoint, step, told))
        await self.keep(found, step=step, tokens=tokens)
        self._context.pulse.share = 0.0
        return found

    async def _imitated(self, step: int) -> dict[str, float]:
        config = self._config
        steps = await self.demonstrated(step)
        rate = fallen(config.cold_rate, COLD_FLOOR, (step - 1) / config.cold_steps)
        rate *= risen(step, config.warmup)
        told = await self._thread.run(self._updated, steps, dict.fromkeys(steps, rate), False)
        if step == config.cold_steps:
            for policy in self._engine.policies:
                self._engine.anchor(policy)
        return told

    async def _learned(self, step: int) -> tuple[dict[str, float], Sampled]:
        config, engine = self._config, self._engine
        began, published = time.monotonic(), engine.seconds_publishing
        done = step - config.cold_steps
        rate = fallen(config.learning_rate, config.final_rate, (done - 1) / config.steps)
        rate *= risen(done, config.warmup)
        found = await self.sampled(step, seed=step_seed(self._context.seed, step), rate=rate)
        ended = time.monotonic()
        publication = engine.seconds_publishing - published  # before the first sample
        told = await self._thread.run(self._updated, found.steps, found.rates, True)
        learned = time.monotonic()
        if config.branches_kept:
            await self._thread.run(found.keep)
        return {
            **found.told,
            **told,
            "seconds_sampling": ended - began - publication,
            "seconds_update": learned - ended,
            "seconds_publication": publication,
        }, found

    def _updated(
        self, steps: Mapping[str, Sequence[Step]], rates: Mapping[str, float], sampled: bool
    ) -> dict[str, float]:
        config = self._config
        options = LossOptions(
            epsilon=config.epsilon,
            kl=config.kl if sampled else 0.0,
            normaliser=config.normaliser,
        )
        return updated(self._engine, steps, rates, options, sampled=sampled)

    def places(self, among: Sequence[int], step: int, count: int) -> list[int]:
        """Those of a step's tasks."""
        order = task_indices(len(among), step, per_step=count, seed=self._context.seed)
        return [among[place] for place in order]

    def drawn(self, among: Sequence[int], step: int, count: int) -> list[TaskSpec]:
        return [self._tasks[place] for place in self.places(among, step, count)]

    # -- what stays

    def checkpoint(self, step: int, metrics: dict[str, float]) -> CheckpointSaved:
        config, context = self._config, self._context
        trained_on, held_out = known_hashes(self._tasks, self._training, context.start_from)
        info = CheckpointInfo(
            method=self.method,
            label=f"{self.name}, step {step}",
            trained=True,
            seed=context.seed,
            code_version=code_version(context),
            recipe=context.recipe
            | {"kind": "trained", "step": step, "training": config.model_dump(mode="json")},
            config=self.checkpoint_config(),
            run=config.run_config().model_dump(mode="json"),
            trained_on=trained_on,
            held_out=held_out,
        )
        tensors = named({policy: self._engine.tensors(policy) for policy in self._engine.policies})
        return checkpoint_saved(context, step, metrics, lambda folder: save(folder, tensors, info))

    def write(self, progress: Progress) -> None:
        context = self._context
        save_state(context.folder, self._engine, progress, method=self.method, seed=context.seed)

    def restore(self) -> None:
        load_state(self._context.folder, self._engine, method=self.method)
