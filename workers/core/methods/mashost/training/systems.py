"""Samples systems on an endpoint: B queries × L constructions at once, each judged as it grows.

One construction is `build.Construction`, the same that answers a person's query, with a decider
that records. The task's verifier judges the answer after each action (O_t of Eq. 5). Equal calls
are made once: the client caches at temperature 0. A cached answer is charged as if it was asked, so
rewards do not depend on earlier calls.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from workers.core.benchmarks.entry_points import entry_points
from workers.core.embed.base import Embedder
from workers.core.errors import Failure, MethodError
from workers.core.events import Event, IntermediateAnswer
from workers.core.llm.budget import BudgetedClient, BudgetLedger
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded, ChatClient
from workers.core.llm.wire import cost
from workers.core.mas.context import MethodContext
from workers.core.mas.pictures import pictures_read_by
from workers.core.mas.record import RunRecord
from workers.core.methods.mashost.build import Construction
from workers.core.methods.mashost.construct import Constructor
from workers.core.methods.mashost.prepared import Prepared
from workers.core.methods.mashost.training.deciding import Recorder
from workers.core.methods.mashost.training.trajectory import (
    Action,
    Trajectory,
    counted_with,
    exploring_at,
)
from workers.core.specs import Budget, EndpointSpec, GraphSpec, PoolSpec, TaskSpec
from workers.core.tools.attachments import with_files_named
from workers.core.tools.base import Tool
from workers.core.tools.toolbox import Toolbox, tools_of_run
from workers.core.training.judging import Judge, failures_of_the_endpoint


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where systems run, and what each may spend."""

    client: ChatClient
    spec: EndpointSpec
    embedder: Embedder
    pool: PoolSpec
    budget: Budget
    toolbox: Toolbox | None = None


@dataclass(frozen=True, slots=True)
class Sampled:
    """One system and its outcome. `failures` are those of agents that the endpoint failed. `late`:
    it reached its `max_seconds`. Such an outcome says nothing about the system, so it counts as
    drawn 0 times. `cost` (USD) counts kept answers as if they were asked."""

    trajectory: Trajectory
    answer: str | None
    graph: GraphSpec
    agents: int
    refused: int
    late: bool
    failures: tuple[Failure, ...]
    events: tuple[Event, ...]
    cost: float | None = None

    @property
    def built(self) -> Hashable | None:
        """See `trajectory.repeats`."""
        return None if self.late or self.failures else self.trajectory.built

    def exploring_at(self, place: int) -> Sampled:
        return replace(self, trajectory=exploring_at(place, self.trajectory))

    def counted_with(self, repeat: Sampled) -> Sampled:
        return replace(self, trajectory=counted_with(self.trajectory, repeat.trajectory))


@dataclass(slots=True)
class _Watched:
    """Adds up one construction's events as they come. `answers`: the answer after each action, with
    its message."""

    record: RunRecord
    keep: bool
    events: list[Event] = field(default_factory=list)
    tokens_after: list[int] = field(default_factory=list)
    answers: list[tuple[str | None, str]] = field(default_factory=list)
    late: bool = False

    def take(self, event: Event, spent: int) -> None:
        self.record.take(event)
        if self.keep:
            self.events.append(event)
        if isinstance(event, IntermediateAnswer):
            self.answers.append((event.answer, self.record.message()))
            self.tokens_after.append(spent)


async def sample_system(
    task: TaskSpec,
    *,
    query: Tensor,
    endpoint: Endpoint,
    constructor: Constructor,
    decider: Recorder,
    judge: Judge,
    seed: int,
    keep: bool,
) -> Sampled:
    """One system M_i for the task. `query` (D,) is its embedding, `seed` is that of its agents'
    answers. `keep`: keep its events."""
    ledger = BudgetLedger(endpoint.budget)
    client = BudgetedClient(endpoint.client, ledger)
    watched = _Watched(RunRecord(endpoint.pool), keep)
    try:
        eyes = pictures_read_by(client, (endpoint.spec,), endpoint.budget)
        async with tools_of_run(endpoint.toolbox, task, eyes=eyes) as tools:
            construction = Construction(
                Prepared(constructor, endpoint.pool, query, endpoint.embedder),
                task=with_files_named(task),
                context=_context(task, endpoint, client, seed, tools),
                decider=decider,
            )
            async with aclosing(construction.events()) as events:
                async for event in events:
                    watched.take(event, ledger.tokens)
    except BudgetExceeded as error:
        if error.limit == JOB:
            raise
        # It spent more than it may, ends there, and is wrong; but time says nothing about it.
        watched.late = error.limit == "seconds"
    except MethodError:
        pass  # nobody in it spoke: it is wrong
    usage = watched.record.usage()
    price = cost(endpoint.spec, usage.prompt_tokens, usage.completion_tokens)
    return replace(await _judged(task, decider, watched, ledger.tokens, judge), cost=price)


def _context(
    task: TaskSpec, endpoint: Endpoint, client: ChatClient, seed: int, tools: Mapping[str, Tool]
) -> MethodContext:
    return MethodContext(
        llm=client,
        endpoint=endpoint.spec,
        seed=seed,
        budget=endpoint.budget,
        pool=endpoint.pool,
        embedder=endpoint.embedder,
        stream=False,
        answer_form=task.answer_form,
        entry_points=entry_points(task),
        tools=tools,
    )


async def _judged(
    task: TaskSpec, decider: Recorder, watched: _Watched, tokens: int, judge: Judge
) -> Sampled:
    """Every action with the verdict on the answer after it. No answer counts as wrong."""
    verdicts = [await judge.correct(task, *answer) for answer in watched.answers]
    spent = list(watched.tokens_after)
    missing = len(decider.decisions) - len(verdicts)
    verdicts += [False] * missing
    spent += [tokens] * missing
    actions = tuple(
        Action(
            state=state,
            action=decision.action,
            reads=decision.edges.reads if decision.edges else (),
            correct=correct,
            tokens=float(used),
            sends=decision.edges.sends if decision.edges else (),
        )
        for state, decision, correct, used in zip(
            decider.states, decider.decisions, verdicts, spent, strict=True
        )
    )
    agents = watched.record.agents.values()
    failures = failures_of_the_endpoint(watched.record)
    draws = 0 if watched.late or failures else 1
    return Sampled(
        trajectory=Trajectory(actions, verdicts[-1], float(tokens), draws=draws),
        answer=watched.answers[-1][0] if watched.answers else None,
        graph=watched.record.graph,
        agents=sum(agent.started and not agent.summary for agent in agents),
        refused=sum(agent.outcome == "refused" for agent in agents),
        late=watched.late,
        failures=failures,
        events=tuple(watched.events),
    )


async def embed_queries(embedder: Embedder, tasks: Sequence[TaskSpec]) -> list[Tensor]:
    rows = await embedder.embed([task.query for task in tasks])
    return [torch.from_numpy(row.copy()) for row in rows]
