"""The examples of a tuning, task by task; what is gathered is kept and asked for once.

Each task's line in the job's folder is on the disk before the next one is begun in its place, so a
job that was killed, stopped or ran out of its budget asks on where it was.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from workers.core.benchmarks.compositional import TASK_GRAPH
from workers.core.concurrency import all_or_first_error, to_its_end
from workers.core.llm.budget import BudgetedClient, BudgetLedger
from workers.core.llm.cache import CachingClient
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded, ChatClient, LLMError
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.base import MethodContext, MethodError, TrainingContext
from workers.core.methods.reso.database import AgentDatabase
from workers.core.methods.reso.planner import PlanError, own_graph, plan
from workers.core.methods.reso.rewards import Reward, RuleReward, Solved, record
from workers.core.methods.reso.scoring import Scoring
from workers.core.methods.reso.solving import TaskSolver
from workers.core.methods.reso.tuning.examples import PlanExample, RewardExample, plan_example
from workers.core.specs import EndpointSpec, RoleSpec, Slug, SubtaskSpec, TaskSpec

EXAMPLES = "examples.jsonl"
AT_ONCE = 8
"""Tasks that are asked about at the same time."""
NOBODY_SPOKE = "no_input"


class Gathered(BaseModel):
    """Of one task, by its place. `rejected`: why it gave nothing to learn from; "" where it did."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: int
    plans: tuple[PlanExample, ...] = ()
    rewards: tuple[RewardExample, ...] = ()
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class Asking:
    """How examples are made where a task does not hold them. `planner` and `agents` are endpoints,
    of which `further` holds those beside the training's own; `k` agents answer a subtask."""

    max_subtasks: int
    tolerance: float
    k: int = 2
    planner: Slug | None = None
    agents: tuple[Slug, ...] = ()
    further: Mapping[Slug, EndpointSpec] = field(default_factory=dict)

    def endpoint(self, key: Slug | None, own: EndpointSpec) -> EndpointSpec:
        return own if key is None or key == own.key else self.further[key]


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


def plans(context: TrainingContext, asking: Asking) -> Gatherer:
    """The task's own graph, else one that the endpoint's planner writes."""
    endpoint = asking.endpoint(asking.planner, context.endpoint)
    client = CachingClient(context.llm, context.cache)

    async def gathered(place: int, task: TaskSpec) -> Gathered:
        try:
            if TASK_GRAPH in task.metadata:
                planned = own_graph(task)
            else:
                budgeted = BudgetedClient(client, BudgetLedger(context.per_system))
                planned = await plan(
                    task, client=budgeted, endpoint=endpoint, most=asking.max_subtasks
                )
            example = plan_example(task.query, planned.graph, most=asking.max_subtasks)
        except (PlanError, MethodError) as error:
            return Gathered(task=place, rejected=str(error))
        except BudgetExceeded as error:
            if error.limit == JOB:
                raise
            return Gathered(task=place, rejected=str(error))
        except LLMError as error:
            raise _endpoint_failing(endpoint, error.message) from error
        return Gathered(task=place, plans=(example,))

    return gathered


def answers(context: TrainingContext, asking: Asking, database: AgentDatabase) -> Gatherer:
    """What agents answer to the subtasks of the task's own graph, by the rule right or wrong.

    Nothing is learned of the agents meanwhile, so that the same tasks ask the same agents.
    """
    client = CachingClient(context.llm, context.cache)
    embedder = context.embedder
    if embedder is None:
        raise ValueError("a database of agents was made without an embedder")

    async def gathered(place: int, task: TaskSpec) -> Gathered:
        watching = _Watching(RuleReward(asking.tolerance))
        try:
            solver = TaskSolver(
                own_graph(task).graph,
                database=database,
                embedder=embedder,
                context=_solving(context, asking, client, task),
                k=asking.k,
                reward_model=watching,
                tolerance=asking.tolerance,
            )
        except MethodError as error:
            return Gathered(task=place, rejected=error.message)
        try:
            async with aclosing(solver.events()) as events:
                async for _ in events:
                    pass
        except MethodError as error:
            if error.code != NOBODY_SPOKE:
                raise _endpoint_failing(context.endpoint, error.message) from error
        except BudgetExceeded as error:
            if error.limit == JOB:
                raise
        return Gathered(
            task=place,
            rewards=tuple(watching.examples),
            rejected="" if watching.examples else "No answer to its subtasks could be judged.",
        )

    return gathered


def _solving(
    context: TrainingContext, asking: Asking, client: ChatClient, task: TaskSpec
) -> MethodContext:
    return MethodContext(
        llm=BudgetedClient(client, BudgetLedger(context.per_system)),
        endpoint=context.endpoint,
        endpoints=dict(asking.further),
        seed=context.seed,
        budget=context.per_system,
        pool=context.pool,
        embedder=context.embedder,
        stream=False,
        answer_form=task.answer_form,
    )


@dataclass(slots=True)
class _Watching:
    """The rule, with what it judged."""

    rule: RuleReward
    examples: list[RewardExample] = field(default_factory=list)

    async def judge(
        self, role: RoleSpec, subtask: SubtaskSpec, outcome: AgentOutcome, before: Sequence[Solved]
    ) -> Reward:
        reward = await self.rule.judge(role, subtask, outcome, before)
        if reward.value is not None and outcome.usable:
            text = record(role, subtask, outcome, before)
            self.examples.append(RewardExample(record=text, right=reward.value > 0))
        return reward


async def agents_of(context: TrainingContext, asking: Asking) -> AgentDatabase:
    """Raises MethodError without a pool, an embedder or an endpoint."""
    if context.pool is None or not context.pool.roles or context.embedder is None:
        raise MethodError(
            code="empty_pool",
            message="Answers of agents are what a reward model learns from, and this training has "
            "no roles, or no embedder to choose among them.",
            remedy="Choose a pool with at least one enabled role.",
        )
    keys = (context.endpoint.key, *asking.agents)
    return await AgentDatabase.of(
        context.pool,
        tuple(dict.fromkeys(keys)),
        embedder=context.embedder,
        scoring=Scoring(),
    )


def _endpoint_failing(endpoint: EndpointSpec, message: str) -> MethodError:
    return MethodError(
        code="endpoint_failing",
        message=f"The endpoint “{endpoint.key}” failed while examples were gathered: {message}",
        remedy="Mend the endpoint and resume the job: what was gathered is kept.",
    )
