"""Defines what every method implements, and what it gets."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from workers.core.checkpoints import CheckpointInfo
from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.plans import Plan
from workers.core.rollouts.memory import Estimate
from workers.core.specs import AnswerForm, GraphSpec, PoolSpec, RoleSpec, TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.metrics import MetricSpec

Options = Mapping[str, Any]
"""A method's config as stored in a run, an arm or a sample."""


class Method(Protocol):
    """How a query becomes an answer.

    `solve` yields the events between `run_started` and the terminal event. The last
    `IntermediateAnswer` it yields is the run's answer, and its `agent_id` names the agent whose
    message is shown with it. What should fail the run is raised: `MethodError`, `LLMError` or
    `BudgetExceeded`; `workers.core.run` turns it into `run_failed`.
    """

    key: str
    name: str
    description: str
    source: str
    needs_pool: bool
    learns: bool
    config_schema: type[Any]

    def solve(self, task: TaskSpec, context: MethodContext) -> AsyncIterator[Event]: ...


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first checkpoint of a training, by the label of an earlier one of its sweep. `settings`
    name further ones in the config."""

    start_from: str
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Replayed:
    """What the training called `label` learned, in runs with other options."""

    label: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sweep:
    """Trainings that differ in the `values` that they set over the preset, by label. Those in
    `begins` come after the ones that they begin with. `replayed` are further arms of the
    evaluation, which take no training."""

    preset: str
    values: Mapping[str, Mapping[str, Any]]
    begins: Mapping[str, Beginning] = field(default_factory=dict)
    replayed: Mapping[str, Replayed] = field(default_factory=dict)


@runtime_checkable
class NamesEndpoints(Protocol):
    """A method's config that names further endpoints. They are looked up, stored with the run or
    training, and passed to it in its context."""

    def named_endpoints(self) -> tuple[str, ...]: ...


@runtime_checkable
class AsksProfiles(Protocol):
    """A method's config whose agents are those of the agent database. Their prompts and memories
    are looked up, stored with the run or training, and passed to it in its context."""

    def agents_on(self) -> tuple[str, ...]:
        """The keys of their endpoints, besides the run's own."""
        ...


@runtime_checkable
class NamesCheckpoints(Protocol):
    """A method's config that names checkpoints besides the one to start from. They must exist, and
    can't be deleted while a training names them."""

    def named_checkpoints(self) -> tuple[str, ...]: ...


@runtime_checkable
class BeginsUntrained(Protocol):
    """A method whose runs need a checkpoint even if none has been trained."""

    def untrained(self, checkpoints: Path) -> Path:
        """The folder of its untrained checkpoint below that of all checkpoints, written if needed.
        May take seconds."""
        ...


@runtime_checkable
class ReadsRuns(Protocol):
    """A training's config that may show what agents said in runs. Those of its method on its tasks
    that were right are looked up when the training begins, and stay the same."""

    def reads_runs(self) -> bool: ...

    def shown_runs(self) -> Mapping[str, Any]:
        """Options of the method that a run must have had to be shown."""
        ...


@runtime_checkable
class ReadsSingleReplies(ReadsRuns, Protocol):
    """A training's config that may also show right runs of other methods in which one agent gave
    the only reply."""

    def reads_single_replies(self) -> bool: ...


@runtime_checkable
class CountsSteps(Protocol):
    """A training's config that knows its number of steps; 0: unknown in advance."""

    def total_steps(self) -> int: ...


@runtime_checkable
class BeginsOtherwise(Protocol):
    """A training's config whose first steps are of another kind than the rest. Their pace says
    nothing about the time left."""

    def first_steps(self) -> int:
        """How many there are; 0: all steps are of one kind."""
        ...


@runtime_checkable
class ChoosesCheckpoints(Protocol):
    """A method with some checkpoints that are not for runs."""

    def runs_with(self, checkpoint: CheckpointInfo) -> bool: ...


@runtime_checkable
class OffersTools(Protocol):
    """A method whose agents may use tools other than those of its pool's roles."""

    def tools(self, options: Options, pool: PoolSpec | None) -> Iterable[str]: ...


