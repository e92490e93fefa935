"""The examples of a tuning, task by task; what is gathered is kept and asked for once.

Each task's line in the job's folder is on the disk before the next one is begun in its place, so a
job that was killed, stopped or ran out of its budget asks on where it was.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from workers.core.agents.database import AgentDatabase
from workers.core.benchmarks.entry_points import entry_points
from workers.core.concurrency import all_or_first_error, to_its_end
from workers.core.errors import MethodError
from workers.core.events import Event
from workers.core.llm.budget import BudgetedClient, BudgetLedger
from workers.core.llm.cache import CachingClient
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded, ChatClient, LLMError
from workers.core.mas.context import MethodContext
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.reso.config import SearchConfig
from workers.core.methods.reso.given import embedder_of, endpoints_of, pool_of
from workers.core.methods.reso.planner import PlanError, PlanFailed, Planner
from workers.core.methods.reso.rewards import Reward, RuleReward, Solved, record
from workers.core.methods.reso.solving import TaskSolver
from workers.core.methods.reso.tuning.examples import PlanExample, RewardExample, plan_example
from workers.core.specs import RoleSpec, SubtaskSpec, TaskGraphSpec, TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.judging import NOT_THE_ENDPOINT

EXAMPLES = "examples.jsonl"
AT_ONCE = 8
"""Tasks that are asked about at the same time."""


class Gathered(BaseModel):
    """Of one task, by its place. `rejected`: why it gave nothing to learn from; "" where it did."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: int
    plans: tuple[PlanExample, ...] = ()
    rewards: tuple[RewardExample, ...] = ()
    rejected: str = ""


Gatherer = Callable[[int, TaskSpec], Awaitable[Gathered]]


async def gather(
    tasks: Sequence[TaskSpec], context: TrainingContext, gatherer: Gatherer
) -> list[Gathered] | None:
    """Of every task, in order; None where the job was told to stop before.

    Raises BudgetExceeded of the job, and MethodError where an endpoint fails; what was gathered up
    to then is kept.
    """
    kept = read_kept(context.folder)
    left = [place for place in range(len(tasks)) if place not in kept]
    waiting = iter(left)

    async def worker() -> None:
        for place in waiting:
            if context.stop.wanted is not None:
                return
            found = await gatherer(place, tasks[place])
            await to_its_end(_keep, context.folder, found)
            kept[place] = found
            context.pulse.share = len(kept) / len(tasks)

    await all_or_first_error(worker() for _ in range(min(AT_ONCE, len(left))))
    context.pulse.share = 0.0
    if len(kept) < len(tasks):
        return None
    return [kept[place] for place in range(len(tasks))]


def read_kept(folder: Path) -> dict[int, Gathered]:
    """By the tasks' places. A line that a killed process left unfinished is none."""
    try:
        lines = (folder / EXAMPLES).read_bytes().splitlines()
    except FileNotFoundError:
        return {}
    kept = {}
    for line in lines:
        try:
            found = Gathered.model_validate_json(line)
        except ValidationError:
            continue
        kept[found.task] = found
    return kept


def _keep(folder: Path, found: Gathered) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / EXAMPLES).open("ab") as file:
            # A line begins with its break, so that it stands apart from one that was torn.
            file.write(b"\n" + found.model_dump_json().encode("utf-8", "surrogatepass"))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise MethodError(
            code="state_not_written",
            message=f"The examples in {folder.name} could not be kept: {error.strerror or error}.",
            remedy="Free some disk space and resume the job: it goes on after what it has kept.",
        ) from error


def plans(context: TrainingContext, search: SearchConfig) -> Gatherer:
    """The task's own graph, or one that the planner's endpoint writes."""
    client = CachingClient(context.llm, context.cache)

    async def gathered(place: int, task: TaskSpec) -> Gathered:
        try:
            planned = await _planned(task, context, search, _budgeted(client, context))
            example = plan_example(task.query, planned, most=search.max_subtasks)
        except (PlanError, PlanFailed, _OverBudget) as error:
            return Gathered(task=place, rejected=str(error))
        return Gathered(task=place, plans=(example,))

    return gathered


