"""A design: the graph that a person draws with its agents' places on the canvas, or a script.

While a person draws or writes, a design may be wrong: a prompt is empty, an edge closes a cycle, or
a script has a mistake. It is stored anyway, and `problems` says what prevents a run. `setup_of`
says what runs a design without problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from workers.core.methods.design import DesignConfig, one_way_to_answer
from workers.core.methods.plans import MAX_SAMPLE, AgentSampling, Plan
from workers.core.scripts.language import SCRIPT_CHARS
from workers.core.specs import AgentId, AgentNode, Edge, GraphSpec, RoleSpec, Slug, Spec

MAX_AGENTS = 500
MAX_EDGES = 5_000
PLACE_LIMIT = 1e6
SCRIPT_MAX_CHARS = 3 * SCRIPT_CHARS
"""As much of a script as is stored. A longer one than `SCRIPT_CHARS` is stored and has a
problem."""
SCRIPT_CALLS = 256
"""As many calls of agents as a script that is a design may make."""

DRAWING_METHOD = "design"
SCRIPT_METHOD = "metaagent_x"

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
        """Raises ValidationError if the name or the prompt is missing."""
        said = self.model_dump()
        return RoleSpec(**{**said, "description": self.description or self.name})


class DesignAgent(Spec):
    """An agent on the canvas. `x`, `y`: its upper left corner in pixels at zoom 1; None: the
    canvas finds a place for it. `temperature`, `sample`: see `AgentSampling`; at temperature 0 a
    sample makes no difference."""

    id: AgentId
    role: DraftRole
    endpoint: Slug | None = None
    temperature: float = Field(default=0.0, ge=0, le=2)
    sample: int | None = Field(default=None, ge=0, le=MAX_SAMPLE)
    x: float | None = Field(default=None, ge=-PLACE_LIMIT, le=PLACE_LIMIT)
    y: float | None = Field(default=None, ge=-PLACE_LIMIT, le=PLACE_LIMIT)


class DesignSpec(Spec):
    """Agents and who reads whom. Cycles may stand in it until a person corrects them.

    An agent reads others in the order in which they stand here. `answer_from`: whose answer counts;
    None: the last agent's that has one. With `summary` a summary agent reads all of them and
    answers, sampling at `summary_temperature`. With `vote` the most frequent answer of these does.

    With `script` the design is that text in the language of `workers.core.scripts`, and nothing is
    drawn. None: it is a drawing.
    """

    format: Literal[3] = 3
    agents: tuple[DesignAgent, ...] = Field(default=(), max_length=MAX_AGENTS)
    edges: tuple[Edge, ...] = Field(default=(), max_length=MAX_EDGES)
    answer_from: AgentId | None = None
    summary: bool = False
    summary_temperature: float = Field(default=0.0, ge=0, le=2)
    vote: tuple[AgentId, ...] = Field(default=(), max_length=MAX_AGENTS)
    script: str | None = Field(default=None, max_length=SCRIPT_MAX_CHARS)

    @model_validator(mode="after")
    def _names_are_known(self) -> DesignSpec:
        ids = [agent.id for agent in self.agents]
        if len(set(ids)) != len(ids):
            repeated = sorted({i for i in ids if ids.count(i) > 1})
            raise ValueError(f"agent ids must be unique in a design: {', '.join(repeated)}")
        named = {end for edge in self.edges for end in (edge.source, edge.target)}
        named.update(self.vote)
        if self.answer_from is not None:
            named.add(self.answer_from)
        if unknown := sorted(named - set(ids)):
            raise ValueError(f"the design has no agent {', '.join(unknown[:5])}")
        pairs = [(edge.source, edge.target) for edge in self.edges]
        if len(set(pairs)) != len(pairs):
            raise ValueError("two agents are connected twice in the same direction")
        one_way_to_answer(self.vote, self.answer_from, summary=self.summary)
        return self

    @model_validator(mode="after")
    def _is_drawn_or_written(self) -> DesignSpec:
        if self.script is not None and (self.agents or self.answer_from or self.summary):
            raise ValueError("a design is a drawing or a script: with a script, draw no agents")
        return self


class NewerFormat(ValueError):
    """A newer studio wrote the design."""


def read_design(stored: Mapping[str, Any]) -> DesignSpec:
    """Read a design of any format. Without a format it is the newest.

    Raises NewerFormat, and ValidationError for anything but a design. An older format is converted
    here, one step per version. `tests/golden` has a file of each.
    """
    newest = DesignSpec().format
    written = stored.get("format", newest)
    if isinstance(written, int) and written > newest:
        raise NewerFormat(
            f"The design has format {written}, but this studio reads formats up to {newest}. "
            "Update the studio."
        )
    if written == 1:
        return _as_format_1_was_read(DesignSpec.model_validate({**stored, "format": newest}))
    return DesignSpec.model_validate({**stored, "format": newest} if written == 2 else stored)


def _as_format_1_was_read(design: DesignSpec) -> DesignSpec:
    """In format 1 agents read others in the order in which they spoke, the one whose answer counts
    last. The agents are now put into that order, so every prompt stays the same."""
    import networkx as nx  # here: every process would take a tenth longer to start

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(agent.id for agent in design.agents)
    graph.add_edges_from((edge.source, edge.target) for edge in design.edges)
    if not nx.is_directed_acyclic_graph(graph):
        return design
    waves = enumerate(nx.topological_generations(graph))
    wave_of = {agent_id: number for number, wave in waves for agent_id in wave}
    agents = sorted(
        design.agents, key=lambda agent: (agent.id == design.answer_from, wave_of[agent.id])
    )
    return design.model_copy(update={"agents": tuple(agents)})


def graph_of(design: DesignSpec) -> GraphSpec:
    """The graph that runs. Raises ValidationError if the design has an error that `problems`
    names."""
    return GraphSpec(
        nodes=tuple(
            AgentNode(id=agent.id, role=agent.role.finished(), endpoint=agent.endpoint)
            for agent in design.agents
        ),
        edges=design.edges,
    )


def config_of(design: DesignSpec) -> DesignConfig:
    """The config that the method `design` runs. Raises ValidationError like `graph_of`."""
    return DesignConfig(
        graph=graph_of(design),
        answer_from=design.answer_from,
        summary=design.summary,
        summary_temperature=design.summary_temperature,
        vote=design.vote,
        sampling={
            agent.id: AgentSampling(temperature=agent.temperature, sample=agent.sample)
            for agent in design.agents
            if agent.temperature
        },
    )


def setup_of(design: DesignSpec) -> tuple[Slug, dict[str, Any]]:
    """The method that runs the design, and its config. Raises ValidationError like `graph_of`."""
    if design.script is not None:
        return SCRIPT_METHOD, {"script": design.script, "max_calls": SCRIPT_CALLS}
    return DRAWING_METHOD, config_of(design).model_dump(mode="json")


def design_of(
    graph: GraphSpec,
    *,
    answer_from: str | None = None,
    summary: bool = False,
    plan: Plan | None = None,
) -> DesignSpec:
    """A graph as a design, with its agents not yet placed. If the plan has voters, these answer."""
    plan = plan or Plan()
    return DesignSpec(
        agents=tuple(_drawn(node, plan.sampling.get(node.id)) for node in graph.nodes),
        edges=tuple(dict.fromkeys(graph.edges)),
        answer_from=None if plan.voters else answer_from,
        summary=summary and not plan.voters,
        summary_temperature=plan.summary_temperature if summary else 0.0,
        vote=plan.voters,
    )


def _drawn(node: AgentNode, sampling: AgentSampling | None) -> DesignAgent:
    sampled = sampling.model_dump() if sampling else {}
    return DesignAgent(id=node.id, role=DraftRole.of(node.role), endpoint=node.endpoint, **sampled)