@runtime_checkable
class LimitsReplies(Protocol):
    """A method with a default of its own for the length of one reply. It stands in the budget of
    the run, the arm or the training, so it is no hidden limit."""

    small_reply_tokens: int
    """The default limit for one reply of a small model."""


@runtime_checkable
class SamplesByPlan(Protocol):
    """A method whose agents do not all sample at temperature 0. A design of its graph also needs
    the plan to ask the same."""

    def plan(self, options: Options, graph: GraphSpec) -> Plan:
        """Raises ValidationError for options of another version."""
        ...


@dataclass(frozen=True, slots=True)
class Departure:
    """Why a design of the method's graph may ask or answer differently from the method."""

    code: str
    message: str


@runtime_checkable
class DepartsAsDesign(Protocol):
    """A method that does something a design can't do."""

    def departures(
        self, options: Options, answer_form: AnswerForm, answer: str | None
    ) -> Iterable[Departure]: ...


@runtime_checkable
class TellsMetrics(Protocol):
    """A method that names the metrics of its trainings, in the order in which people should read
    them."""

    metrics: tuple[MetricSpec, ...]


@runtime_checkable
class SelectsRoles(Protocol):
    """A method whose trainings tell how likely each role was to be chosen
    (`TrainingMetric.selections`)."""

    def selectable(self, options: Options, pool: PoolSpec | None) -> tuple[RoleSpec, ...]:
        """The roles that it chooses from, in order. Raises ValidationError for options of another
        version."""
        ...


@runtime_checkable
class TellsMemory(Protocol):
    """A method that says how much memory a training takes."""

    def memory(self, options: Options) -> Estimate | None:
        """By the training's whole config. None: not known before it starts."""
        ...


@dataclass(frozen=True, slots=True)
class TrainableTeam:
    """Who can be trained on some tasks. `environment` and `name`: the key and the name of what
    they play. `preset`: the one for a language model."""

    environment: str
    name: str
    agents: tuple[str, ...]
    preset: str


@runtime_checkable
class TrainsTeams(Protocol):
    """A method whose trainings need tasks that its team can play and that reward it."""

    def team_for(self, tasks: Sequence[TaskSpec]) -> TrainableTeam:
        """Raises MethodError: there is no team for the tasks, or something lacks for rewards."""
        ...


@runtime_checkable
class KeepsAgents(Protocol):
    """A method with some checkpoints that are agent databases. They can be searched, compared and
    restored."""

    key: str
    name: str

    def holds_agents(self, checkpoint: CheckpointInfo) -> bool: ...


@runtime_checkable
class WritesAdapter(Protocol):
    """A method with some checkpoints that other programs can load."""

    def write_adapter(self, checkpoint: Path, target: Path) -> None:
        """Write an ordinary PEFT adapter, which servers such as vLLM load beside its model, or a
        model if all weights were trained. Several have a folder each below `target`. Raises
        MethodError for a checkpoint without one, and OSError if the disk refuses."""
        ...


@runtime_checkable
class AsksOwnModels(Protocol):
    """A method with checkpoints that are language models. Its runs ask them by name at their
    endpoint: `CHECKPOINT:POLICY`, as the studio's own server calls them. Its trainings ask no
    endpoint, but change the `model` of their config."""

    def asks_own_models(self, checkpoint: CheckpointInfo) -> bool: ...


class LearningMethod(Method, Protocol):
    """A method with weights. `presets` are named training configurations, the default first.
    `sweeps` are variations that show what each of its parts does.

    `train` yields a `TrainingMetric` per step (from 1, without gaps or repeats, also over a
    resumption), some `TrainingSample`s, a `CheckpointSaved` now and then and after the last step,
    and at the end one `TrainingEnded`. Started again with the same folder, it continues where it
    was. Only the events of the last step may come twice, unchanged, if the process died between
    writing its state and storing them. Raises MethodError for what a person must fix (dead
    endpoint, full disk, no tasks), and BudgetExceeded once the job's budget is spent. Then only the
    current step is lost and a later start continues. Before that it yields a checkpoint of the last
    complete step, with all that the budget paid for.
    """

    training_schema: type[Any]
    presets: dict[str, dict[str, Any]]
    sweeps: dict[str, Sweep]

    def train(
        self, tasks: Sequence[TaskSpec], context: TrainingContext
    ) -> AsyncIterator[Event]: ...
