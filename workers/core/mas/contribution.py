"""What an agent contributes: its message, the answer in it, and the output of its own program.

The answer of a text task is read from the message; that of a code task is the program in it. The
model's thoughts (`mas.thoughts`) are neither. If the role lists the tool `program`, the program is
run once and its output is added to the message. For a text task, what it printed last is the
answer. A program that fails or prints nothing has no answer, unless the message names one beside
the program (`Answer: …`).
"""

from dataclasses import dataclass, replace

from workers.core.answers.programs import extract_program, program_to_run, prose
from workers.core.answers.reading import explicit_answer, extract_answer, is_refusal
from workers.core.answers.thoughts import parted
from workers.core.mas.conversation import Exchange, Meter, Reply, converse
from workers.core.mas.reply_limit import ReplyLimit
from workers.core.mas.tool_use import Wanted, use_tool
from workers.core.specs import AnswerForm
from workers.core.tools.base import ToolResult
from workers.core.tools.sandbox import PRINTED_NOTHING

PROGRAM_CALL_ID = "program"
_ANSWER_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Contribution:
    """`answer` is None for a refusal and for a message without a clear answer. `truncated`: the
    message stopped at its `limit`. `thoughts` are only for the trace."""

    text: str
    answer: str | None
    refused: bool
    truncated: bool
    thoughts: str = ""
    limit: ReplyLimit | None = None


async def contribute(exchange: Exchange, meter: Meter) -> Contribution:
    """Raises what `converse` raises."""
    reply = await converse(exchange, meter)
    said = read(reply, exchange.answer_form, exchange.entry_points)
    if exchange.program is None or said.refused:
        return said
    code = program_to_run(said.text)
    if code is None:
        return said
    result = await use_tool(
        Wanted(PROGRAM_CALL_ID, exchange.program.key, {"code": code}),
        tools=(exchange.program,),
        agent_id=exchange.agent_id,
        emit=exchange.emit,
        truncated=reply.truncated,
    )
    return with_output(said, result, exchange.answer_form)


def read(reply: Reply, answer_form: AnswerForm, entry_points: tuple[str, ...] = ()) -> Contribution:
    said = read_text(reply.text, answer_form, entry_points)
    return replace(
        said,
        truncated=reply.truncated,
        limit=reply.limit,
        thoughts=reply.thoughts or said.thoughts,
    )


def read_text(
    text: str, answer_form: AnswerForm, entry_points: tuple[str, ...] = ()
) -> Contribution:
    """`entry_points`: what the program of a code task must define, if known. A message that refuses
    but then gives a program has not refused."""
    written = parted(text)
    text = written.message
    refused = is_refusal(text)
    if answer_form == "code":
        answer = extract_program(text, entry_points)
        refused = refused and answer is None
    else:
        answer = None if refused else extract_answer(text)
    return Contribution(text, answer, refused, truncated=False, thoughts=written.thoughts)


def with_output(said: Contribution, result: ToolResult, answer_form: AnswerForm) -> Contribution:
    """The message with its program's output."""
    text = f"{said.text}\n\nOutput:\n{result.output}"
    if answer_form == "code":
        return replace(said, text=text)
    printed = last_line(result)
    answer = printed or explicit_answer(prose(said.text))
    return replace(said, text=f"{text}\n\nAnswer: {printed}" if printed else text, answer=answer)


def last_line(result: ToolResult) -> str | None:
    """What a program printed last, without “Answer:” if it prints that."""
    lines = [line.strip() for line in result.output.split("\n") if line.strip()]
    if not result.ok or not lines or result.output == PRINTED_NOTHING:
        return None
    return extract_answer(lines[-1]) or lines[-1][:_ANSWER_CHARS]
