"""Self-refine: one model drafts, criticises its draft and rewrites it (Madaan et al., 2303.17651).

    draft → feedback → refined draft → feedback → …      until the feedback finds nothing wrong

Deviations:
 1. The paper shows worked examples of feedback for each task. Here only the instructions say what
    feedback is (zero-shot).
 2. The paper's stop condition is a phrase or a score per task. Here feedback ends with one word,
    right or wrong. Feedback with neither word counts as wrong.
 3. A refined draft reads only the last draft and its feedback. The paper keeps all of them. So here
    the prompt does not grow with the rounds.
 4. If feedback or a refined draft fails or refuses, the last draft counts.
"""

import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field

from workers.core.events import Event, GraphPlanned
from workers.core.graph import add_agent, next_agent_id
from workers.core.mas.agent import Team, run_agent
from workers.core.mas.context import MethodContext
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.rules import STEPS_FORM
from workers.core.methods.base import Departure, Options
from workers.core.methods.configuration import read_config
from workers.core.methods.outcomes import last_word
from workers.core.methods.wordings import SMALL_STEPS, STEPS, worded
from workers.core.specs import AnswerForm, GraphSpec, RoleSpec, TaskSpec

DRAFTER = RoleSpec(
    key="self-refine-draft",
    name="Drafter",
    family="baseline",
    description="Writes the first draft of an answer.",
    prompt=STEPS,
    output_form=STEPS_FORM,
)
CRITIC = RoleSpec(
    key="self-refine-feedback",
    name="Feedback",
    family="critique",
    description="Says what is wrong with a draft, or that nothing is.",
    prompt=(
        "Check the draft below against the question, step by step, and say what is wrong with it. "
        "Your final answer is one word: right, if nothing has to change, or wrong."
    ),
)
REFINER = RoleSpec(
    key="self-refine-refine",
    name="Refiner",
    family="baseline",
    description="Rewrites a draft according to the feedback on it.",
    prompt=(
        "Improve the draft below: mend what the feedback found, keep what is right, and give the "
        "whole improved answer."
    ),
)
_WORD = re.compile(r"[a-z]{1,20}")
_APPROVING = frozenset({"right", "correct"})
_REJECTING = frozenset({"wrong", "incorrect", "not"})


class SelfRefineConfig(BaseModel):
    """How often a draft may be rewritten."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rounds: int = Field(
        default=2,
        ge=1,
        le=8,
        description="Most rounds of feedback and rewriting (the paper: 4).",
    )


class SelfRefine:
    """One model in three roles, one after the other."""

    key = "self_refine"
    name = "Self-refine"
    description = (
        "The model writes a draft, criticises it and rewrites it, until its feedback finds "
        "nothing wrong."
    )
    source = "arXiv:2303.17651"
    needs_pool = False
    learns = False
    config_schema = SelfRefineConfig

    def departures(
        self, options: Options, answer_form: AnswerForm, answer: str | None
    ) -> Iterator[Departure]:
        if answer_form == "code" or answer is None:
            yield Departure(
                "feedback_as_answer",
                "Self-refine uses feedback as a verdict, never as the answer. In a design, the "
                "feedback agent is asked for an answer like every other agent.",
            )

    def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """graph_planned · the agent's events, for each agent; intermediate_answer after each draft.

        Every graph_planned has the graph so far: its length is only known at the end. Raises
        MethodError if the first draft fails, and BudgetExceeded.
        """
        config = read_config(SelfRefineConfig, context.config)
        return _Refinement(task, context, config).events()


@dataclass(frozen=True, slots=True)
class _Turn:
    """The agent that acts next, and what it reads."""

    role: RoleSpec
    reads: tuple[AgentOutcome, ...] = ()


class _Refinement:
    """The drafts and the feedback of one run."""

    def __init__(self, task: TaskSpec, context: MethodContext, config: SelfRefineConfig) -> None:
        self._team = Team(task.query, context)
        self._rounds = config.rounds
        self._graph = GraphSpec()
        self._drafts: list[AgentOutcome] = []
        self._feedback: list[AgentOutcome] = []

    async def events(self) -> AsyncGenerator[Event]:
        while (turn := self._next_turn()) is not None:
            async with aclosing(self._act(turn)) as events:
                async for event in events:
                    yield event
            outcome = self._team.outcomes[self._graph.nodes[-1].id]
            if turn.role is CRITIC:
                self._feedback.append(outcome)
            else:
                self._drafts.append(outcome)
                yield last_word(self._drafts, step=len(self._drafts))

    def _next_turn(self) -> _Turn | None:
        if not self._drafts:
            context = self._team.context
            return _Turn(worded(DRAFTER, SMALL_STEPS, context.endpoint, context.answer_form))
        draft = self._drafts[-1]
        if len(self._feedback) < len(self._drafts):
            wanted = draft.usable and len(self._drafts) <= self._rounds
            return _Turn(CRITIC, (draft,)) if wanted else None
        feedback = self._feedback[-1]
        stands = not feedback.usable or approves(feedback.answer)
        return None if stands else _Turn(REFINER, (draft, feedback))

    async def _act(self, turn: _Turn) -> AsyncGenerator[Event]:
        agent_id = next_agent_id(self._team.outcomes)
        sources = [outcome.agent_id for outcome in turn.reads]
        self._graph = add_agent(self._graph, agent_id=agent_id, role=turn.role, reads=sources)
        yield GraphPlanned(graph=self._graph)
        team = self._team
        if turn.role is CRITIC:  # feedback is a verdict in words, also on a program
            team = replace(team, context=replace(team.context, answer_form="text"))
        events = run_agent(self._graph.nodes[-1], turn.reads, team=team)
        async with aclosing(events):
            async for event in events:
                yield event


def approves(verdict: str | None) -> bool:
    """Whether feedback's final answer says that the draft is right."""
    words = set(_WORD.findall((verdict or "").casefold()[:200]))
    return bool(words & _APPROVING) and not words & _REJECTING
