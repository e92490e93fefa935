"""Runs one agent: prompt, LLM, tools and message, from start to outcome as events.

A method uses it like this, and so do `execute_graph` and `run_summary`:

    team = Team(query, context)
    async with aclosing(run_agent(node, [team.outcomes["a1"]], team=team)) as events:
        async for event in events:
            yield event
    message = team.outcomes[node.id].message

Events are for those who watch; `outcomes` is for the method. An agent's outcome is there before its
`agent_finished` or `agent_failed` is yielded. `aclosing` stops the agent at once when the method is
stopped. Without it, the agent runs until garbage collection.
"""

import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from workers.core.errors import Failure
from workers.core.events import AgentFailed, AgentFinished, AgentStarted, Event
from workers.core.llm.types import BudgetExceeded, ChatMessage, LLMError
from workers.core.mas.context import MethodContext
from workers.core.mas.contribution import Contribution, contribute, read_text
from workers.core.mas.control import NOBODY_TO_ASK, PERSON, asks_person
from workers.core.mas.conversation import Exchange, Meter
from workers.core.mas.counting import count_votes
from workers.core.mas.failures import (
    EMPTY_MESSAGE,
    budget_exceeded,
    no_input,
    unknown_endpoint,
)
from workers.core.mas.outcome import GREEDY, AgentOutcome, Sampling
from workers.core.mas.pool import MessagePool
from workers.core.mas.prompts import agent_messages, prompt_room
from workers.core.mas.reply_limit import reply_limit
from workers.core.mas.starts import starting
from workers.core.mas.streaming import Emit, TaskStream
from workers.core.mas.tool_rounds import tool_rounds
from workers.core.mas.trying import try_programs
from workers.core.specs import AgentNode, EndpointSpec
from workers.core.tools.base import Tool
from workers.core.tools.examples import EXAMPLES_TOOL
from workers.core.tools.person import PERSON_TOOL
from workers.core.tools.program import PROGRAM_TOOL
from workers.core.tools.vote import VOTE_TOOL

Messages = MessagePool[Contribution]
WITHOUT_MODEL = frozenset({VOTE_TOOL, EXAMPLES_TOOL})
"""Tools that are a role's whole turn."""
TRIES_TOLD = 8
"""Limit of an agent's failed tries that are stored with their causes."""
NOT_OFFERED = WITHOUT_MODEL | {PROGRAM_TOOL, PERSON_TOOL}


@dataclass(frozen=True, slots=True)
class Team:
    """What the agents of one run share. `outcomes` holds each agent's end by id. `written` is what
    people write for agents. `about`: what to look up, if that is not the whole query."""

    query: str
    context: MethodContext
    message_pool: Messages = field(default_factory=MessagePool)
    outcomes: dict[str, AgentOutcome] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)
    about: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """What one turn alone is asked for. `ending`: how the message must end, instead of with an
    answer. `tool_rounds`: how often at most it may use tools; None: the default for its tools."""

    ending: str = ""
    tool_rounds: int | None = None


USUAL = Terms()


async def run_agent(
    node: AgentNode,
    inputs: Sequence[AgentOutcome],
    *,
    team: Team,
    sampling: Sampling = GREEDY,
    summary: bool = False,
    messages: tuple[ChatMessage, ...] = (),
    terms: Terms = USUAL,
) -> AsyncGenerator[Event]:
    """agent_started · (agent_delta | tool_called | tool_returned)* · agent_finished | agent_failed.

    `inputs` are the predecessors' outcomes in order. Unusable ones contribute nothing. If there are
    inputs but none is usable, the agent fails with `no_input` and is never started. A tool that the
    registry does not know is not offered. `messages`, if given, are sent instead of those that are
    made of the role, the query and the inputs: a trained model reads what it was trained on. Raises
    only BudgetExceeded (after agent_failed).
    """
    stream = TaskStream()
    try:
        turn = AgentTurn(node, team, stream.emit)
        stream.spawn(
            turn.perform(inputs, sampling, summary=summary, messages=messages, terms=terms)
        )
        async for event in stream:
            yield event
    finally:
        await stream.close()


