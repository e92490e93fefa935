"""What is stored as JSON or crosses a process: roles, pools, endpoints, tasks, graphs, budgets.

These models are data. Nothing in them is ever executed; tools are named by registry id.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from workers.core.extra_body import spelled

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]
EndpointKey = Annotated[Slug, Field(json_schema_extra={"format": "endpoint"})]
"""Marks a method's setting for which a form offers the endpoints. If its field
has `json_schema_extra={"writes": WHAT}`, the endpoint's model must write WHAT (`plan`, `script`),
and the page Ask warns of a small one. A setting called WHAT that is not empty takes its place."""
AgentId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]

N = TypeVar("N", int, float)

QUERY_MAX_CHARS = 100_000
"""The API refuses longer queries: no supported model reads more."""
PROMPT_MAX_CHARS = 20_000
MEMORY_MAX_CHARS = 8_000
MEMORY_TITLE = "\n\nWhat you remember from earlier tasks:\n"
REPLY_TOKENS = 1_024
"""The default token limit of one reply."""
SMALL_BELOW = 1_000_000_000
"""Parameters. Smaller models read short prompts (`workers.core.mas.small_models`)."""


class Spec(BaseModel):
    """Base of every stored value: immutable, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


PHRASES_MAX = 24
PHRASE_MIN_CHARS = 4
_PHRASE_END = re.compile(r"(?<=[.?!:;])\s+|,\s+")


class RoleSpec(Spec):
    """A prompt with capabilities, tools, an output form and a refuse condition."""

    key: Slug
    name: str = Field(min_length=1, max_length=120)
    family: Slug
    description: str = Field(min_length=1, max_length=2_000)
    capabilities: tuple[str, ...] = ()
    prompt: str = Field(min_length=1, max_length=PROMPT_MAX_CHARS)
    tools: tuple[Slug, ...] = ()
    output_form: str = Field(default="", max_length=2_000)
    refuse_condition: str = Field(default="", max_length=2_000)

    def profile(self) -> str:
        """The text that is embedded to compare the role with a query."""
        return f"{self.name}. {self.description} Capabilities: {', '.join(self.capabilities)}."

    def phrases(self) -> tuple[str, ...]:
        """The parts of the description between its commas, colons and full stops: each is one thing
        the role is asked for. A query is seldom like a whole description, but often like one
        part."""
        parts = (part.strip() for part in _PHRASE_END.split(self.description))
        return tuple(part for part in parts if len(part) >= PHRASE_MIN_CHARS)[:PHRASES_MAX]


class PoolSpec(Spec):
    """A versioned set of roles; the order of `roles` is the order of a policy's logits."""

    key: Slug
    name: str = Field(min_length=1, max_length=120)
    description: str = Field(default="", max_length=2_000)
    version: int = Field(default=1, ge=1, le=2**31 - 1)
    roles: tuple[RoleSpec, ...]

    @model_validator(mode="after")
    def _unique_keys(self) -> PoolSpec:
        keys = [role.key for role in self.roles]
        repeated = sorted({key for key in keys if keys.count(key) > 1})
        if repeated:
            raise ValueError(f"role keys must be unique in a pool; repeated: {', '.join(repeated)}")
        return self


class OwnProfile(Spec):
    """What an agent, a role on an endpoint, has beside its role: a prompt instead of the role's,
    and a memory that is told after it."""

    role: Slug
    endpoint: Slug
    prompt: str = Field(default="", max_length=PROMPT_MAX_CHARS)
    memory: str = Field(default="", max_length=MEMORY_MAX_CHARS)

    def played(self, role: RoleSpec) -> RoleSpec:
        """The role as this agent plays it. If the memory no longer fits beside a longer prompt, its
        end is cut."""
        prompt = (self.prompt or role.prompt).strip()
        room = PROMPT_MAX_CHARS - len(prompt) - len(MEMORY_TITLE)
        memory = self.memory.strip()[: max(room, 0)]
        return role.model_copy(
            update={"prompt": f"{prompt}{MEMORY_TITLE}{memory}" if memory else prompt}
        )


SizeSource = Literal["", "server", "person", "name"]
"""Where a model's size comes from: its server, a person, or a guess from its name; empty: unknown.
"""


