"""A task graph solved by the agents of a database (ReSo, EMNLP 2025, §3.3).

Subtasks whose dependencies are answered are asked at the same time. For each, the k agents of the
highest UCB answer it; a reward model picks one of them while the method learns, and a vote within a
tolerance without one. The agent whose answer counts is read by those that the subtask leads to.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from workers.core.agents.database import AgentDatabase, Candidate
from workers.core.benchmarks.answer_names import Question, places_of, question_of
from workers.core.embed.base import Embedder
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
from workers.core.mas.agent import Messages, Team, perform_agent
from workers.core.mas.context import MethodContext
from workers.core.mas.failures import NO_INPUT
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.pool import MessagePool
from workers.core.mas.streaming import TaskStream
from workers.core.methods.reso.asking import heard
from workers.core.methods.reso.choosing import best_rewarded, groups_of
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
"""Above this reward a subtask counts as solved while a method learns."""


@dataclass(frozen=True, slots=True)
class Earned:
    """What an agent of the database, by its place there, got for an answer, 0..1."""

    place: int
    reward: float
    usage: Usage


@dataclass(frozen=True, slots=True)
class _Asked:
    """A candidate as an agent of the run's graph."""

    node: AgentNode
    candidate: Candidate


class NobodyAnswered(MethodError):
    """The query has no answer since all who were asked a subtask failed, as at a dead endpoint."""


class TaskSolver:
    """One query's subtasks. `earned` and `answers` fill up as `events` are read.

    `reward_model` None: testing, where answers are voted on. With one, nothing is asked any more
    after a level in which a subtask was not solved, as in the published code, or has no answer:
    who needs that one would be judged by what others left undone.
    """

    def __init__(
        self,
        graph: TaskGraphSpec,
        *,
        database: AgentDatabase,
        embedder: Embedder,
        context: MethodContext,
        k: int,
        reward_model: RewardModel | None = None,
        tolerance: float = TOLERANCE,
    ) -> None:
        self._graph = graph
        self._places = places_of(graph)
        self._database = database
        self._embedder = embedder
        self._context = context
        self._k = k
        self._reward_model = reward_model
        self._tolerance = tolerance
        self._asked: dict[AgentId, list[_Asked]] = {}
        self._speakers: dict[AgentId, AgentId] = {}
        """By subtask, the agent that is read: whose answer counts, else the best-ranked."""
        self._outcomes: dict[AgentId, AgentOutcome] = {}
        self._usage: dict[AgentId, Usage] = {}
        self._messages: Messages = MessagePool()
        self.answers: dict[AgentId, str] = {}
        self.earned: list[Earned] = []

    async def events(self) -> AsyncGenerator[Event]:
        """candidates_scored of each subtask of a level · graph_planned · the agents' events,
        interleaved · subtask_answered of each; at the end intermediate_answer.

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
        """All that were found so far, and whom they read."""
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
                    work = perform_agent(asked.node, inputs, team=team, emit=stream.emit)
                    stream.spawn(work)
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
        asked = self._asked[subtask.id]
        outcomes = [self._outcomes[each.node.id] for each in asked]
        if (model := self._reward_model) is None:
            return await self._voted(subtask, asked, outcomes)
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
        settled = (
            await self._voted(subtask, asked, outcomes)
            if best is None
            else await self._settled(subtask, asked, outcomes, best)
        )
        return settled.model_copy(update={"rewards": told, "solved": _is_solved(rewards)})

    async def _voted(
        self,
        subtask: SubtaskSpec,
        asked: Sequence[_Asked],
        outcomes: Sequence[AgentOutcome],
    ) -> SubtaskAnswered:
        groups = groups_of(outcomes, tolerance=self._tolerance)
        told = tuple(
            AnswerGroup(
                answer=group.answer,
                agent_ids=tuple(outcomes[place].agent_id for place in group.places),
            )
            for group in groups
        )
        best = groups[0].places[0] if groups else None
        settled = await self._settled(subtask, asked, outcomes, best)
        return settled.model_copy(update={"groups": told})

    async def _settled(
        self,
        subtask: SubtaskSpec,
        asked: Sequence[_Asked],
        outcomes: Sequence[AgentOutcome],
        best: int | None,
    ) -> SubtaskAnswered:
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
        """Only told: nothing is chosen or learned by it, so it is as exact as the run's verdict,
        whatever tolerance rewards have. None: no right answer is known."""
        value = (await EXACT.judge(asked.candidate.role, subtask, outcome, ())).value
        return None if value is None else value == 1.0

    def _learn(self, asked: _Asked, outcome: AgentOutcome, reward: Reward) -> None:
        if reward.value is None:
            return
        usage = self._usage.get(outcome.agent_id, Usage())
        self.earned.append(Earned(asked.candidate.place, reward.value, usage))

    def _last_word(self) -> IntermediateAnswer:
        """The last subtask's answer is the query's; where it has none, so has the query."""
        last = self._graph.subtasks[-1].id
        if last not in self.answers:
            self._require_somebody()
        return IntermediateAnswer(
            step=len(self._asked),
            answer=self.answers.get(last),
            agent_id=self._speakers.get(last) or next(reversed(self._speakers.values())),
        )

    def _require_somebody(self) -> None:
        """The first subtask whose candidates left nothing tells why, if one of them failed: those
        after it lack its answer. Where all of them refused, that is no failure, but wrong, unless
        nobody at all left anything."""
        nobody = not any(outcome.usable for outcome in self._outcomes.values())
        for subtask in self._graph.subtasks:
            outcomes = [self._outcomes[each.node.id] for each in self._asked.get(subtask.id, ())]
            if any(outcome.usable for outcome in outcomes):
                continue
            for failure in (each.failure for each in outcomes):
                if failure is not None and (nobody or failure.code != NO_INPUT):
                    raise NobodyAnswered(
                        code=failure.code, message=failure.message, remedy=failure.remedy
                    )


def levels_of(graph: TaskGraphSpec) -> Iterator[list[SubtaskSpec]]:
    """Subtasks of which each depends only on those of levels before."""
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
    """An agent that failed is not judged: what its endpoint did is not what it is worth."""
    if outcome.failure is not None:
        return unjudged(f"It failed: {outcome.failure.message}")
    return await model.judge(role, subtask, outcome, before)


def _is_done(answered: SubtaskAnswered) -> bool:
    return answered.solved is not False and answered.answer is not None


def _is_solved(rewards: Sequence[Reward]) -> bool | None:
    """None: the reward model could not judge, so that an answer may be right."""
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
