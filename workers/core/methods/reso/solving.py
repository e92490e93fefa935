"""Solves a task graph with the agents of a database (ReSo, EMNLP 2025, §3.3).

Subtasks whose dependencies are answered are asked at the same time. The k agents with the highest
UCB answer each. In training a reward model picks one of their answers; otherwise a vote within a
tolerance does. Agents of later subtasks read the agent whose answer counts.
"""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from workers.core.agents.database import AgentDatabase, Candidate
from workers.core.benchmarks.answer_names import Question, places_of, question_of
from workers.core.errors import MethodError
from workers.core.events import (
    AgentFinished,
    AnswerGroup,
    CandidateReward,
    CandidateScore,
    CandidatesScored,
    Event,
    GraphPlanned,
    IntermediateAnswer,
    SubtaskAnswered,
)
from workers.core.mas.agent import AgentTurn, Messages, Team
from workers.core.mas.context import MethodContext
from workers.core.mas.failures import NO_INPUT
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.pool import MessagePool
from workers.core.mas.streaming import TaskStream
from workers.core.methods.reso.asking import heard
from workers.core.methods.reso.choosing import best_rewarded, groups_of
from workers.core.methods.reso.given import embedder_of
from workers.core.methods.reso.rewards import (
    TOLERANCE,
    Reward,
    RewardModel,
    RuleReward,
    Solved,
    unjudged,
)
from workers.core.specs import (
    AgentId,
    AgentNode,
    Edge,
    GraphSpec,
    RoleSpec,
    SubtaskSpec,
    TaskGraphSpec,
    Usage,
)

EXACT = RuleReward(tolerance=0.0)
SOLVED = 0.5
"""In training a subtask counts as solved above this reward."""


@dataclass(frozen=True, slots=True)
class Earned:
    """The reward of an agent, by its place in the database, for an answer, 0..1."""

    place: int
    reward: float
    usage: Usage


@dataclass(frozen=True, slots=True)
class _Asked:
    """A candidate as an agent of the run's graph."""

    node: AgentNode
    candidate: Candidate


class NobodyAnswered(MethodError):
    """The query has no answer because all agents of a subtask failed, as at a dead endpoint."""


