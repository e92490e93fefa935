"""What every method implements, and what it is given."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from workers.core.checkpoints import CheckpointInfo
from workers.core.events import Event
from workers.core.llm.cache import ResponseCache
from workers.core.llm.types import ChatClient
from workers.core.mas.control import Control
from workers.core.specs import (
    AnswerForm,
    Budget,
    EndpointSpec,
    OwnProfile,
    PoolSpec,
    SystemBudget,
    TaskSpec,
)


class Embedder(Protocol):
    """Sentence embeddings, L2-normalised: N texts → float32 (N, D)."""

    dimension: int

    async def embed(self, texts: list[str]) -> NDArray[np.float32]: ...


@dataclass(frozen=True, slots=True)
class MethodContext:
    """Everything a method may touch while it solves one task.

    `llm` is already bound to the run's budget: it raises `BudgetExceeded` by itself. `embedder` is
    None for methods that need none. `checkpoint` is a folder (safetensors + JSON) or None.
    `endpoints` are further endpoints, by key, that a graph's agents may name. `profiles`: what
    agents of the database have of their own. `answer_form` is the task's: agents of a code task
    answer with a program, which has to define the `entry_points`. `control`: a person leads the
    run, which methods follow whose graph a person drew.
    """

    llm: ChatClient
    endpoint: EndpointSpec
    seed: int
    budget: Budget
    pool: PoolSpec | None = None
    embedder: Embedder | None = None
    checkpoint: Path | None = None
    stream: bool = True
    config: dict[str, Any] = field(default_factory=dict)
    endpoints: dict[str, EndpointSpec] = field(default_factory=dict)
    profiles: tuple[OwnProfile, ...] = ()
    answer_form: AnswerForm = "text"
    entry_points: tuple[str, ...] = ()
    control: Control | None = None


@dataclass(slots=True)
class StopSwitch:
    """Asks a training to stop after the step that it is in. May be set from any thread."""

    wanted: Literal["paused", "cancelled"] | None = None


@dataclass(slots=True)
class Pulse:
    """How much of the step in hand is done, 0..1: a method may say so, and people see it."""

    share: float = 0.0


@dataclass(frozen=True, slots=True)
class TrainingContext:
    """Everything a method may touch while it learns.

    `llm` keeps the job's budget: spent, it raises BudgetExceeded with limit `job`, which `train`
    lets through. `folder` is the job's own: it holds the state that `train` resumes from (written
    before each step's events are yielded) and below `checkpoints/` what it saves. `start_from` is a
    checkpoint's folder to begin with; None begins untrained. `endpoints` are further endpoints, by
    key, that the config names, `checkpoints` the folder of those that it may name. `profiles`: what
    agents of the database have of their own. `per_system` is what one system may spend. `cache`
    keeps answers at temperature 0; None keeps them in memory.
    """

    llm: ChatClient
    endpoint: EndpointSpec
    seed: int
    folder: Path
    config: dict[str, Any]
    pool: PoolSpec | None = None
    embedder: Embedder | None = None
    start_from: Path | None = None
    endpoints: dict[str, EndpointSpec] = field(default_factory=dict)
    profiles: tuple[OwnProfile, ...] = ()
    checkpoints: Path | None = None
    per_system: SystemBudget = field(default_factory=SystemBudget)
    cache: ResponseCache | None = None
    stop: StopSwitch = field(default_factory=StopSwitch)
    pulse: Pulse = field(default_factory=Pulse)
    recipe: dict[str, Any] = field(default_factory=dict)


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


class MethodError(Exception):
    """The method cannot go on; the run fails with this cause and way out."""

    def __init__(self, *, code: str, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy
