"""One agent's exchange with its LLM: ask, run the tools it calls, end with a message."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from workers.core.answers.thoughts import parted
from workers.core.events import AgentDelta
from workers.core.fit import fit_tokens
from workers.core.llm.flight import MAY_HAVE_GENERATED
from workers.core.llm.types import (
    BudgetExceeded,
    ChatClient,
    ChatMessage,
    ChatRequest,
    ChatResult,
    LLMError,
)
from workers.core.mas.failures import no_answer
from workers.core.mas.loops import without_loop
from workers.core.mas.prompts import prompt_room
from workers.core.mas.reply_limit import ReplyLimit, limit_met, reply_limit
from workers.core.mas.rules import no_more_tools
from workers.core.mas.starts import looked_up
from workers.core.mas.streaming import Emit
from workers.core.mas.tool_rounds import TOOL_ROUNDS
from workers.core.mas.tool_use import (
    Wanted,
    assistant_turn,
    reply_message,
    schema,
    use_tool,
    wanted_calls,
    without_blocks,
)
from workers.core.specs import AnswerForm, EndpointSpec, FailedTry, Usage
from workers.core.tools.base import Tool, ToolResult
from workers.core.tools.run_tool import OpenedTool

_MIN_RESULT_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one agent's exchange needs. `tools` are called natively or through text.

    `program` runs the program in the message (`mas.contribution`). It is not offered to the model.
    """

    agent_id: str
    client: ChatClient
    endpoint: EndpointSpec
    messages: tuple[ChatMessage, ...]
    tools: tuple[Tool, ...]
    temperature: float
    seed: int | None
    max_completion_tokens: int
    """What the budget allows one reply. The endpoint's context may allow less (`limit`)."""
    stream: bool
    emit: Emit
    answer_form: AnswerForm = "text"
    program: Tool | None = None
    entry_points: tuple[str, ...] = ()
    starts: tuple[OpenedTool, ...] = ()
    """Tools that the studio calls before the model is asked, about `about`."""
    about: str = ""
    ending: str = ""
    """How the message must end, if not with an answer."""
    tool_rounds: int = TOOL_ROUNDS

    @property
    def limit(self) -> ReplyLimit:
        return reply_limit(self.endpoint, self.max_completion_tokens)

    def identity(self) -> Hashable:
        """The key of the message pool: equal for two exchanges that would get the same message."""
        sampled = (self.temperature, self.seed) if self.temperature > 0 else None
        tools = tuple(tool.key for tool in (*self.tools, *self.starts))
        asked = self.endpoint.key, self.endpoint.model
        about = self.about if self.starts else ""
        used = tools, self.tool_rounds if tools else 0
        return asked, self.messages, used, about, self.program is not None, sampled


@dataclass(slots=True)
class Meter:
    """What an exchange has used so far, also correct if a call fails in the middle."""

    usage: Usage | None = None
    calls: int = 0
    failed_tries: tuple[FailedTry, ...] = ()
    uncached: int = 0
    cut: int = 0
    """Number of calls whose reply stopped at its token limit."""
    own_temperature: bool = False
    written: str = ""
    """The text streamed before a call failed."""

    def used(self) -> Usage:
        return self.usage or Usage.zero()

    def add(self, result: ChatResult) -> None:
        self.usage = result.usage if self.usage is None else self.usage + result.usage
        self.calls += 1
        self.failed_tries += result.failed_tries
        self.uncached += not result.cached
        self.cut += result.cut
        self.own_temperature |= result.own_temperature

    def add_tool(self, result: ToolResult) -> None:
        """Add what a tool used that asked a model itself."""
        if result.usage is not None:
            self.usage = result.usage if self.usage is None else self.usage + result.usage
            self.calls += 1
            self.uncached += 1

    def fail(self, error: LLMError) -> None:
        """Count a failed call. A refused request used nothing; the usage of a broken one is
        unknown."""
        generated = error.spoke or error.code in MAY_HAVE_GENERATED
        used = Usage() if generated else Usage.zero()
        self.usage = used if self.usage is None else self.usage + used
        self.failed_tries += error.failed_tries


@dataclass(frozen=True, slots=True)
class Reply:
    """The last message of an exchange, without the model's `thoughts`, which include those of
    earlier rounds. `truncated`: it stopped at its `limit`.

    Text that a model repeats until the limit is in `text` once. The stream is read to its end
    anyway: a server that is cut off does not report its usage.
    """

    text: str
    truncated: bool
    thoughts: str = ""
    limit: ReplyLimit | None = None


async def converse(exchange: Exchange, meter: Meter) -> Reply:
    """Raises LLMError, BudgetExceeded or CancelledError; `meter` then has what was used."""
    deltas = _Deltas(exchange.agent_id, exchange.emit)
    messages = await _begun(exchange, meter)
    calls_made = 0
    thoughts: list[str] = []
    for rounds_left in range(exchange.tool_rounds, -1, -1):
        try:
            result = await _ask(exchange, messages, deltas, last=rounds_left == 0)
        except LLMError as error:
            meter.fail(error)
            meter.written = deltas.text
            raise
        except BudgetExceeded:
            meter.written = deltas.text
            raise
        meter.add(result)
        written = parted(result.text)
        result = replace(result, text=written.message)
        thoughts += [result.reasoning, written.thoughts]
        wanted = wanted_calls(result, exchange.tools, earlier=messages, first_id=calls_made + 1)
        if not wanted or not exchange.tools or rounds_left == 0:
            break
        calls_made += len(wanted)
        messages += await _use_tools(exchange, messages, result, wanted, meter)
    text = without_blocks(result.text) if exchange.tools else result.text.strip()
    if result.cut:
        text, *thoughts[-2:] = map(without_loop, (text, *thoughts[-2:]))
    thought = "\n\n".join(filter(None, thoughts))
    if (silence := no_answer(result, exchange.endpoint, thought=bool(thought))) is not None:
        meter.written = result.text or thought
        raise silence
    return Reply(
        text, truncated=result.cut, thoughts=thought, limit=limit_met(exchange.limit, result)
    )


async def _begun(exchange: Exchange, meter: Meter) -> list[ChatMessage]:
    """The messages, with what the first look-ups say before the question."""
    messages = list(exchange.messages)
    if exchange.starts:
        said, results = await looked_up(
            exchange.starts,
            exchange.about,
            agent_id=exchange.agent_id,
            emit=exchange.emit,
            room_tokens=_room_left(exchange, messages),
        )
        for result in results:
            meter.add_tool(result)
        if said:
            *before, last = messages
            messages = [*before, replace(last, content=f"{said}\n\n{last.content}")]
    return messages


async def _ask(
    exchange: Exchange, messages: Sequence[ChatMessage], deltas: _Deltas, *, last: bool
) -> ChatResult:
    native = exchange.endpoint.native_tools
    no_more = ChatMessage(role="user", content=no_more_tools(exchange.answer_form, exchange.ending))
    closing = (no_more,) if last and exchange.tools else ()
    request = ChatRequest(
        messages=(*messages, *closing),
        temperature=exchange.temperature,
        max_tokens=exchange.limit.tokens,
        # Where nothing is sampled, a seed would only part answers that are kept.
        seed=exchange.seed if exchange.temperature > 0 else None,
        tools=tuple(map(schema, exchange.tools)) if native and not last else (),
    )
    on_delta = deltas.begin() if exchange.stream else None
    return await exchange.client.chat(exchange.endpoint, request, on_delta)


async def _use_tools(
    exchange: Exchange,
    messages: Sequence[ChatMessage],
    result: ChatResult,
    wanted: Sequence[Wanted],
    meter: Meter,
) -> list[ChatMessage]:
    """The model's turn and the tools' replies, as they go into the next request."""
    added = [assistant_turn(result, wanted)]
    for want in wanted:
        outcome: ToolResult = await use_tool(
            want,
            tools=exchange.tools,
            agent_id=exchange.agent_id,
            emit=exchange.emit,
            truncated=result.cut,
        )
        meter.add_tool(outcome)
        room = _room_left(exchange, [*messages, *added])
        native = bool(result.tool_calls)
        added.append(reply_message(want, outcome, native=native, room_tokens=room))
    return added


def _room_left(exchange: Exchange, messages: Sequence[ChatMessage]) -> int:
    room = prompt_room(exchange.endpoint.context_length, exchange.limit.tokens)
    taken = sum(fit_tokens(message.content) + 8 for message in messages)
    return max(room - taken, _MIN_RESULT_TOKENS)


class _Deltas:
    """Turns streamed text into events, with offsets that continue over the rounds of one exchange.

    A `RestartableDelta`: after a restart the text of the round follows again from its first offset.
    """

    def __init__(self, agent_id: str, emit: Emit) -> None:
        self._agent_id = agent_id
        self._emit = emit
        self._offset = 0
        self._parts: list[str] = []
        self._round_start = (0, 0)

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def begin(self) -> _Deltas:
        self._round_start = self._offset, len(self._parts)
        return self

    def __call__(self, text: str, /) -> None:
        self._emit(AgentDelta(agent_id=self._agent_id, text=text, offset=self._offset))
        self._offset += len(text)
        self._parts.append(text)

    def restart(self) -> None:
        self._offset, kept = self._round_start
        del self._parts[kept:]