def answers(
    context: TrainingContext,
    search: SearchConfig,
    database: AgentDatabase,
    *,
    k: int,
    room: int | None,
) -> Gatherer:
    """What k agents answer to each subtask, by the rule right or wrong; `room` is for each text of
    its record, in tokens.

    Nothing is learned of the agents meanwhile, so that the same tasks ask the same agents.
    """
    client = CachingClient(context.llm, context.cache)

    async def gathered(place: int, task: TaskSpec) -> Gathered:
        budgeted = _budgeted(client, context)
        watching = _Watching(RuleReward(search.tolerance), room)
        try:
            planned = await _planned(task, context, search, budgeted)
            solver = TaskSolver(
                planned,
                database=database,
                embedder=embedder_of(context.embedder),
                context=_solving(context, budgeted, task),
                k=k,
                reward_model=watching,
                tolerance=search.tolerance,
            )
            await _to_the_end(solver)
        except PlanFailed as error:
            return Gathered(task=place, rejected=str(error))
        except _OverBudget:
            pass  # what was judged before it is as good
        return Gathered(
            task=place,
            rewards=tuple(watching.examples),
            rejected="" if watching.examples else "No answer to its subtasks could be judged.",
        )

    return gathered


class _OverBudget(Exception):
    """One task's budget was spent, not the job's."""


async def _planned(
    task: TaskSpec, context: TrainingContext, search: SearchConfig, client: ChatClient
) -> TaskGraphSpec:
    planner = Planner(task, search, client=client, own=context.endpoint, further=context.endpoints)
    try:
        await _drain(planner.events())
    except LLMError as error:
        raise _endpoint_failing(error.message) from error
    return planner.graph


async def _to_the_end(solver: TaskSolver) -> None:
    try:
        await _drain(solver.events())
    except MethodError as error:
        if error.code not in NOT_THE_ENDPOINT:  # else nobody spoke, and nobody is to blame
            raise _endpoint_failing(error.message) from error


async def _drain(events: AsyncGenerator[Event]) -> None:
    with _own_budget():
        async with aclosing(events):
            async for _ in events:
                pass


@contextmanager
def _own_budget() -> Iterator[None]:
    """Raises _OverBudget where one task has spent its own, and lets the job's through."""
    try:
        yield
    except BudgetExceeded as error:
        if error.limit == JOB:
            raise
        raise _OverBudget(str(error)) from error


def _budgeted(client: ChatClient, context: TrainingContext) -> ChatClient:
    return BudgetedClient(client, BudgetLedger(context.per_system))


def _solving(context: TrainingContext, client: ChatClient, task: TaskSpec) -> MethodContext:
    return MethodContext(
        llm=client,
        endpoint=context.endpoint,
        endpoints=context.endpoints,
        seed=context.seed,
        budget=context.per_system,
        pool=context.pool,
        embedder=context.embedder,
        stream=False,
        answer_form=task.answer_form,
        entry_points=entry_points(task),
    )


@dataclass(slots=True)
class _Watching:
    """The rule, with what it judged."""

    rule: RuleReward
    room: int | None
    examples: list[RewardExample] = field(default_factory=list)

    async def judge(
        self, role: RoleSpec, subtask: SubtaskSpec, outcome: AgentOutcome, before: Sequence[Solved]
    ) -> Reward:
        reward = await self.rule.judge(role, subtask, outcome, before)
        if reward.value is not None and outcome.usable:
            text = record(role, subtask, outcome, before, room=self.room)
            self.examples.append(RewardExample(record=text, right=reward.value > 0))
        return reward


async def agents_of(context: TrainingContext, search: SearchConfig) -> AgentDatabase:
    """Of whom nothing is known. Raises MethodError without a pool, an embedder or an endpoint."""
    return await AgentDatabase.of(
        pool_of(context.pool),
        endpoints_of(search, own=context.endpoint, further=context.endpoints),
        embedder=embedder_of(context.embedder),
        scoring=search.scoring(weight=0.0, exploration="paper"),
        profiles=context.profiles,
    )


def _endpoint_failing(message: str) -> MethodError:
    return MethodError(
        code="endpoint_failing",
        message=f"An endpoint failed while examples were gathered: {message}",
        remedy="Mend the endpoint and resume the job: what was gathered is kept.",
    )
