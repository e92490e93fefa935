"""An execution of a design as the events of a run, so that it is shown like one."""

import re
from collections.abc import Iterator, Sequence

from workers.core.events import (
    AgentFinished,
    AgentStarted,
    BlockCalled,
    Event,
    GraphPlanned,
    IntermediateAnswer,
    ScriptEnded,
    ScriptRead,
)
from workers.core.rollouts.designs import CallRow, DesignRow, ExecutionRow
from workers.core.specs import PROMPT_MAX_CHARS, AgentNode, GraphSpec, RoleSpec, Usage

DESIGNER = RoleSpec(
    key="designer",
    name="Designer",
    family="designer",
    description="Writes the script of a team for the question.",
    prompt="Write the script of a team for the question.",
)
FAMILY = "script"
"""Of all agents that a script describes."""
SLUG_CHARS, NAME_CHARS = 63, 120
_OTHERS = re.compile(r"[^a-z0-9]+")


def events_of(design: DesignRow, execution: ExecutionRow | None) -> Iterator[Event]:
    """`execution`: None for a design that was not executed. Times and costs are not known."""
    designer = DESIGNER.key
    node = AgentNode(id=designer, role=DESIGNER)
    yield GraphPlanned(graph=GraphSpec(nodes=(node,)))
    yield AgentStarted(
        agent_id=designer,
        role_key=DESIGNER.key,
        role_name=DESIGNER.name,
        family=DESIGNER.family,
        endpoint=design.policy,
        prompt=tuple(dict(message) for message in design.messages),
    )
    yield AgentFinished(
        agent_id=designer,
        message=design.reply,
        usage=_usage(design.prompt_tokens, design.tokens),
        seconds=0,
        truncated=design.finish == "length",
    )
    yield ScriptRead(
        origin="model",
        agent_id=designer,
        script=design.script or design.reply,
        problems=tuple(design.problems),
        drawing=design.drawing,
        shape=design.shape,
    )
    if execution is None:
        return
    for call in execution.calls:
        yield from _called(call)
    yield ScriptEnded(
        ending=execution.ending,
        calls=len(execution.calls),
        seconds=0,
        printed=execution.printed,
        problem=execution.problem,
    )
    if execution.ending == "delivered":
        spoke = _agent_id(execution.delivered) if execution.delivered else None
        yield IntermediateAnswer(step=1, answer=execution.answer, agent_id=spoke)


def _called(call: CallRow) -> Iterator[Event]:
    role = role_of(call.name, call.prompt, call.tools)
    reads = tuple(map(_agent_id, call.reads))
    yield BlockCalled(
        node=AgentNode(id=_agent_id(call.number), role=role),
        reads=reads,
        block=call.block,
        line=call.line,
        lines=tuple(call.lines),
        call=call.number,
    )
    yield AgentStarted(
        agent_id=_agent_id(call.number),
        role_key=role.key,
        role_name=role.name,
        family=role.family,
        reads=reads,
        endpoint=call.policy,
        prompt=tuple(dict(message) for message in call.messages),
    )
    yield AgentFinished(
        agent_id=_agent_id(call.number),
        message=call.text,
        answer=call.answer,
        usage=_usage(call.prompt_tokens, call.tokens),
        seconds=0,
        truncated=call.finish == "length",
    )


def role_of(name: str, prompt: str, tools: Sequence[str]) -> RoleSpec:
    """The role of an agent that a script describes. Its key comes from its name."""
    key = _OTHERS.sub("-", name.lower()).strip("-")[:SLUG_CHARS].rstrip("-")
    return RoleSpec(
        key=key or "agent",
        name=name[:NAME_CHARS],
        family=FAMILY,
        description=name,
        prompt=prompt[:PROMPT_MAX_CHARS],
        tools=tuple(tools),
    )


def _agent_id(number: int) -> str:
    return f"a{number}"


def _usage(prompt: int, completion: int) -> Usage:
    return Usage(prompt_tokens=prompt, completion_tokens=completion, cost=0)
