"""A training of language models on an engine: supervised steps on demonstrations, then steps of
reinforcement learning.

A step is a function of the seed, its number, the weights and the optimiser. So a training that is
resumed equals one that was never stopped.
"""

import random
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from workers.core.checkpoints import CheckpointError, CheckpointInfo, save, unusable
from workers.core.concurrency import OneThread
from workers.core.events import CheckpointSaved, Event, TrainingMetric
from workers.core.rollouts.base import LossOptions, PolicyEngine
from workers.core.rollouts.kept import Kept, named
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.engine_state import Progress, forget_after, load_state, save_state
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
from workers.core.training.updating import COLD_FLOOR, Step, fallen, risen, updated

C = TypeVar("C", bound=LearningConfig)


@dataclass(frozen=True, slots=True)
class SampledStep:
    """What a step of reinforcement learning was like: its metrics, the tokens that it sampled, and
    samples to look at."""

    told: dict[str, float]
    tokens: int
    samples: Sequence[Event]


class EngineTraining(ResumableTraining[Progress], Generic[C]):
    """Made in a thread, where its updates run, too: it reads models. `method`: its key; `title`:
    how checkpoints call it. `starts`: the checkpoints that its weights begin with.

    A subclass makes its engine and calls `_begin`, or raises MethodError."""

    method: ClassVar[str]
    title: ClassVar[str]

    def __init__(
        self,
        tasks: Sequence[TaskSpec],
        context: TrainingContext,
        config: C,
        thread: OneThread,
        starts: Sequence[Path | None],
    ) -> None:
        super().__init__(context)
        self._tasks, self._config, self._thread = tasks, config, thread
        self._starts = starts
        self._beside = ThreadPoolExecutor(1)
        self._files: list[Future[None]] = []
        try:
            seen = indices_of(tasks, learned_from(*starts))
        except CheckpointError as error:
            raise unusable(error) from error
        self._training, self._held_out = split_tasks(
            len(tasks), config.held_out, seed=context.seed, seen=seen
        )

    def _begin(self, kept: Kept, engine: PolicyEngine) -> None:
        """At the start, or where the folder's training left off. Raises MethodError if that one
        is another."""
        self._kept, self._engine = kept, engine
        settings = self._config.model_dump(mode="json")
        self.progress = Progress(
            config=settings, tasks=task_digest(self._tasks), base=self._kept.base
        )
        if (found := load_state(self._context.folder, engine, method=self.method)) is not None:
            began = type(self._config).model_validate(found.config).model_dump(mode="json")
            require_same(began, settings, same_tasks=found.tasks == self.progress.tasks)
            require_model(found, kept.base, model=self._config.model)
            self.progress = found

    @abstractmethod
    async def _shown(
        self, step: int, generator: random.Random
    ) -> tuple[Mapping[str, Sequence[Step]], dict[str, float]]:
        """The demonstrations of a supervised step: each policy's optimiser steps. And metrics."""

    @abstractmethod
    async def _sampled(self, step: int) -> SampledStep:
        """A step of reinforcement learning."""

    @abstractmethod
    async def _held_out_played(self) -> dict[str, float]:
        """Metrics of the held-out tasks, each done once as a run would do it."""

    async def step(self) -> list[Event]:
        began, config, step = time.monotonic(), self._config, self.progress.step + 1
        events: list[Event] = []
        told: dict[str, float] = {}
        tokens = self.progress.tokens
        if step <= config.cold_steps:
            told = await self._demonstrated(step)
        elif config.steps:  # without any, policies stay as they are, or are only joined
            sampled = await self._sampled(step)
            told = sampled.told
            tokens += sampled.tokens
            events += sampled.samples
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
        generator = random.Random(f"{self._context.seed} {step}")  # noqa: S311  no secret
        shown, about = await self._shown(step, generator)
        rate = fallen(config.cold_rate, COLD_FLOOR, (step - 1) / config.cold_steps)
        rates = dict.fromkeys(shown, rate * risen(step, config.warmup))
        told = about | await self._updated(shown, rates, sampled=False)
        if step == config.cold_steps:
            for policy in self._engine.policies:
                self._engine.anchor(policy)
        return told

    def _rate(self, step: int) -> float:
        """The learning rate of a step of reinforcement learning."""
        config = self._config
        done = step - config.cold_steps
        rate = fallen(config.learning_rate, config.final_rate, (done - 1) / config.steps)
        return rate * risen(done, config.warmup)

    async def _updated(
        self,
        steps: Mapping[str, Sequence[Step]],
        rates: Mapping[str, float],
        *,
        sampled: bool,
        shares: Mapping[str, float] | None = None,
    ) -> dict[str, float]:
        """As `updating.updated`."""
        config = self._config
        options = LossOptions(
            epsilon=config.epsilon,
            kl=config.kl if sampled else 0.0,
            normaliser=config.normaliser,
        )

        def update() -> dict[str, float]:
            return updated(self._engine, steps, rates, options, sampled=sampled, shares=shares)

        return await self._thread.run(update)

    def _places(self, among: Sequence[int], step: int, count: int) -> list[int]:
        """Those of a step's tasks."""
        order = task_indices(len(among), step, per_step=count, seed=self._context.seed)
        return [among[place] for place in order]

    def _drawn(self, among: Sequence[int], step: int, count: int) -> list[TaskSpec]:
        return [self._tasks[place] for place in self._places(among, step, count)]

    def beside(self, write: Callable[[], None]) -> None:
        """Writes a file of this step while the step goes on. The step counts once it is there.
        `write` raises OSError."""
        self._files.append(self._beside.submit(write))

    def end(self) -> None:
        """Also of a step that broke off nothing stays."""
        self._beside.shutdown(cancel_futures=True)
        self._engine.close()
        forget_after(self._context.folder, self.progress.step)

    # -- what stays

    def checkpoint(self, step: int, told: dict[str, float]) -> CheckpointSaved:
        config, context = self._config, self._context
        learns = config.cold_steps + config.steps > 0
        learned = self._training if learns else ()
        trained_on, held_out = known_hashes(self._tasks, learned, *self._starts)
        recipe: dict[str, Any] = {
            "kind": "trained",
            "step": step,
            "training": config.model_dump(mode="json"),
        }
        info = CheckpointInfo(
            method=self.method,
            label=f"{self.title}, step {step}",
            trained=learns or any(self._starts),
            seed=context.seed,
            code_version=code_version(context),
            recipe=context.recipe | recipe,
            config=self._kept.model_dump(mode="json"),
            run=config.run_config().model_dump(mode="json"),
            trained_on=trained_on,
            held_out=held_out,
        )
        tensors = named({policy: self._engine.tensors(policy) for policy in self._engine.policies})
        return checkpoint_saved(context, step, told, lambda folder: save(folder, tensors, info))

    def write(self, progress: Progress) -> None:
        context = self._context
        save_state(
            context.folder,
            self._engine,
            progress,
            method=self.method,
            seed=context.seed,
            files=self._files,
        )
        self._files.clear()

    def restore(self) -> None:
        self._files.clear()  # of the step that broke off
        load_state(self._context.folder, self._engine, method=self.method)
