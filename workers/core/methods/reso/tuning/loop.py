"""The tuning: first examples, then steps. It can resume after each step.

Step k learns from the k-th B examples, in an order given by the seed.
"""

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workers.core.checkpoints import CheckpointError, CheckpointInfo, save, unusable
from workers.core.concurrency import OneThread
from workers.core.errors import MethodError
from workers.core.events import CheckpointSaved, Event, TrainingEnded, TrainingMetric
from workers.core.methods.reso.config import METHOD_KEY, SearchConfig
from workers.core.methods.reso.rewards import TEXT_TOKENS
from workers.core.methods.reso.tuning.config import ADAPTERS, TuningConfig, TuningKind
from workers.core.methods.reso.tuning.gathering import Gathered, agents_of, answers, gather, plans
from workers.core.methods.reso.tuning.learner import Learner, require_memory
from workers.core.methods.reso.tuning.planner import PlannerLearner, instructed_model
from workers.core.methods.reso.tuning.reward_model import RewardLearner
from workers.core.methods.reso.tuning.state import load_state, save_state
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.resumable import (
    Progress,
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
from workers.core.weights.adapters import load_adapter
from workers.core.weights.fingerprint import fingerprint
from workers.core.weights.models import find_model


@dataclass(frozen=True, slots=True)
class Tuning:
    """What is tuned and how. `search` says how examples are asked for, `k` how many agents answer a
    subtask. `settings` are those of the whole training, which a resumption must have; empty: those
    of `config`. `run` are the options of runs that use the result."""

    kind: TuningKind
    config: TuningConfig
    search: SearchConfig
    k: int = 2
    settings: dict[str, Any] = field(default_factory=dict)
    run: dict[str, Any] = field(default_factory=dict)


async def tune(
    tasks: Sequence[TaskSpec], context: TrainingContext, tuning: Tuning
) -> AsyncGenerator[Event]:
    """See `workers.core.methods.base.LearningMethod`. Once the examples are there, the endpoint is
    not asked again, so a budget can only end before the first step."""
    require_tasks(tasks)
    split = _split(tasks, context, tuning.config)
    gathered = await _gathered(tasks, context, tuning)
    if gathered is None:
        yield TrainingEnded(step=0, reason=context.stop.wanted or "paused")
        return
    thread = OneThread()
    try:
        examples = _Examples(gathered, *split)
        job = await thread.run(_Job, tasks, context, tuning, examples, thread)
        async for event in job.events(job.steps):
            yield event
    finally:
        thread.close()


def _split(
    tasks: Sequence[TaskSpec], context: TrainingContext, config: TuningConfig
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    try:
        seen = indices_of(tasks, learned_from(context.start_from))
    except CheckpointError as error:
        raise unusable(error) from error
    return split_tasks(len(tasks), config.held_out, seed=context.seed, seen=seen)


async def _gathered(
    tasks: Sequence[TaskSpec], context: TrainingContext, tuning: Tuning
) -> list[Gathered] | None:
    """Checks the model before anything is paid for, and that there is memory for its weights."""
    if tuning.kind == "planner":
        await asyncio.to_thread(instructed_model, tuning.config.model)
        gatherer = plans(context, tuning.search)
    else:
        source = await asyncio.to_thread(find_model, tuning.config.model)
        room = None if source.head == "process" else TEXT_TOKENS
        database = await agents_of(context, tuning.search)
        gatherer = answers(context, tuning.search, database, k=tuning.k, room=room)
    await asyncio.to_thread(require_memory, tuning.config, prompt=1)
    return await gather(tasks, context, gatherer)


@dataclass(frozen=True, slots=True)
class _Examples:
    """The gathered examples. `training` and `held_out` are the tasks' places."""

    gathered: Sequence[Gathered]
    training: tuple[int, ...]
    held_out: tuple[int, ...]

    def learner(self, tuning: Tuning, *, seed: int) -> Learner:
        """Raises MethodError if there is nothing to learn from."""
        learned = [self.gathered[place] for place in self.training]
        others = [self.gathered[place] for place in self.held_out]
        if tuning.kind == "planner":
            plans_ = [example for each in learned for example in each.plans]
            self._require(len(plans_), tuning)
            unseen = [example for each in others for example in each.plans]
            return PlannerLearner(plans_, unseen, tuning.config, seed=seed)
        rewards = [example for each in learned for example in each.rewards]
        self._require(len(rewards), tuning)
        _require_both({example.right for example in rewards})
        unjudged = [example for each in others for example in each.rewards]
        learner = RewardLearner(rewards, unjudged, tuning.config, seed=seed)
        _require_both(learner.verdicts)
        return learner

    def metrics(self, learner: Learner) -> dict[str, float]:
        rejected = sum(bool(each.rejected) for each in self.gathered)
        right = [example.right for each in self.gathered for example in each.rewards]
        return {
            "examples": float(learner.count),
            "held_out_examples": float(learner.total - learner.count),
            "too_long": float(learner.too_long),
            "rejected": rejected / len(self.gathered),
            **({"right": sum(right) / len(right)} if right else {}),
        }

    def _require(self, count: int, tuning: Tuning) -> None:
        if count:
            return
        why = next((each.rejected for each in self.gathered if each.rejected), "")
        raise MethodError(
            code="no_examples",
            message=(
                f"None of the {len(self.gathered)} tasks gave the {ADAPTERS[tuning.kind].name} "
                f"an example to learn from. {why}"
            ).strip(),
            remedy="Choose a composed dataset: its tasks have a task graph.",
        )


def _require_both(verdicts: set[bool]) -> None:
    if len(verdicts) > 1:
        return
    raise MethodError(
        code="one_sided_examples",
        message=(
            f"All answers were {'right' if verdicts == {True} else 'wrong'}. From these a "
            "reward model learns to give every answer the same reward."
        ),
        remedy="Choose tasks that the endpoint's model solves only in part, or more tasks.",
    )


class _Job(ResumableTraining[Progress]):
    """Created in a thread, where its steps run, too: it reads models."""

    def __init__(
        self,
        tasks: Sequence[TaskSpec],
        context: TrainingContext,
        tuning: Tuning,
        examples: _Examples,
        thread: OneThread,
    ) -> None:
        super().__init__(context)
        self._tasks = tasks
        self._thread = thread
        self._tuning = tuning
        self._examples = examples
        self._learner = examples.learner(tuning, seed=context.seed)
        config = tuning.config
        self.steps = math.ceil(config.epochs * self._learner.count / config.batch_size)
        self._settings = tuning.settings or config.model_dump(mode="json")
        self._base = fingerprint(config.model, weights=True)
        self.progress = Progress(config=self._settings, tasks=task_digest(tasks), base=self._base)
        self._begin()

    async def step(self) -> list[Event]:
        events = await self._thread.run(self._learn)
        await self.keep(events, step=self._learner.step)
        return events

    def _learn(self) -> list[Event]:
        began = time.monotonic()
        learner, config = self._learner, self._tuning.config
        step = learner.step + 1
        places = task_indices(
            learner.count, step, per_step=config.batch_size, seed=self._context.seed
        )
        metrics = learner.learn(places, steps=self.steps)
        saves = step % config.checkpoint_every == 0 or step == self.steps
        if step == 1 or saves:
            metrics |= self._examples.metrics(learner)
        if saves:
            metrics |= learner.held_out()
        metrics["seconds"] = time.monotonic() - began
        events: list[Event] = [TrainingMetric(step=step, values=metrics)]
        if saves:
            events.append(self.checkpoint(step, metrics))
        return events

    def checkpoint(self, step: int, metrics: dict[str, float]) -> CheckpointSaved:
        tuning, context = self._tuning, self._context
        trained_on, held_out = known_hashes(
            self._tasks, self._examples.training, context.start_from
        )
        info = CheckpointInfo(
            method=METHOD_KEY,
            label=f"ReSo's {ADAPTERS[tuning.kind].name}, step {step}",
            trained=True,
            seed=context.seed,
            code_version=code_version(context),
            recipe=context.recipe | {"kind": "tuned", "step": step, "training": self._settings},
            config=tuning.config.adapter(tuning.kind, self._base).model_dump(mode="json"),
            run=tuning.run,
            trained_on=trained_on,
            held_out=held_out,
        )
        tensors = self._learner.tensors()
        return checkpoint_saved(context, step, metrics, lambda folder: save(folder, tensors, info))

    def write(self, progress: Progress) -> None:
        save_state(self._context.folder, self._learner, progress, seed=self._context.seed)

    def _begin(self) -> None:
        progress = load_state(self._context.folder, self._learner)
        if progress is None:
            if self._context.start_from is not None:
                self._begin_with(self._context.start_from)
            return
        # A setting that there was not yet when it began has its default.
        same_tasks = progress.tasks == self.progress.tasks
        require_same(progress.config, self._settings, same_tasks=same_tasks)
        require_model(progress, self._base, model=self._tuning.config.model)
        self.progress = progress.model_copy(update={"config": self._settings})

    def _begin_with(self, checkpoint: Path) -> None:
        kind, model = ADAPTERS[self._tuning.kind], self._tuning.config.model
        _, tensors = load_adapter(checkpoint, kind, onto=model)
        try:
            self._learner.put(tensors, folder=checkpoint)
        except CheckpointError as error:
            raise unusable(error) from error