class TaskSolver:
    """One query's subtasks. `earned` and `answers` fill up as `events` are read.

    `reward_model` None: testing, where the agents vote. With one, solving stops after a level with
    an unsolved subtask, as in the published code, or with one without an answer: later agents would
    be judged by what others left undone.
    """

    def __init__(
        self,
        graph: TaskGraphSpec,
        *,
        database: AgentDatabase,
        context: MethodContext,
        k: int,
        reward_model: RewardModel | None = None,
        tolerance: float = TOLERANCE,
    ) -> None:
        self._graph = graph
        self._places = places_of(graph)
        self._database = database
        self._embedder = embedder_of(context.embedder)
        self._context = context
        self._k = k
        self._reward_model = reward_model
        self._tolerance = tolerance
        self._asked: dict[AgentId, list[_Asked]] = {}
        self._speakers: dict[AgentId, AgentId] = {}
        """For each subtask, the agent that is read: the one whose answer counts, or the
        best-ranked."""
        self._outcomes: dict[AgentId, AgentOutcome] = {}
        self._usage: dict[AgentId, Usage] = {}
        self._messages: Messages = MessagePool()
        self.answers: dict[AgentId, str] = {}
        self.earned: list[Earned] = []

    async def events(self) -> AsyncGenerator[Event]:
        """For each level: candidates_scored of each subtask · graph_planned · the agents' events,
        interleaved · subtask_answered of each. At the end intermediate_answer.

        Raises NobodyAnswered, and BudgetExceeded.
        """
        for level in levels_of(self._graph):
            for scored in await self._search(level):
                yield scored
            yield GraphPlanned(graph=self._team())
            async with aclosing(self._ask(level)) as events:
                async for event in events:
                    if isinstance(event, AgentFinished):
                        self._usage[event.agent_id] = event.usage
                    yield event
            answered = [await self._answer(subtask) for subtask in level]
            for each in answered:
                yield each
            if self._reward_model is not None and not all(map(_is_done, answered)):
                break
        yield self._last_word()

    async def _search(self, level: Sequence[SubtaskSpec]) -> list[CandidatesScored]:
        rows = await self._embedder.embed([subtask.text for subtask in level])
        scored = []
        for subtask, row in zip(level, rows, strict=True):
            search = self._database.search(row, self._k)
            asked = [
                _Asked(self._node(f"{subtask.id}-{rank}", candidate), candidate)
                for rank, candidate in enumerate(search.candidates, start=1)
            ]
            self._asked[subtask.id] = asked
            scored.append(
                CandidatesScored(
                    subtask=subtask.id,
                    candidates=tuple(map(_score, asked)),
                    selections=search.selections,
                    nearest=search.nearest,
                    threshold=self._database.threshold,
                )
            )
        return scored

    def _node(self, agent_id: AgentId, candidate: Candidate) -> AgentNode:
        is_own = candidate.endpoint == self._context.endpoint.key
        endpoint = None if is_own else candidate.endpoint
        return AgentNode(id=agent_id, role=candidate.role, endpoint=endpoint)

    def _team(self) -> GraphSpec:
        """All agents found so far, and whom they read."""
        subtasks = [each for each in self._graph.subtasks if each.id in self._asked]
        return GraphSpec(
            nodes=tuple(asked.node for each in subtasks for asked in self._asked[each.id]),
            edges=tuple(
                Edge(source=self._speakers[needed], target=asked.node.id)
                for each in subtasks
                for asked in self._asked[each.id]
                for needed in each.depends_on
            ),
        )

    async def _ask(self, level: Sequence[SubtaskSpec]) -> AsyncGenerator[Event]:
        stream = TaskStream()
        try:
            for subtask in level:
                question = question_of(subtask, self._graph, self.answers)
                inputs = [self._heard(needed, question) for needed in subtask.depends_on]
                team = Team(question.text, self._context, self._messages, self._outcomes)
                for asked in self._asked[subtask.id]:
                    stream.spawn(AgentTurn(asked.node, team, stream.emit).perform(inputs))
            async for event in stream:
                yield event
        finally:
            await stream.close()

    def _heard(self, needed: AgentId, question: Question) -> AgentOutcome:
        place = self._places[needed]
        return heard(
            self._outcomes[self._speakers[needed]],
            self._graph.subtasks[place - 1],
            question,
            place=place,
            answer=self.answers.get(needed),
        )

    async def _answer(self, subtask: SubtaskSpec) -> SubtaskAnswered:
        asked, outcomes = self._asked[subtask.id], self._outcomes_of(subtask)
        if (model := self._reward_model) is None:
            return await self._voted(subtask)
        before = [
            Solved(each, self.answers[each.id])
            for each in self._graph.subtasks
            if each.id in self.answers
        ]
        rewards = [
            await _judged(model, each.candidate.role, subtask, outcome, before)
            for each, outcome in zip(asked, outcomes, strict=True)
        ]
        for each, outcome, reward in zip(asked, outcomes, rewards, strict=True):
            self._learn(each, outcome, reward)
        told = tuple(
            CandidateReward(
                agent_id=outcome.agent_id,
                value=reward.value,
                reason=reward.reason,
                problem=reward.problem,
            )
            for outcome, reward in zip(outcomes, rewards, strict=True)
        )
        best = best_rewarded(rewards)
        # Where nobody could be judged, nobody is called the best by chance: then they vote.
        settled = await (self._voted(subtask) if best is None else self._settled(subtask, best))
        return settled.model_copy(update={"rewards": told, "solved": _is_solved(rewards)})

    def _outcomes_of(self, subtask: SubtaskSpec) -> list[AgentOutcome]:
        return [self._outcomes[each.node.id] for each in self._asked.get(subtask.id, ())]

    async def _voted(self, subtask: SubtaskSpec) -> SubtaskAnswered:
        outcomes = self._outcomes_of(subtask)
        groups = groups_of(outcomes, tolerance=self._tolerance)
        told = tuple(
            AnswerGroup(
                answer=group.answer,
                agent_ids=tuple(outcomes[place].agent_id for place in group.places),
            )
            for group in groups
        )
        best = groups[0].places[0] if groups else None
        settled = await self._settled(subtask, best)
        return settled.model_copy(update={"groups": told})

    async def _settled(self, subtask: SubtaskSpec, best: int | None) -> SubtaskAnswered:
        asked, outcomes = self._asked[subtask.id], self._outcomes_of(subtask)
        chosen = outcomes[best] if best is not None else None
        self._speakers[subtask.id] = (chosen or outcomes[0]).agent_id
        answer = chosen.answer if chosen is not None and chosen.usable else None
        correct = None
        if answer is not None and best is not None:
            self.answers[subtask.id] = answer
            correct = await self._is_right(asked[best], subtask, outcomes[best])
        agent_id = chosen.agent_id if chosen is not None else None
        return SubtaskAnswered(
            subtask=subtask.id, agent_id=agent_id, answer=answer, correct=correct
        )

    async def _is_right(
        self, asked: _Asked, subtask: SubtaskSpec, outcome: AgentOutcome
    ) -> bool | None:
        """Only for display: nothing is chosen or learned by it. So it is as exact as the run's
        verdict, whatever tolerance rewards have. None: the right answer is unknown."""
        value = (await EXACT.judge(asked.candidate.role, subtask, outcome, ())).value
        return None if value is None else value == 1.0

    def _learn(self, asked: _Asked, outcome: AgentOutcome, reward: Reward) -> None:
        if reward.value is None:
            return
        usage = self._usage.get(outcome.agent_id, Usage())
        self.earned.append(Earned(asked.candidate.place, reward.value, usage))

    def _last_word(self) -> IntermediateAnswer:
        """The last subtask's answer is the query's. Without it the query has none."""
        last = self._graph.subtasks[-1].id
        if last not in self.answers:
            self._require_somebody()
        return IntermediateAnswer(
            step=len(self._asked),
            answer=self.answers.get(last),
            agent_id=self._speakers.get(last) or next(reversed(self._speakers.values())),
        )

    def _require_somebody(self) -> None:
        """Raise the failure of the first subtask without a usable outcome, if one of its agents
        failed: later ones only lack its answer. If all its agents refused, the query is wrong, not
        failed, unless no agent at all left anything."""
        nobody = not any(outcome.usable for outcome in self._outcomes.values())
        for subtask in self._graph.subtasks:
            outcomes = self._outcomes_of(subtask)
            if any(outcome.usable for outcome in outcomes):
                continue
            for failure in (each.failure for each in outcomes):
                if failure is not None and (nobody or failure.code != NO_INPUT):
                    raise NobodyAnswered(
                        code=failure.code, message=failure.message, remedy=failure.remedy
                    )


