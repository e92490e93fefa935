"""A team that a script describes (MetaAgent-X, arXiv 2605.14212)."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from workers.core.events.base import EventBase, Grows, Placed
from workers.core.events.shown import Shown, whole
from workers.core.specs import AgentId, Edge, GraphSpec, RoleSpec, Slug, Spec

BlockKind = Literal[
    "agent",
    "ensemble",
    "reflection",
    "debate",
    "router",
    "sequence",
    "conditional",
    "loop",
    "graph",
    "if",
    "for",
    "while",
]
"""The last three are Python's own, where what they do is known only when the script runs."""
ScriptOrigin = Literal["model", "given"]
ScriptEnding = Literal["delivered", "failed", "limit", "broken"]
"""failed: an error of the script's own, or no agent left a message. limit: one of its limits ended
it. broken: its process died, or said what it may not say."""


class ScriptProblem(Spec):
    """Why a script can't be used. `line` counts from 1; None: it is no single line's."""

    code: Slug
    message: str
    remedy: str
    line: int | None = Field(default=None, ge=1)


class DrawnBlock(Spec):
    """A block as far as it is known before the script runs. `line`: where the script makes it.
    `inside`: the block that holds it. `detail`: what people read of it, such as “majority” or “at
    most 3 rounds”. `prompt` and `tools` are an agent's."""

    id: Slug
    kind: BlockKind
    name: str
    line: int = Field(ge=1)
    inside: Slug | None = None
    detail: str = ""
    prompt: str = ""
    tools: tuple[Slug, ...] = ()


class DrawnEdge(Spec):
    """`target` reads `source`, or comes after it. `label`: when, such as “yes”, or a route."""

    source: Slug
    target: Slug
    label: str = ""


class ScriptDrawing(Spec):
    """What a script means. `complete`: nothing of it waits for what an agent will say. `delivers`:
    the blocks whose message is the answer."""

    blocks: tuple[DrawnBlock, ...] = ()
    edges: tuple[DrawnEdge, ...] = ()
    delivers: tuple[Slug, ...] = ()
    complete: bool = True


class ScriptRead(EventBase):
    """The script that was found in the designer's reply, checked and drawn. With a problem it has
    no drawing. `agent_id`: the designer's; None: the script was given. `attempt` counts from 1."""

    event: Literal["script_read"] = "script_read"
    shown: ClassVar[Shown] = {
        "problems": whole("code", "message", "remedy", "line"),
        "drawing": {
            "blocks": whole("id", "kind", "name", "line", "inside", "detail", "prompt", "tools"),
            "edges": whole("source", "target", "label"),
            **whole("delivers", "complete"),
        },
        **whole("origin", "agent_id", "attempt", "script", "shape"),
    }
    origin: ScriptOrigin
    agent_id: AgentId | None = None
    attempt: int = Field(default=1, ge=1)
    script: str
    problems: tuple[ScriptProblem, ...] = ()
    drawing: ScriptDrawing | None = None
    shape: str = Field(
        default="", description="what scripts with the same team have in common; empty: unusable"
    )


class BlockCalled(Grows, Placed):
    """The script asks an agent, once: it joins the graph. `block`: the agent's in the drawing; ""
    if it is not there. `line`: where the script makes the agent. `lines`: those of the blocks
    around it, and of the call, from outside in. `call` counts from 1, in the order in which they
    came up. `place`: as in `scripts.blocks.Call`, so the same however fast agents are; empty in
    what an older studio kept."""

    event: Literal["block_called"] = "block_called"
    shown: ClassVar[Shown] = {
        "node": {"role": whole("key", "name", "family"), **whole("id", "endpoint", "round")},
        **whole("reads", "block", "line", "lines", "call", "place"),
    }
    reads: tuple[AgentId, ...] = ()
    block: str = ""
    line: int = Field(ge=1)
    lines: tuple[int, ...] = ()
    call: int = Field(ge=1)

    def grown(self, graph: GraphSpec, roles: Mapping[str, RoleSpec]) -> GraphSpec:
        edges = (Edge(source=source, target=self.node.id) for source in self.reads)
        return GraphSpec(nodes=(*graph.nodes, self.node), edges=(*graph.edges, *edges))


class ScriptEnded(EventBase):
    """`printed`: the first of what it printed. `problem` says why it did not deliver."""

    event: Literal["script_ended"] = "script_ended"
    shown: ClassVar[Shown] = {
        "problem": whole("code", "message", "remedy", "line"),
        **whole("ending", "calls", "seconds", "printed"),
    }
    ending: ScriptEnding
    calls: int = Field(ge=0)
    seconds: float = Field(ge=0)
    printed: str = ""
    problem: ScriptProblem | None = None
