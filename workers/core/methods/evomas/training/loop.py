"""The training's steps; see the package."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence

from torch import Tensor

from workers.core.checkpoints import CheckpointError, CheckpointInfo, unusable
from workers.core.concurrency import all_or_first_error, to_its_end
from workers.core.errors import MethodError
from workers.core.events import CheckpointSaved, Event, TrainingMetric, TrainingSample
from workers.core.llm.cache import CachingClient
from workers.core.llm.meter import Meter
from workers.core.methods.evomas.adapter import Adapter, Choosing, initial_adapter
from workers.core.methods.evomas.agents import candidates
from workers.core.methods.evomas.choosing import Chooser, choosing_of, pool_embeddings
from workers.core.methods.evomas.config import METHOD_KEY, AdapterConfig
from workers.core.methods.evomas.training.config import EvoMasTrainingConfig
from workers.core.methods.evomas.training.learner import Learner
from workers.core.methods.evomas.training.metrics import (
    held_out_metrics,
    step_metrics,
    step_selections,
)
from workers.core.methods.evomas.training.rollouts import Rollout, Rollouts
from workers.core.methods.evomas.training.state import Progress, load_state, save_state
from workers.core.methods.evomas.weights import load_adapter, save_adapter
from workers.core.plain_text import clean
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.resumable import (
    ResumableTraining,
    checkpoint_saved,
    code_version,
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

FAILING_SHARE = 0.5
"""Share of a step's rollouts that may fail because of their endpoint. Above it the training
stops."""


async def train(
    tasks: Sequence[TaskSpec], context: TrainingContext, config: EvoMasTrainingConfig
) -> AsyncGenerator[Event]:
    """See `workers.core.methods.base.LearningMethod`."""
    require_tasks(tasks)
    pool = candidates(config, context.pool)
    agents = await pool_embeddings(context.embedder, pool)
    choosing = choosing_of(config, pool)
    try:
        adapter = _first(context, config, agents, choosing)
    except CheckpointError as error:
        raise unusable(error) from error
    learner = Learner(config, adapter, agents, choosing)
    chooser = Chooser(pool, learner.choosing, context.embedder, adapter, agents)
    training = _Training(tasks, context, config, learner, chooser)
    async for event in training.events(config.steps):
        yield event


def _first(
    context: TrainingContext, config: EvoMasTrainingConfig, agents: Tensor, choosing: Choosing
) -> Adapter:
    if context.start_from is not None:
        return load_adapter(context.start_from, dimension=agents.shape[1])
    shape = AdapterConfig(dimension=agents.shape[1], width=config.width, heads=config.heads)
    return initial_adapter(context.seed, shape, agents, choosing)


class _Training(ResumableTraining[Progress]):
    def __init__(
        self,
        tasks: Sequence[TaskSpec],
        context: TrainingContext,
        config: EvoMasTrainingConfig,
        learner: Learner,
        chooser: Chooser,
    ) -> None:
        super().__init__(context)
        self._tasks = tasks
        self._config = config
        self._learner = learner
        self._chooser = chooser
        self._meter = Meter(full=context.endpoint.max_concurrency)
        client = CachingClient(self._meter.watching_requests(context.llm), context.cache)
        self._rollouts = Rollouts(context, config, client=self._meter.watching_answers(client))
        self._training, self._held_out = split_tasks(
            len(tasks),
            config.held_out,
            seed=context.seed,
            seen=indices_of(tasks, learned_from(context.start_from)),
        )
        self.progress = Progress(config=config.model_dump(mode="json"), tasks=task_digest(tasks))
        self.restore()

    # -- one step

    async def step(self) -> list[Event]:
        began, config = time.monotonic(), self._config
        step = self.progress.step + 1
        rollouts = await self._sampled(step)
        self._require_endpoint(rollouts)
        size = config.rollouts_per_task
        groups = [
            [rollout.trajectory() for rollout in group if not rollout.tells_nothing]
            for group in (rollouts[at : at + size] for at in range(0, len(rollouts), size))
        ]
        learned = await asyncio.to_thread(self._learner.update, groups)
        metrics = learned | step_metrics(rollouts, self._meter)
        saves = step % config.checkpoint_every == 0 or step == config.steps
        if saves and self._held_out:
            metrics |= await self._try_held_out()
        tokens, cost = self.spent_with(self._meter)
        metrics |= {"seconds": time.monotonic() - began, "tokens_total": tokens, "cost_total": cost}
        events: list[Event] = [
            TrainingMetric(step=step, values=metrics, selections=step_selections(rollouts)),
            *self._samples(step, rollouts),
        ]
        if saves:
            events.append(await to_its_end(self.checkpoint, step, metrics))
        learner = self._learner
        await self.keep(
            events,
            step=step,
            tokens=tokens,
            cost=cost,
            baseline=learner.baseline,
            values=learner.values.means,
        )
        self._context.pulse.share = 0.0
        return events

    async def _sampled(self, step: int) -> list[Rollout]:
        """The rollouts of a task one after the other, task by task."""
        config, done = self._config, 0
        order = task_indices(
            len(self._training), step, per_step=config.tasks_per_step, seed=self._context.seed
        )
        wanted = [self._training[place] for place in order for _ in range(config.rollouts_per_task)]

        async def solved(place: int, index: int) -> Rollout:
            nonlocal done
            chooser = self._drawing(step, place)
            kept = place % config.rollouts_per_task == 0 and self._is_kept(place)
            rollout = await self._rollouts.solve(self._tasks[index], chooser, keep=kept)
            done += 1
            self._context.pulse.share = done / len(wanted)
            return rollout

        return await all_or_first_error(solved(place, index) for place, index in enumerate(wanted))

    def _is_kept(self, place: int) -> bool:
        """The first rollout of each of the first tasks."""
        return place // self._config.rollouts_per_task < self._config.samples_per_step

    def _drawing(self, step: int, place: int) -> Chooser:
        chooser = self._chooser
        return Chooser(
            chooser.pool,
            chooser.choosing,
            chooser.embedder,
            chooser.adapter,
            chooser.agents,
            seed=(self._context.seed, step, place),
        )

    async def _try_held_out(self) -> dict[str, float]:
        """Answer every held-out task like a run."""
        rollouts = await all_or_first_error(
            self._rollouts.solve(self._tasks[index], self._chooser) for index in self._held_out
        )
        self._require_endpoint(rollouts)
        return held_out_metrics(rollouts)

    def _require_endpoint(self, rollouts: Sequence[Rollout]) -> None:
        """Raise MethodError if the endpoint fails: a dead one would teach that nothing helps."""
        failed = [rollout for rollout in rollouts if rollout.failures or rollout.stopped]
        late = sum(rollout.late for rollout in rollouts)
        if len(failed) > FAILING_SHARE * len(rollouts) or len(failed) + late == len(rollouts):
            first = next((f for rollout in failed for f in rollout.failures), None)
            if first is None and not failed:
                raise MethodError(
                    code="out_of_time",
                    message=(
                        f"All {late} tasks of this step reached their limit of "
                        f"{self._context.per_system.max_seconds:g} seconds."
                    ),
                    remedy=(
                        "Start a new training with more seconds per task, or fewer tasks per step."
                    ),
                )
            why = first.message if first else "no agent left a message."
            raise MethodError(
                code="endpoint_failing",
                message=f"{len(failed)} of {len(rollouts)} tasks of this step failed: {why}",
                remedy="Repair the endpoint and resume the training. No finished step is lost.",
            )

    def _samples(self, step: int, rollouts: Sequence[Rollout]) -> list[TrainingSample]:
        kept = [
            TrainingSample(
                step=step,
                index=index,
                query=rollout.task.query,
                reference=rollout.task.reference,
                answer=rollout.answer,
                correct=rollout.correct,
                reward=float(rollout.correct),
                tokens=rollout.tokens,
                advantages=(),
                action_rewards=rollout.trajectory().stage_rewards,
                graph=rollout.graph,
                trace=tuple(event.model_dump(mode="json") for event in rollout.events),
            )
            for index, rollout in enumerate(rollouts)
            if rollout.events
        ]
        return [TrainingSample.model_validate(clean(each.model_dump())) for each in kept]

    # -- what stays

    def checkpoint(self, step: int, metrics: dict[str, float]) -> CheckpointSaved:
        context = self._context
        trained_on, held_out = known_hashes(self._tasks, self._training, context.start_from)
        info = CheckpointInfo(
            method=METHOD_KEY,
            label=f"EvoMAS, step {step}",
            trained=True,
            seed=context.seed,
            code_version=code_version(context),
            recipe=context.recipe
            | {"kind": "trained", "step": step, "training": self.progress.config},
            run=self._config.run_config().model_dump(mode="json"),
            trained_on=trained_on,
            held_out=held_out,
        )
        adapter = self._learner.adapter
        return checkpoint_saved(
            context, step, metrics, lambda folder: save_adapter(folder, adapter, info)
        )

    def write(self, progress: Progress) -> None:
        save_state(self._context.folder, self._learner, progress, seed=self._context.seed)

    def restore(self) -> None:
        found = load_state(self._context.folder, self._learner)
        if found is None:
            return
        one_head = {"heads": 1}  # as trainings were before they had the setting
        began = EvoMasTrainingConfig.model_validate(one_head | found.config).model_dump(mode="json")
        same_tasks = found.tasks == self.progress.tasks
        require_same(began, self.progress.config, same_tasks=same_tasks)
        self.progress = found
