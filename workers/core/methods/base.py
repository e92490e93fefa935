"""What every method implements, and what it is given."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from workers.core.checkpoints import CheckpointInfo
from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.plans import Plan
from workers.core.specs import AnswerForm, GraphSpec, PoolSpec, TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.metrics import MetricSpec

Options = Mapping[str, Any]
"""A method's config as a run, an arm or a sample holds it."""


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
class Sweep:
    """Trainings that differ in what `values` sets over the preset, by label."""

    preset: str
    values: Mapping[str, Mapping[str, Any]]


@runtime_checkable
class NamesEndpoints(Protocol):
    """A method's config that names endpoints beside the run's own: they are looked up, stored with
    the run or training, and given to it in its context."""

    def named_endpoints(self) -> tuple[str, ...]: ...


@runtime_checkable
class AsksProfiles(Protocol):
    """A method's config under which its agents are those of the agent database: what they have
    beside their roles is looked up, stored with the run or training, and given to it in its
    context."""

    def agents_on(self) -> tuple[str, ...]:
        """The endpoints that they are on, by key, beside the run's own."""
        ...


@runtime_checkable
class NamesCheckpoints(Protocol):
    """A method's config that names checkpoints beside the one that is begun with: they are there,
    and stay, while a training names them."""

    def named_checkpoints(self) -> tuple[str, ...]: ...


@runtime_checkable
class BeginsUntrained(Protocol):
    """A method whose runs need a checkpoint also where nobody has trained one."""

    def untrained(self, checkpoints: Path) -> Path:
        """Its folder below that of all checkpoints, written when needed. May take seconds."""
        ...


@runtime_checkable
class CountsSteps(Protocol):
    """A training's config that says how many steps there will be; 0: nobody knows before."""

    def total_steps(self) -> int: ...


@runtime_checkable
class ChoosesCheckpoints(Protocol):
    """A method of whose checkpoints some are not for runs."""

    def runs_with(self, checkpoint: CheckpointInfo) -> bool: ...


@runtime_checkable
class OffersTools(Protocol):
    """A method whose agents may use other tools than those of all roles of its pool."""

    def tools(self, options: Options, pool: PoolSpec | None) -> Iterable[str]: ...


@runtime_checkable
class SamplesByPlan(Protocol):
    """A method whose agents do not all sample at temperature 0: a design of its graph needs the
    plan, too, to ask the same."""

    def plan(self, options: Options, graph: GraphSpec) -> Plan:
        """Raises ValidationError for options of another version."""
        ...


@dataclass(frozen=True, slots=True)
class Departure:
    """Why a design of the method's graph may ask or answer otherwise than the method did."""

    code: str
    message: str


@runtime_checkable
class DepartsAsDesign(Protocol):
    """A method that does what a design cannot."""

    def departures(
        self, options: Options, answer_form: AnswerForm, answer: str | None
    ) -> Iterable[Departure]: ...


@runtime_checkable
class TellsMetrics(Protocol):
    """A method that says what the metrics of its trainings are called, in the order in which people
    should read them."""

    metrics: tuple[MetricSpec, ...]


@runtime_checkable
class KeepsAgents(Protocol):
    """A method some of whose checkpoints are agent databases: they can be searched, compared and
    put back."""

    key: str
    name: str

    def holds_agents(self, checkpoint: CheckpointInfo) -> bool: ...


@runtime_checkable
class WritesAdapter(Protocol):
    """A method some of whose checkpoints are LoRA adapters."""

    def write_adapter(self, checkpoint: Path, target: Path) -> None:
        """Writes an ordinary PEFT adapter, for servers such as vLLM to load beside its model.
        Raises MethodError for a checkpoint without one, and OSError where the disk refuses."""
        ...


class LearningMethod(Method, Protocol):
    """A method with weights. `presets` are named training configurations, the default one first;
    `sweeps` what to vary to see what each of its parts does.

    `train` yields a `TrainingMetric` per step (from 1, without gaps or repeats, also over a
    resumption), some `TrainingSample`s, a `CheckpointSaved` now and then and after the last step,
    and at the end one `TrainingEnded`. Started again with the same folder it goes on where it was.
    Only the events of the very last step may come twice, when the process died between writing its
    state and their being stored; they are the same then. Raises MethodError for what a person must
    mend (dead endpoint, full disk, no tasks), and BudgetExceeded once the job's budget is spent:
    nothing but the step under way is lost, a later start goes on, and what the budget has bought is
    in a checkpoint of the last whole step, which is yielded before.
    """

    training_schema: type[Any]
    presets: dict[str, dict[str, Any]]
    sweeps: dict[str, Sweep]

    def train(
        self, tasks: Sequence[TaskSpec], context: TrainingContext
    ) -> AsyncIterator[Event]: ...
