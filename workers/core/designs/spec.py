"""A design: the graph that a person draws, and where its agents stand on the canvas.

While somebody draws, a design may be wrong: a prompt is empty, an edge closes a cycle. It is stored
all the same, and `problems` tells what is in the way. `graph_of` makes what runs of one without.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from workers.core.specs import AgentId, AgentNode, Edge, GraphSpec, RoleSpec, Slug, Spec

MAX_AGENTS = 500
MAX_EDGES = 5_000
PLACE_LIMIT = 1e6

ShortText = Annotated[str, StringConstraints(max_length=200)]


class DraftRole(Spec):
    """A `RoleSpec` as it may be while it is written: every text may be empty."""

    key: Slug
    name: str = Field(default="", max_length=120)
    family: Slug = "custom"
    description: str = Field(default="", max_length=2_000)
    capabilities: tuple[ShortText, ...] = Field(default=(), max_length=50)
    prompt: str = Field(default="", max_length=20_000)
    tools: tuple[Slug, ...] = Field(default=(), max_length=50)
    output_form: str = Field(default="", max_length=2_000)
    refuse_condition: str = Field(default="", max_length=2_000)

    @staticmethod
    def of(role: RoleSpec) -> DraftRole:
        return DraftRole(**role.model_dump())

    def finished(self) -> RoleSpec:
        """Raises ValidationError where the name or the prompt is missing."""
        said = self.model_dump()
        return RoleSpec(**{**said, "description": self.description or self.name})


class DesignAgent(Spec):
    """An agent on the canvas. `x`, `y`: its upper left corner in pixels at zoom 1; None: the
    canvas finds a place for it."""

    id: AgentId
    role: DraftRole
    endpoint: Slug | None = None
    x: float | None = Field(default=None, ge=-PLACE_LIMIT, le=PLACE_LIMIT)
    y: float | None = Field(default=None, ge=-PLACE_LIMIT, le=PLACE_LIMIT)


class DesignSpec(Spec):
    """Agents and who reads whom. Cycles may stand in it until somebody mends them.

    `answer_from`: whose answer counts; None: the last agent's that has one. With `summary` a
    summary agent reads all of them and answers.
    """

    format: Literal[1] = 1
    agents: tuple[DesignAgent, ...] = Field(default=(), max_length=MAX_AGENTS)
    edges: tuple[Edge, ...] = Field(default=(), max_length=MAX_EDGES)
    answer_from: AgentId | None = None
    summary: bool = False

    @model_validator(mode="after")
    def _names_are_known(self) -> DesignSpec:
        ids = [agent.id for agent in self.agents]
        if len(set(ids)) != len(ids):
            repeated = sorted({i for i in ids if ids.count(i) > 1})
            raise ValueError(f"agent ids must be unique in a design: {', '.join(repeated)}")
        named = {end for edge in self.edges for end in (edge.source, edge.target)}
        if self.answer_from is not None:
            named.add(self.answer_from)
        if unknown := sorted(named - set(ids)):
            raise ValueError(f"the design has no agent {', '.join(unknown[:5])}")
        pairs = [(edge.source, edge.target) for edge in self.edges]
        if len(set(pairs)) != len(pairs):
            raise ValueError("two agents are connected twice in the same direction")
        return self


class NewerFormat(ValueError):
    """The design was written by a newer studio."""


def read_design(stored: Mapping[str, Any]) -> DesignSpec:
    """A design of any format that was ever written.

    Raises NewerFormat, and ValidationError for what is no design. An older format is brought up to
    date here, one step per version; `tests/golden` holds a file of each.
    """
    written = stored.get("format", 1)
    newest = DesignSpec().format
    if isinstance(written, int) and written > newest:
        raise NewerFormat(
            f"The design has format {written}; this studio knows up to {newest}. Update the studio."
        )
    return DesignSpec.model_validate(dict(stored))


def graph_of(design: DesignSpec) -> GraphSpec:
    """What runs. Raises ValidationError where the design has an error that `problems` names."""
    return GraphSpec(
        nodes=tuple(
            AgentNode(id=agent.id, role=agent.role.finished(), endpoint=agent.endpoint)
            for agent in design.agents
        ),
        edges=design.edges,
    )


def design_of(
    graph: GraphSpec, *, answer_from: str | None = None, summary: bool = False
) -> DesignSpec:
    """A graph as a design, its agents not yet placed."""
    return DesignSpec(
        agents=tuple(
            DesignAgent(id=node.id, role=DraftRole.of(node.role), endpoint=node.endpoint)
            for node in graph.nodes
        ),
        edges=tuple(dict.fromkeys(graph.edges)),
        answer_from=answer_from,
        summary=summary,
    )
