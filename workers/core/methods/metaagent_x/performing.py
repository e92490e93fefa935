"""Plays a script. Its calls are agents of the run; each starts once what it reads is there."""

import re
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from functools import partial

from workers.core.answers.reading import counted
from workers.core.errors import MethodError
from workers.core.events import AnswerGroup, BlockCalled, Event, IntermediateAnswer, ScriptEnded
from workers.core.events.scripts import ScriptProblem
from workers.core.mas.agent import AgentTurn, Team, Terms
from workers.core.mas.context import MethodContext
from workers.core.mas.contribution import read_text
from workers.core.mas.outcome import AgentOutcome, Sampling
from workers.core.mas.rules import STEPS_FORM
from workers.core.mas.streaming import TaskStream
from workers.core.methods.metaagent_x.config import MetaAgentXConfig
from workers.core.methods.outcomes import stopping_failure
from workers.core.methods.seeds import placed_seed
from workers.core.methods.voting import majority
from workers.core.plain_text import clean
from workers.core.scripts.blocks import Agent, Call, Ensemble, Message
from workers.core.scripts.meaning import Meaning
from workers.core.scripts.problems import placed
from workers.core.scripts.session import ScriptLimits, ScriptResult, Session
from workers.core.specs import AgentId, AgentNode, RoleSpec, TaskSpec

FAMILY = "executor"
NOTE = "Note"
"""Who says what the script wrote itself."""
REASONS = "step by step"
"""A prompt with these words repeats them at its end, where a small model follows them."""
_NO_SLUG = re.compile(r"[^a-z0-9]+")


class _Over(Exception):
    """The script has ended while agents were at work."""


def role_of(agent: Agent) -> RoleSpec:
    """The role that an agent of a script plays. Its key is made of its name."""
    name = clean(agent.name)
    key = _NO_SLUG.sub("-", name.casefold()).strip("-")[:63].rstrip("-")
    return RoleSpec(
        key=key or FAMILY,
        name=name,
        family=FAMILY,
        description=f"An agent of the script: {name}.",
        prompt=clean(agent.prompt),
        tools=agent.tools,
        output_form=STEPS_FORM if REASONS in agent.prompt.casefold() else "",
    )


def read_by(call: Call) -> list[AgentOutcome]:
    """What the agent of a call reads beside the question: messages of agents, and texts that the
    script wrote."""
    return [
        AgentOutcome(
            agent_of(message.number) if message.number else "",
            clean(message.name) or NOTE,
            clean(message.text),
            message.answer,
        )
        for message in call.reads
        if message.usable
    ]


def agent_of(number: int) -> AgentId:
    """The id of the agent that a call asks."""
    return f"a{number}"


class Performance:
    """One question, answered by a script's team."""

    def __init__(
        self, meaning: Meaning, task: TaskSpec, context: MethodContext, config: MetaAgentXConfig
    ) -> None:
        self._meaning = meaning
        self._config = config
        self._team = Team(task.query, context)
        self._plain = replace(
            self._team, context=replace(context, answer_form="text", entry_points=())
        )
        self._asked: Counter[tuple[int, int]] = Counter()
        """How often each agent of the script was asked."""
        self._session = Session(
            meaning.team or meaning.script,
            task.query,
            ScriptLimits(calls=config.max_calls),
            same=partial(_same, context=context),
            tools=context.tools.keys() & set(config.tool_keys),
        )

    async def events(self) -> AsyncGenerator[Event]:
        """For each call block_called · the agent's events, side by side · script_ended ·
        intermediate_answer.

        Raises MethodError if nothing was delivered, and BudgetExceeded.
        """
        stream = TaskStream()
        try:
            async with self._session:
                stream.spawn(self._play(stream))
                try:
                    async for event in stream:
                        yield event
                except _Over:
                    pass
                finally:
                    await stream.close()
        finally:
            await stream.close()
        result = self._session.result
        yield ScriptEnded(
            ending=result.ending,
            calls=result.calls,
            seconds=result.seconds,
            printed=result.printed,
            problem=result.problem,
        )
        yield self._answer(result)

    async def _play(self, stream: TaskStream) -> None:
        async for calls in self._session.calls():
            for number, call in calls.items():
                node = self._node(number, call.agent)
                stream.emit(self._called(number, call, node))
                stream.spawn(self._turn(number, call, node, stream))
        stream.stop(_Over())

    def _node(self, number: int, agent: Agent) -> AgentNode:
        """The agent of a call. `round`: which time it is asked, from the second on."""
        place = (agent.line, agent.place)
        self._asked[place] += 1
        nth = self._asked[place]
        return AgentNode(id=agent_of(number), role=role_of(agent), round=nth if nth > 1 else None)

    def _called(self, number: int, call: Call, node: AgentNode) -> BlockCalled:
        reads = (outcome.agent_id for outcome in read_by(call) if outcome.agent_id)
        return BlockCalled(
            node=node,
            reads=tuple(dict.fromkeys(reads)),
            block=self._meaning.block_id(call.agent, call.lines),
            line=call.agent.line,
            lines=call.lines,
            call=number,
            place=call.place,
        )

    async def _turn(self, number: int, call: Call, node: AgentNode, stream: TaskStream) -> None:
        agent = call.agent
        team = self._plain if call.asks else self._team
        turn = AgentTurn(node, team, stream.emit)
        await turn.perform(read_by(call), self._sampling(call), terms=Terms(call.asks, agent.turns))
        self._session.answer(number, _message(team.outcomes[node.id]))

    def _sampling(self, call: Call) -> Sampling:
        """Another seed for each call. It depends on no other agent's pace."""
        temperature = call.agent.temperature or self._config.temperature
        return Sampling(temperature, placed_seed(self._team.context.seed, call.place))

    def _answer(self, result: ScriptResult) -> IntermediateAnswer:
        """Raises MethodError."""
        said = result.message
        if said is None:
            raise self._failure(result.problem)
        if said.number:
            return IntermediateAnswer(
                step=result.calls,
                answer=said.answer,
                agent_id=agent_of(said.number),
                groups=self._groups(),
            )
        context = self._team.context
        read = read_text(clean(said.text), context.answer_form, context.entry_points)
        answer = read.answer if read.answer is not None else read.text.strip() or None
        return IntermediateAnswer(step=result.calls, answer=answer)

    def _failure(self, problem: ScriptProblem | None) -> MethodError:
        """If agents failed and none left a message, what went wrong with the first is the cause."""
        outcomes = list(self._team.outcomes.values())
        failure = stopping_failure(outcomes)
        if failure is not None and not any(outcome.usable for outcome in outcomes):
            return failure
        if problem is None:
            raise ValueError("a script that delivers nothing has a problem")
        return MethodError(code=problem.code, message=placed(problem), remedy=problem.remedy)

    def _groups(self) -> tuple[AnswerGroup, ...]:
        """How the votes were counted, if the whole team is agents that vote once."""
        team = self._meaning.team
        if not isinstance(team, Ensemble) or team.by != "majority":
            return ()
        if not all(isinstance(member, Agent) for member in team.members):
            return ()
        voters = (agent_of(number) for number in range(1, len(team.members) + 1))
        said = [self._team.outcomes[voter] for voter in voters]
        return majority(said, answer_form=self._team.context.answer_form).groups


def _message(outcome: AgentOutcome) -> Message:
    return Message(outcome.name, outcome.message, outcome.answer, usable=outcome.usable)


def _same(answers: Sequence[str], *, context: MethodContext) -> list[list[int]]:
    return counted(answers, context.answer_form)
