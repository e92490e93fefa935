"""Gathers the examples of a tuning, task by task. Each is kept and asked for only once.

Each task's line in the training's folder is on the disk before the next task starts in its place.
So a training that was killed or stopped, or that spent its budget, continues where it was.
"""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from workers.core.agents.database import AgentDatabase
from workers.core.concurrency import all_or_first_error, to_its_end
from workers.core.errors import MethodError
from workers.core.events import Event
from workers.core.llm.budget import BudgetedClient, BudgetLedger
from workers.core.llm.cache import CachingClient
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded, ChatClient, LLMError
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.pictures import pictures_read_by
from workers.core.methods.reso.config import SearchConfig
from workers.core.methods.reso.given import database_of, solving
from workers.core.methods.reso.planner import PlanError, PlanFailed, Planner
from workers.core.methods.reso.rewards import Reward, RuleReward, Solved, record
from workers.core.methods.reso.solving import TaskSolver
from workers.core.methods.reso.tuning.examples import PlanExample, RewardExample, plan_example
from workers.core.specs import RoleSpec, SubtaskSpec, TaskGraphSpec, TaskSpec
from workers.core.tools.toolbox import tools_of_run
from workers.core.training.context import TrainingContext
from workers.core.training.judging import NOT_THE_ENDPOINT

EXAMPLES = "examples.jsonl"
AT_ONCE = 8
"""Number of tasks that are asked at the same time."""


class Gathered(BaseModel):
    """The examples of one task, by its place. `rejected`: why there are none, otherwise ""."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: int
    plans: tuple[PlanExample, ...] = ()
    rewards: tuple[RewardExample, ...] = ()
    rejected: str = ""


Gatherer = Callable[[int, TaskSpec], Awaitable[Gathered]]


async def gather(
    tasks: Sequence[TaskSpec], context: TrainingContext, gatherer: Gatherer
) -> list[Gathered] | None:
    """The examples of every task, in order; None if the training was stopped before.

    Raises BudgetExceeded of the whole training, and MethodError if an endpoint fails. Examples
    gathered until then are kept.
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
    """The kept examples, by the tasks' places. A line that a killed process left unfinished doesn't
    count."""
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
            message=f"The examples in {folder.name} could not be saved: {error.strerror or error}.",
            remedy=(
                "Free some disk space and resume the training. It continues after the saved "
                "examples."
            ),
        ) from error


def plans(context: TrainingContext, search: SearchConfig) -> Gatherer:
    """The task's own graph, or one written by the planner's endpoint."""
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
    """The answers of k agents to each subtask, right or wrong by the rule. `room` is the limit of
    each text of the record, in tokens.

    Nothing is learned about the agents while gathering, so the same tasks ask the same agents.
    """
    client = CachingClient(context.llm, context.cache)

    async def gathered(place: int, task: TaskSpec) -> Gathered:
        budgeted = _budgeted(client, context)
        watching = _Watching(RuleReward(search.tolerance), room)
        try:
            planned = await _planned(task, context, search, budgeted)
            endpoints = (context.endpoint, *context.endpoints.values())
            eyes = pictures_read_by(budgeted, endpoints, context.per_system)
            async with tools_of_run(context.toolbox, task, eyes=eyes) as tools:
                solver = TaskSolver(
                    planned,
                    database=database,
                    context=solving(context, budgeted, task, seed=context.seed, tools=tools),
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
    """One task's budget was spent, not the training's."""


async def _planned(
    task: TaskSpec, context: TrainingContext, search: SearchConfig, client: ChatClient
) -> TaskGraphSpec:
    planner = Planner(task, search, context, client=client)
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
    """Raises _OverBudget if one task has spent its own budget. BudgetExceeded of the whole training
    passes."""
    try:
        yield
    except BudgetExceeded as error:
        if error.limit == JOB:
            raise
        raise _OverBudget(str(error)) from error


def _budgeted(client: ChatClient, context: TrainingContext) -> ChatClient:
    return BudgetedClient(client, BudgetLedger(context.per_system))


@dataclass(slots=True)
class _Watching:
    """The rule, together with what it judged."""

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
    """Agents without any reward. Raises MethodError without a pool, an embedder or an endpoint."""
    return await database_of(context, search, search.scoring(weight=0.0, exploration="paper"))


def _endpoint_failing(message: str) -> MethodError:
    return MethodError(
        code="endpoint_failing",
        message=f"An endpoint failed while the examples were gathered: {message}",
        remedy="Repair the endpoint and resume the training. The gathered examples are kept.",
    )
