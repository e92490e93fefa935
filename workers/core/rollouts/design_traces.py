"""An execution of a design as the events of a run, so that it is shown like one."""

from collections.abc import Iterable, Iterator

from workers.core.errors import Failure
from workers.core.events import (
    AgentFailed,
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
from workers.core.specs import AgentNode, GraphSpec, RoleSpec, Usage

DESIGNER = RoleSpec(
    key="designer",
    name="Designer",
    family="designer",
    description="Writes the script of a team for the question.",
    prompt="Write the script of a team for the question.",
)
NO_MESSAGE = Failure(
    code="no_message",
    message="The reply holds no message: it is empty, or the agent refused.",
    remedy="Its team went on without it.",
)


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
    role = _role(call)
    reads = tuple(map(_agent_id, call.reads))
    yield BlockCalled(
        node=AgentNode(id=_agent_id(call.number), role=role),
        reads=reads,
        block=call.block,
        line=call.line,
        lines=tuple(call.lines),
        call=call.number,
        place=tuple(call.place),
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
    usage = _usage(call.prompt_tokens, call.tokens)
    if not call.usable:
        yield AgentFailed(
            agent_id=_agent_id(call.number), failure=NO_MESSAGE, written=call.text, usage=usage
        )
        return
    yield AgentFinished(
        agent_id=_agent_id(call.number),
        message=call.text,
        answer=call.answer,
        usage=usage,
        seconds=0,
        truncated=call.finish == "length",
    )


def graph_after(events: Iterable[Event]) -> GraphSpec:
    """The graph that they have drawn."""
    graph = GraphSpec()
    for event in events:
        if isinstance(event, GraphPlanned | BlockCalled):
            graph = event.grown(graph, {})
    return graph


def _role(call: CallRow) -> RoleSpec:
    return RoleSpec(
        key=call.role,
        name=call.name,
        family=call.family,
        description=call.name,
        prompt=call.prompt,
        tools=tuple(call.tools),
    )


def _agent_id(number: int) -> str:
    return f"a{number}"


def _usage(prompt: int, completion: int) -> Usage:
    return Usage(prompt_tokens=prompt, completion_tokens=completion, cost=0)