class AgentTurn:
    """One agent, from its inputs to exactly one outcome and one last event: `run_agent` for a
    caller that already has a stream."""

    def __init__(self, node: AgentNode, team: Team, emit: Emit) -> None:
        self._node = node
        self._team = team
        self._emit = emit
        self._meter = Meter()
        self._began = time.perf_counter()

    async def perform(
        self,
        inputs: Sequence[AgentOutcome],
        sampling: Sampling = GREEDY,
        *,
        summary: bool = False,
        messages: tuple[ChatMessage, ...] = (),
        terms: Terms = USUAL,
    ) -> None:
        usable = [outcome for outcome in inputs if outcome.usable]
        if asks_person(self._node):
            return self._from_person(usable)
        if inputs and not usable:
            return self._fail(no_input(inputs))
        endpoint = self._endpoint()
        if isinstance(endpoint, Failure):
            return self._fail(endpoint)
        if (tool := self._whole_turn()) is not None:
            self._start(usable, endpoint.key)
            return self._finish(await self._without_model(tool, usable))
        exchange = self._exchange(usable, sampling, endpoint, terms)
        if messages:
            exchange = replace(exchange, messages=messages)
        self._start(usable, endpoint.key, exchange.messages, summary=summary)
        return await self._answer(exchange)

    def _from_person(self, usable: Sequence[AgentOutcome]) -> None:
        text = self._team.written.get(self._node.id)
        if text is None:
            return self._fail(NOBODY_TO_ASK)
        self._start(usable, PERSON)
        context = self._team.context
        said = read_text(text, context.answer_form, context.entry_points)
        return self._finish(said, given="person")

    def _whole_turn(self) -> Tool | None:
        keys = (key for key in self._node.role.tools if key in WITHOUT_MODEL)
        tools = self._team.context.tools
        return next((tools[key] for key in keys if key in tools), None)

    async def _without_model(self, tool: Tool, usable: Sequence[AgentOutcome]) -> Contribution:
        answer_form = self._team.context.answer_form
        if tool.key == VOTE_TOOL:
            return count_votes(usable, answer_form)
        return await try_programs(
            self._team.query,
            usable,
            tool=tool,
            agent_id=self._node.id,
            answer_form=answer_form,
            emit=self._emit,
        )

    async def _answer(self, exchange: Exchange) -> None:
        """Ask, or take the message from the pool. BudgetExceeded is raised after its event."""
        try:
            said, reused = await self._team.message_pool.once(
                exchange.identity(), lambda: contribute(exchange, self._meter)
            )
        except LLMError as error:
            self._fail(error.failure())
        except BudgetExceeded as error:
            self._fail(budget_exceeded(error))
            raise
        else:
            self._finish(said, reused=reused) if said.text else self._fail(EMPTY_MESSAGE)

    def _endpoint(self) -> EndpointSpec | Failure:
        context, wanted = self._team.context, self._node.endpoint
        if wanted is None or wanted == context.endpoint.key:
            return context.endpoint
        known = context.endpoints.get(wanted)
        return known or unknown_endpoint(wanted, {context.endpoint.key, *context.endpoints})

    def _exchange(
        self,
        usable: Sequence[AgentOutcome],
        sampling: Sampling,
        endpoint: EndpointSpec,
        terms: Terms,
    ) -> Exchange:
        team, role = self._team, self._node.role
        small = endpoint.is_small
        registry = team.context.tools
        known = tuple(registry[key] for key in role.tools if key in registry)
        program = next((tool for tool in known if tool.key == PROGRAM_TOOL), None)
        offered = tuple(tool for tool in known if tool.key not in NOT_OFFERED)
        can_call = endpoint.native_tools or not small
        tools, starts = (offered, ()) if can_call else ((), starting(offered))
        allowed = team.context.budget.max_completion_tokens_per_call
        room = prompt_room(endpoint.context_length, reply_limit(endpoint, allowed).tokens)
        rounds = terms.tool_rounds
        if rounds is None:
            rounds = tool_rounds([tool.key for tool in tools])
        return Exchange(
            agent_id=self._node.id,
            client=team.context.llm,
            endpoint=endpoint,
            messages=agent_messages(
                role,
                query=team.query,
                inputs=usable,
                tools=tools,
                native_tools=endpoint.native_tools,
                room_tokens=room,
                small_model=small,
                answer_form=team.context.answer_form,
                runs_program=program is not None,
                ending=terms.ending,
            ),
            tools=tools,
            starts=starts,
            about=team.about or team.query,
            temperature=sampling.temperature,
            seed=team.context.seed if sampling.seed is None else sampling.seed,
            max_completion_tokens=allowed,
            stream=team.context.stream,
            emit=self._emit,
            answer_form=team.context.answer_form,
            program=program,
            entry_points=team.context.entry_points,
            ending=terms.ending,
            tool_rounds=rounds,
        )

    def _start(
        self,
        usable: Sequence[AgentOutcome],
        endpoint: str,
        messages: Sequence[ChatMessage] = (),
        *,
        summary: bool = False,
    ) -> None:
        role = self._node.role
        self._emit(
            AgentStarted(
                agent_id=self._node.id,
                role_key=role.key,
                role_name=role.name,
                family=role.family,
                reads=tuple(outcome.agent_id for outcome in usable if outcome.agent_id),
                endpoint=endpoint,
                prompt=tuple({"role": m.role, "content": m.content} for m in messages),
                summary=summary,
            )
        )

    def _finish(
        self, said: Contribution, *, reused: bool = False, given: Literal["person"] | None = None
    ) -> None:
        node, meter = self._node, self._meter
        self._team.outcomes[node.id] = AgentOutcome(
            node.id, node.role.name, said.text, said.answer, said.refused
        )
        self._emit(
            AgentFinished(
                agent_id=node.id,
                message=said.text,
                thoughts=said.thoughts,
                answer=said.answer,
                refused=said.refused,
                usage=meter.used(),
                seconds=time.perf_counter() - self._began,
                calls=meter.calls,
                retries=len(meter.failed_tries),
                failed_tries=meter.failed_tries[:TRIES_TOLD],
                cached_calls=meter.calls - meter.uncached,
                cached=meter.calls > 0 and meter.uncached == 0,
                reused=reused,
                truncated=said.truncated,
                cut_calls=meter.cut,
                token_limit=said.limit.tokens if said.limit else None,
                limited_by=said.limit.by if said.limit else None,
                own_temperature=meter.own_temperature,
                given=given,
            )
        )

    def _fail(self, failure: Failure) -> None:
        node, meter = self._node, self._meter
        self._team.outcomes[node.id] = AgentOutcome(node.id, node.role.name, failure=failure)
        self._emit(
            AgentFailed(
                agent_id=node.id,
                failure=failure,
                written=meter.written,
                failed_tries=meter.failed_tries[:TRIES_TOLD],
                usage=meter.used(),
                seconds=time.perf_counter() - self._began,
                cut_calls=meter.cut,
            )
        )
