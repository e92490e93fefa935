"""Solves and judges one query of a training."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from workers.core.agents.database import AgentDatabase
from workers.core.errors import Failure
from workers.core.events import AgentReward, CandidatesScored, Event, SubtaskAnswered
from workers.core.llm.budget import BudgetedClient, BudgetLedger
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded, ChatClient
from workers.core.llm.wire import cost
from workers.core.mas.pictures import pictures_read_by
from workers.core.mas.record import RunRecord
from workers.core.methods.reso.config import SearchConfig
from workers.core.methods.reso.given import solving
from workers.core.methods.reso.planner import PlanFailed, Planner
from workers.core.methods.reso.rewards import RewardModel
from workers.core.methods.reso.solving import Earned, NobodyAnswered, TaskSolver
from workers.core.specs import EndpointSpec, GraphSpec, TaskSpec, Usage
from workers.core.tools.attachments import with_files_named
from workers.core.tools.toolbox import tools_of_run
from workers.core.training.context import TrainingContext
from workers.core.training.judging import Judge, failures_of_the_endpoint


@dataclass(slots=True)
class Query:
    """A task and its result. `late`: it reached its limit of seconds. `stopped`: all agents of a
    subtask failed. `failures`: those of agents whose endpoint failed. `problem`: why nothing is
    learned from it, if known."""

    task: TaskSpec
    answer: str | None = None
    correct: bool = False
    earned: list[Earned] = field(default_factory=list)
    searches: list[CandidatesScored] = field(default_factory=list)
    answered: list[SubtaskAnswered] = field(default_factory=list)
    subtasks: int = 0
    planned: bool = True
    agents: int = 0
    tokens: int = 0
    late: bool = False
    stopped: bool = False
    problem: str = ""
    failures: tuple[Failure, ...] = ()
    graph: GraphSpec = field(default_factory=GraphSpec)
    events: list[Event] = field(default_factory=list)

    @property
    def unanswered(self) -> bool:
        """The result says nothing about the chosen agents."""
        return self.late or self.stopped or (self.agents > 0 and len(self.failures) >= self.agents)

    @property
    def solved(self) -> bool | None:
        """As in the published code: the query and all its subtasks are right. None: the right
        answer of an answered one is unknown."""
        if any(each.answer is not None and each.correct is None for each in self.answered):
            return None
        right = [each.correct for each in self.answered]
        return self.correct and len(right) == self.subtasks and all(right)

    @property
    def best_rewards(self) -> list[float]:
        """The best answer's reward of each judged subtask."""
        values = [
            [reward.value for reward in each.rewards if reward.value is not None]
            for each in self.answered
        ]
        return [max(judged) for judged in values if judged]


class Queries:
    """Solves tasks with a database. With `reward_model` answers are judged; otherwise agents
    vote."""

    def __init__(
        self, context: TrainingContext, config: SearchConfig, *, client: ChatClient
    ) -> None:
        self._context = context
        self._config = config
        self._client = client
        self._judge = Judge()

    async def solve(
        self,
        task: TaskSpec,
        database: AgentDatabase,
        *,
        k: int,
        seed: int,
        reward_model: RewardModel | None = None,
        keep: bool = False,
    ) -> Query:
        """Raises BudgetExceeded of the whole training, MethodError (no verifier, broken task graph,
        missing endpoint), and LLMError if the planner's endpoint fails."""
        query = Query(task)
        ledger = BudgetLedger(self._context.per_system)
        watched = _Watched(query, RunRecord(self._context.pool), keep)
        client = BudgetedClient(self._client, ledger)
        try:
            planner = Planner(with_files_named(task), self._config, self._context, client=client)
            async with aclosing(planner.events()) as planning:
                async for event in planning:
                    watched.take(event)
            query.subtasks = len(planner.graph.subtasks)
            given = self._context
            endpoints = (given.endpoint, *given.endpoints.values())
            eyes = pictures_read_by(client, endpoints, given.per_system)
            async with tools_of_run(given.toolbox, task, eyes=eyes) as tools:
                solver = TaskSolver(
                    planner.graph,
                    database=database,
                    context=solving(self._context, client, task, seed=seed, tools=tools),
                    k=k,
                    reward_model=reward_model,
                    tolerance=self._config.tolerance,
                )
                query.earned = solver.earned
                async with aclosing(solver.events()) as events:
                    async for event in events:
                        watched.take(event)
        except PlanFailed as error:
            query.planned, query.problem = False, error.message
        except BudgetExceeded as error:
            if error.limit == JOB:
                raise
            query.late = error.limit == "seconds"
        except NobodyAnswered:
            query.stopped = True
        record = watched.record
        query.graph, query.tokens = record.graph, ledger.tokens
        query.agents = sum(agent.started for agent in record.agents.values())
        query.failures = failures_of_the_endpoint(record)
        query.answer = record.answer.answer if record.answer else None
        query.problem = query.problem or _problem_of(query.answered)
        query.correct = await self._judge.correct(task, query.answer, record.message())
        return query


@dataclass(slots=True)
class _Watched:
    """Fills a query as its events arrive."""

    query: Query
    record: RunRecord
    keep: bool

    def take(self, event: Event) -> None:
        query = self.query
        self.record.take(event)
        if self.keep:
            query.events.append(event)
        if isinstance(event, CandidatesScored):
            query.searches.append(event)
        elif isinstance(event, SubtaskAnswered):
            query.answered.append(event)


def _problem_of(answered: Sequence[SubtaskAnswered]) -> str:
    """The problem of the first answer that could not be judged."""
    problems = [reward.problem for each in answered for reward in each.rewards]
    return next(filter(None, problems), "")


def rewards_of(
    queries: Sequence[Query], database: AgentDatabase, endpoints: Mapping[str, EndpointSpec]
) -> list[AgentReward]:
    """The rewards, in the order in which they count.

    Costs use the endpoint's prices, even if a kept answer was free: otherwise the first agent asked
    would look more expensive. An unknown cost counts as 0.
    """
    keys = database.keys()
    return [
        AgentReward(
            role_key=keys[earned.place].role,
            endpoint=keys[earned.place].endpoint,
            reward=earned.reward,
            cost=_price(endpoints[keys[earned.place].endpoint], earned.usage),
        )
        for query in queries
        for earned in query.earned
    ]


def _price(endpoint: EndpointSpec, usage: Usage) -> float:
    return cost(endpoint, usage.prompt_tokens, usage.completion_tokens) or 0.0