def most_reply_tokens(context_length: int) -> int:
    """The token limit of one reply: half of the context. The prompt has the other half."""
    return max(1, context_length // 2)


class EndpointSpec(Spec):
    """An OpenAI-compatible LLM server. Prices are USD per million tokens; None means unknown.

    `parameters` counts the model's weights; None is unknown. `parameters_from` says who told.
    `extra_body` is added to each request. An answer is reused only for the same fields.
    """

    key: Slug
    base_url: str = Field(min_length=1, max_length=500)
    model: str = Field(min_length=1, max_length=300)
    context_length: int = Field(default=4_096, ge=256)
    prompt_price: float | None = Field(default=None, ge=0, le=1e6)
    completion_price: float | None = Field(default=None, ge=0, le=1e6)
    api_key_env: str = Field(default="", max_length=100)
    max_concurrency: int = Field(default=8, ge=1)
    timeout_seconds: float = Field(default=120.0, gt=0)
    native_tools: bool = False
    sees_images: bool = False
    allow_private_address: bool = False
    parameters: int | None = Field(default=None, ge=1)
    parameters_from: SizeSource = ""
    extra_body: dict[str, Any] = Field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EndpointSpec) or not super().__eq__(other):
            return False
        return spelled(self.extra_body) == spelled(other.extra_body)

    def __hash__(self) -> int:
        """Leaves out `extra_body`, because a dict has no hash."""
        return hash((self.key, self.base_url, self.model))

    @property
    def is_small(self) -> bool:
        """Whether it needs short prompts. A model of unknown size counts as large."""
        return self.parameters is not None and self.parameters < SMALL_BELOW

    @property
    def most_reply_tokens(self) -> int:
        return most_reply_tokens(self.context_length)


AnswerForm = Literal["text", "code"]


class TaskSpec(Spec):
    """A query, and a reference answer with the verifier that compares where these are known."""

    query: str = Field(min_length=1, max_length=QUERY_MAX_CHARS)
    reference: str | None = None
    domain: str = ""
    answer_form: AnswerForm = Field(
        default="text", description="code: the answer is a program, not a value"
    )
    verifier: Slug | None = Field(
        default=None, description="key of a verifier in workers.core.benchmarks; None: not judged"
    )
    metadata: dict[str, Any] = Field(
        default_factory=dict,
        description="what the verifier needs besides the reference: tests, choices, tolerance",
    )


class Budget(Spec):
    """Limits of one run. Tokens are prompt + completion over all calls of the run. One reply has
    at most `max_completion_tokens_per_call`, and at most half of its endpoint's context."""

    max_tokens: int = Field(default=60_000, ge=1)
    max_cost: float | None = Field(default=None, ge=0, le=1e6)
    max_seconds: float = Field(default=300.0, gt=0)
    max_completion_tokens_per_call: int = Field(default=REPLY_TOKENS, ge=1)


class SystemBudget(Budget):
    """Limits of one system among the many that a training samples or an evaluation runs. It waits
    for the endpoint with all the others, which says nothing about its worth: hence a day."""

    max_seconds: float = Field(default=86_400.0, gt=0)


class TrainingBudget(Spec):
    """Limits of a whole training job, over all its calls; None is no limit. Cost in USD."""

    max_tokens: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, ge=0, le=1e6)


class AgentNode(Spec):
    """An agent of a graph: which role it plays. `endpoint` overrides the run's endpoint by key.

    `round`: the same speaker speaks in several, as one agent of its role in each; None: once.
    """

    id: AgentId
    role: RoleSpec
    endpoint: Slug | None = None
    round: int | None = Field(default=None, ge=1)


class Edge(Spec):
    """`target` reads the message of `source`."""

    source: AgentId
    target: AgentId


class GraphSpec(Spec):
    """Agents and who reads whom; always acyclic."""

    nodes: tuple[AgentNode, ...] = ()
    edges: tuple[Edge, ...] = ()

    @model_validator(mode="after")
    def _is_a_dag_over_its_nodes(self) -> GraphSpec:
        ids = [node.id for node in self.nodes]
        if len(set(ids)) != len(ids):
            raise ValueError("agent ids must be unique in a graph")
        known = set(ids)
        waiting: dict[str, set[str]] = {agent_id: set() for agent_id in ids}
        for edge in self.edges:
            unknown = {edge.source, edge.target} - known
            if unknown:
                raise ValueError(f"an edge names an unknown agent: {', '.join(sorted(unknown))}")
            waiting[edge.target].add(edge.source)
        done: set[str] = set()
        while ready := [a for a, sources in waiting.items() if a not in done and sources <= done]:
            done.update(ready)
        if len(done) != len(ids):
            raise ValueError(f"the graph has a cycle through: {', '.join(sorted(known - done))}")
        return self


class SubtaskSpec(Spec):
    """A part of a query. `depends_on`: subtasks whose answers it needs. `reference`: its right
    answer, where the data set knows it."""

    id: AgentId
    text: str = Field(min_length=1, max_length=QUERY_MAX_CHARS)
    depends_on: tuple[AgentId, ...] = ()
    reference: str | None = None