def levels_of(graph: TaskGraphSpec) -> Iterator[list[SubtaskSpec]]:
    """Levels of subtasks. Each subtask depends only on those of earlier levels."""
    done: set[AgentId] = set()
    left = list(graph.subtasks)
    while left:
        level = [each for each in left if done.issuperset(each.depends_on)]
        yield level
        done.update(each.id for each in level)
        left = [each for each in left if each.id not in done]


async def _judged(
    model: RewardModel,
    role: RoleSpec,
    subtask: SubtaskSpec,
    outcome: AgentOutcome,
    before: Sequence[Solved],
) -> Reward:
    """An agent that failed is not judged: a failure of its endpoint says nothing about the
    agent."""
    if outcome.failure is not None:
        return unjudged(f"The agent failed: {outcome.failure.message}")
    return await model.judge(role, subtask, outcome, before)


def _is_done(answered: SubtaskAnswered) -> bool:
    return answered.solved is not False and answered.answer is not None


def _is_solved(rewards: Sequence[Reward]) -> bool | None:
    """None: the reward model could not judge, so an answer may be right."""
    judged = [reward.value for reward in rewards if reward.value is not None]
    return max(judged) > SOLVED if judged else None


def _score(asked: _Asked) -> CandidateScore:
    candidate = asked.candidate
    known = candidate.statistics
    return CandidateScore(
        agent_id=asked.node.id,
        role_key=candidate.role.key,
        endpoint=candidate.endpoint,
        inner_product=candidate.inner_product,
        similarity=candidate.similarity,
        performance=candidate.performance,
        exploration=candidate.exploration,
        score=candidate.score,
        reward=known.reward,
        cost=known.cost,
        count=known.count,
    )
