"""What a method gets to learn, and how others stop it and see its progress."""

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from workers.core.embed.base import Embedder
from workers.core.llm.cache import ResponseCache
from workers.core.llm.types import ChatClient
from workers.core.specs import EndpointSpec, OwnProfile, PoolSpec, SystemBudget
from workers.core.tools.toolbox import Toolbox
from workers.core.training.traces import Trace


@dataclass(slots=True)
class StopSwitch:
    """Asks a training to stop after its current step. `broken_off`: its task is cancelled, and what
    its threads wait for or compute is of no use: the step is repeated if the training is resumed.
    Both may be set from any thread."""

    wanted: Literal["paused", "cancelled"] | None = None
    broken_off: threading.Event = field(default_factory=threading.Event)


@dataclass(slots=True)
class Pulse:
    """The done share of the current step, 0..1. A method may report it, and people see it."""

    share: float = 0.0


UNASKED = EndpointSpec(key="none", base_url="http://127.0.0.1:9/v1", model="none")
"""The endpoint of a training that asks none."""


@dataclass(frozen=True, slots=True)
class TrainingContext:
    """Everything a method may touch while it learns.

    `llm` keeps the job's budget. Once it is spent, it raises BudgetExceeded with limit `job`, which
    `train` must not catch. `folder` is the job's own: it has the state that `train` resumes from
    (written before each step's events are yielded) and, below `checkpoints/`, what it saves.
    `start_from` is the folder of the first checkpoint; None starts untrained. `endpoints` are
    further endpoints, by key, that the config names; `checkpoints` is the folder of checkpoints
    that it may name. `profiles`: prompts and memories of the database's agents. `traces`: right
    runs on the tasks, for a config that reads them (`ReadsRuns`). `per_system` is what one system
    may spend. `cache` keeps answers at temperature 0; None keeps them in memory. `toolbox` opens
    the tools of each system.
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
    traces: tuple[Trace, ...] = ()
    checkpoints: Path | None = None
    per_system: SystemBudget = field(default_factory=SystemBudget)
    cache: ResponseCache | None = None
    toolbox: Toolbox | None = None
    stop: StopSwitch = field(default_factory=StopSwitch)
    pulse: Pulse = field(default_factory=Pulse)
    vllm_urls: tuple[str, ...] = ()
    ranks: int = 1
    recipe: dict[str, Any] = field(default_factory=dict)