class TaskGraphSpec(Spec):
    """What ReSo's f_task makes of a query: subtasks, each after all that it depends on."""

    subtasks: tuple[SubtaskSpec, ...] = Field(min_length=1, max_length=50)

    @model_validator(mode="after")
    def _is_in_order(self) -> TaskGraphSpec:
        known: set[str] = set()
        ids = {subtask.id for subtask in self.subtasks}
        for subtask in self.subtasks:
            if subtask.id in known:
                raise ValueError(f"two subtasks have the id “{subtask.id}”")
            for needed in subtask.depends_on:
                if needed not in ids:
                    raise ValueError(f"“{subtask.id}” depends on “{needed}”, which is no subtask")
                if needed not in known:
                    raise ValueError(
                        f"“{subtask.id}” depends on “{needed}”, which comes after it or is itself"
                    )
            known.add(subtask.id)
        return self


class Usage(Spec):
    """Tokens and cost (USD). None is unknown and stays unknown when summed, never 0."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None

    @staticmethod
    def zero() -> Usage:
        return Usage(prompt_tokens=0, completion_tokens=0, cost=0.0)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt_tokens=_sum(self.prompt_tokens, other.prompt_tokens),
            completion_tokens=_sum(self.completion_tokens, other.completion_tokens),
            cost=_sum(self.cost, other.cost),
        )


def _sum(left: N | None, right: N | None) -> N | None:
    return None if left is None or right is None else left + right


class ToolSpent(Spec):
    """What a run used of one tool: calls, seconds at work, bytes over the network."""

    calls: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0)
    fetched: int = Field(default=0, ge=0)

    def __add__(self, other: ToolSpent) -> ToolSpent:
        return ToolSpent(
            calls=self.calls + other.calls,
            seconds=self.seconds + other.seconds,
            fetched=self.fetched + other.fetched,
        )


class AttemptSpent(Spec):
    """What attempts of a run used whose worker was lost, as far as their traces show: tokens, USD,
    seconds at work, tools by key. `unknown` counts agents and planners whose tokens the traces
    lack."""

    tokens: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0)
    seconds: float = Field(default=0.0, ge=0)
    unknown: int = Field(default=0, ge=0)
    tools: dict[Slug, ToolSpent] = Field(default_factory=dict)

    def __add__(self, other: AttemptSpent) -> AttemptSpent:
        both = {*self.tools, *other.tools}
        none = ToolSpent()
        return AttemptSpent(
            tokens=self.tokens + other.tokens,
            cost=self.cost + other.cost,
            seconds=self.seconds + other.seconds,
            unknown=self.unknown + other.unknown,
            tools={key: self.tools.get(key, none) + other.tools.get(key, none) for key in both},
        )


class Earlier(Spec):
    """What a lost attempt of a run had finished: its stored `events`, from `run_started` to the
    last one that settles what came before it (`core.events.base.Settles`)."""

    attempt: int = Field(ge=1)
    events: tuple[dict[str, Any], ...] = Field(min_length=2)


class Source(Spec):
    """A page or file that a tool read. The `title` is its own word, as one line."""

    title: str = ""
    address: str = Field(
        default="",
        description="of a page, a path for one of the studio's own; empty: a file of the task",
    )


class FailedTry(Spec):
    """Why an LLM call was made again: the code and the message of what went wrong."""

    code: str
    message: str = ""


class RunControl(Spec):
    """How a person leads a run (`workers.core.mas.control`).

    It stops before each agent of `breakpoints`, and with `step` before every one, unless the agent
    is among `released`; `stepped`: it began so, as a retry of it will. `written` is what a person
    says for an agent. `kept`: stored events of agents whose messages are taken over. `paused_at`:
    when the run stopped (Unix seconds), after `seconds` at work; None: it has not been at work yet.
    """

    breakpoints: tuple[AgentId, ...] = Field(default=(), max_length=500)
    step: bool = False
    stepped: bool = False
    released: tuple[AgentId, ...] = ()
    written: dict[AgentId, str] = Field(default_factory=dict)
    kept: tuple[dict[str, Any], ...] = ()
    paused_at: float | None = None
    seconds: float = Field(default=0.0, ge=0)


class RunSpec(Spec):
    """Everything needed to execute a run again: stored with the run, never looked up again."""

    task: TaskSpec
    method: Slug
    method_config: dict[str, Any] = Field(default_factory=dict)
    endpoint: EndpointSpec
    endpoints: tuple[EndpointSpec, ...] = Field(
        default=(), description="further endpoints that agents may name by key"
    )
    pool: PoolSpec | None = None
    profiles: tuple[OwnProfile, ...] = ()
    checkpoint: str | None = None
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    budget: Budget = Budget()
    stream: bool = True
    control: RunControl | None = Field(
        default=None, description="None: no person can lead the run or be asked"
    )
    spent: AttemptSpent = Field(
        default=AttemptSpent(),
        description="what lost attempts used; the budget includes it",
    )
    earlier: Earlier | None = Field(
        default=None, description="what a lost attempt had finished, to be taken over"
    )
