"""A step draws a team size for each of two tasks, and learns which size earned more."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

import numpy as np

from workers.core.benchmarks.entry_points import entry_points
from workers.core.checkpoints import CheckpointInfo, load_arrays, save_arrays
from workers.core.events import (
    AgentDelta,
    CheckpointSaved,
    Event,
    TrainingMetric,
    TrainingSample,
)
from workers.core.llm.budget import BudgetedClient, BudgetLedger
from workers.core.mas.context import MethodContext
from workers.core.mas.record import RunRecord
from workers.core.methods.team_size.config import TeamSizeTrainingConfig
from workers.core.methods.team_size.policy import (
    KEY,
    SIZES,
    Logits,
    logits_in,
    probabilities,
    solved,
)
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.judging import Judge
from workers.core.training.resumable import (
    STATE_FOLDER,
    Progress,
    ResumableTraining,
    checkpoint_saved,
    code_version,
    reading_state,
    require_same,
    state_info,
    writing_state,
)
from workers.core.training.tasks import known_hashes, task_digest, task_indices

PER_STEP = 2


@dataclass(frozen=True, slots=True)
class Drawn:
    """A team, and what came of it."""

    task: TaskSpec
    size: int
    record: RunRecord
    correct: bool
    tokens: int
    trace: list[Event]


class Training(ResumableTraining[Progress]):
    def __init__(
        self, tasks: Sequence[TaskSpec], context: TrainingContext, config: TeamSizeTrainingConfig
    ) -> None:
        super().__init__(context)
        self._tasks = tasks
        self._config = config
        self._judge = Judge()
        self.progress, self._logits = self._restored()

    async def step(self) -> list[Event]:
        step = self.progress.step + 1
        seed = self._context.seed
        order = task_indices(len(self._tasks), step, per_step=PER_STEP, seed=seed)
        draws = np.random.default_rng([seed, step])
        policy = probabilities(self._logits)
        teams = [
            await self._asked(self._tasks[index], int(draws.choice(SIZES, p=policy)) + 1)
            for index in order
        ]
        rewards = np.array([float(team.correct) for team in teams])
        for team, advantage in zip(teams, rewards - rewards.mean(), strict=True):
            chosen = np.eye(SIZES)[team.size - 1]
            self._logits = self._logits + self._config.rate * advantage * (chosen - policy)
        metrics = {
            "reward": float(rewards.mean()),
            "accuracy": float(rewards.mean()),
            "tokens": sum(team.tokens for team in teams) / PER_STEP,
            "probability/1": float(probabilities(self._logits)[0]),
        }
        events: list[Event] = [
            TrainingMetric(step=step, values=metrics),
            *(_sample(step, index, team) for index, team in enumerate(teams)),
            self.checkpoint(step, metrics),
        ]
        await self.keep(events, step=step)
        return events

    async def _asked(self, task: TaskSpec, size: int) -> Drawn:
        ledger, record = BudgetLedger(self._context.per_system), RunRecord(None)
        context = MethodContext(
            llm=BudgetedClient(self._context.llm, ledger),
            endpoint=self._context.endpoint,
            seed=self._context.seed,
            budget=self._context.per_system,
            stream=False,
            answer_form=task.answer_form,
            entry_points=entry_points(task),
        )
        trace = []
        async with aclosing(solved(task, context, self._logits, size)) as events:
            async for event in events:
                record.take(event)
                trace.append(event)
        answer = record.answer.answer if record.answer else None
        correct = await self._judge.correct(task, answer, record.message())
        return Drawn(task, size, record, correct, ledger.tokens, trace)

    def checkpoint(self, step: int, metrics: dict[str, float]) -> CheckpointSaved:
        known, held_out = known_hashes(
            self._tasks, range(len(self._tasks)), self._context.start_from
        )
        info = CheckpointInfo(
            method=KEY,
            label=f"Team size, step {step}",
            trained=True,
            seed=self._context.seed,
            code_version=code_version(self._context),
            recipe=self._context.recipe,
            trained_on=known,
            held_out=held_out,
        )
        arrays = {"logits": self._logits}
        return checkpoint_saved(
            self._context, step, metrics, lambda folder: save_arrays(folder, arrays, info)
        )

    def write(self, progress: Progress) -> None:
        with writing_state():
            info = state_info(KEY, progress, seed=self._context.seed)
            save_arrays(self._context.folder / STATE_FOLDER, {"logits": self._logits}, info)

    def _restored(self) -> tuple[Progress, Logits]:
        config, digest = self._config.model_dump(mode="json"), task_digest(self._tasks)
        if not (self._context.folder / STATE_FOLDER).is_dir():
            return Progress(config=config, tasks=digest), logits_in(self._context.start_from)
        with reading_state():
            info, arrays = load_arrays(self._context.folder / STATE_FOLDER, method=KEY)
            progress = Progress.model_validate(info.recipe)
        require_same(progress.config, config, same_tasks=progress.tasks == digest)
        return progress, arrays["logits"]


def _sample(step: int, index: int, team: Drawn) -> TrainingSample:
    answer = team.record.answer
    return TrainingSample(
        step=step,
        index=index,
        query=team.task.query,
        reference=team.task.reference,
        answer=answer.answer if answer else None,
        correct=team.correct,
        reward=float(team.correct),
        tokens=team.tokens,
        advantages=(),
        action_rewards=(),
        graph=team.record.graph,
        trace=tuple(
            event.model_dump(mode="json")
            for event in team.trace
            if not isinstance(event, AgentDelta)
        ),
    )
