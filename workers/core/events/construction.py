"""How a graph grows: planned whole, or sampled step by step (MasHost, arXiv 2506.08507)."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from workers.core.events.base import Grows
from workers.core.events.shown import GRAPH, Shown, whole
from workers.core.graph import add_agent, remove_agent, successors
from workers.core.specs import AgentId, Edge, GraphSpec, RoleSpec, Spec


class GraphPlanned(Grows):
    """The graph of a method, before the agents in it start; a later one adds to it."""

    event: Literal["graph_planned"] = "graph_planned"
    shown: ClassVar[Shown] = {"graph": GRAPH}
    graph: GraphSpec

    def grown(self, graph: GraphSpec, roles: Mapping[str, RoleSpec]) -> GraphSpec:
        return self.graph


class ActionProbability(Spec):
    """`action` is a role key, or DELETE or EXIT; `masked` actions have probability 0."""

    action: str
    probability: float = Field(ge=0, le=1)
    masked: bool = False


class NodeSampled(Grows):
    """One node action a_n with the probabilities of all K + 2 actions."""

    event: Literal["node_sampled"] = "node_sampled"
    shown: ClassVar[Shown] = {
        "candidates": whole("action", "probability", "masked"),
        **whole("step", "kind", "choice", "log_probability", "greedy", "agent_id", "out_of_scope"),
    }
    roles_at: ClassVar[str] = "$.candidates[*].action"
    step: int = Field(ge=1)
    candidates: tuple[ActionProbability, ...]
    kind: Literal["add", "delete", "exit"]
    choice: str
    log_probability: float
    greedy: bool
    agent_id: AgentId | None = Field(default=None, description="the agent added or deleted")
    out_of_scope: bool = Field(
        default=False,
        description="the untrained policy decided: the query is unlike the checkpoint's training",
    )

    def grown(self, graph: GraphSpec, roles: Mapping[str, RoleSpec]) -> GraphSpec:
        """Raises KeyError for a role that the pool does not have."""
        if self.agent_id is None:
            return graph
        if self.kind == "add":
            return add_agent(graph, agent_id=self.agent_id, role=roles[self.choice])
        # Who reads the newest agent are revisions that it asked for: they go with it.
        for reader in successors(graph).get(self.agent_id, ()):
            graph = remove_agent(graph, reader)
        return remove_agent(graph, self.agent_id)


class EdgeProbability(Spec):
    source: AgentId
    probability: float = Field(ge=0, le=1)
    chosen: bool


class BackProbability(Spec):
    """An edge back: whether the new agent sends its message to `target`, which then revises."""

    target: AgentId
    probability: float = Field(ge=0, le=1)
    chosen: bool


class EdgesSampled(Grows):
    """Which existing agents the new agent reads, by the messages of theirs that stand; with
    feedback edges also whom it sends its own message back to (`back`)."""

    event: Literal["edges_sampled"] = "edges_sampled"
    shown: ClassVar[Shown] = {
        "candidates": whole("source", "probability", "chosen"),
        "back": whole("target", "probability", "chosen"),
        **whole("step", "agent_id", "log_probability"),
    }
    step: int = Field(ge=1)
    agent_id: AgentId
    candidates: tuple[EdgeProbability, ...]
    log_probability: float
    back: tuple[BackProbability, ...] = ()

    def grown(self, graph: GraphSpec, roles: Mapping[str, RoleSpec]) -> GraphSpec:
        chosen = [Edge(source=c.source, target=self.agent_id) for c in self.candidates if c.chosen]
        return GraphSpec(nodes=graph.nodes, edges=(*graph.edges, *chosen))


class RevisionAsked(Grows):
    """An earlier agent was sent a message back and is about to revise its own, once. `agent_id` is
    the revision, which speaks for the same agent in the next `round`: it reads what the agent read
    before, `revises`, its message until now, and last the message of `sender`."""

    event: Literal["revision_asked"] = "revision_asked"
    shown: ClassVar[Shown] = whole("step", "agent_id", "revises", "sender", "reads", "round")
    step: int = Field(ge=1)
    agent_id: AgentId
    revises: AgentId
    sender: AgentId
    reads: tuple[AgentId, ...]
    round: int = Field(ge=2)

    def grown(self, graph: GraphSpec, roles: Mapping[str, RoleSpec]) -> GraphSpec:
        spoke = next(node for node in graph.nodes if node.id == self.revises)
        node = spoke.model_copy(update={"id": self.agent_id, "round": self.round})
        edges = tuple(Edge(source=source, target=self.agent_id) for source in self.reads)
        return GraphSpec(nodes=(*graph.nodes, node), edges=(*graph.edges, *edges))
