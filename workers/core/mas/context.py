"""What a method is given to solve one task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workers.core.embed.base import Embedder
from workers.core.events import Event
from workers.core.llm.types import ChatClient
from workers.core.mas.control import Control
from workers.core.specs import AnswerForm, Budget, EndpointSpec, OwnProfile, PoolSpec
from workers.core.tools.base import Tool
from workers.core.tools.registry import TOOLS


@dataclass(frozen=True, slots=True)
class MethodContext:
    """Everything a method may touch while it solves one task.

    `llm` is already bound to the run's budget: it raises `BudgetExceeded` by itself. `embedder` is
    None for methods that need none. `checkpoint` is a folder (safetensors + JSON) or None.
    `endpoints` are further endpoints, by key, that a graph's agents may name. `profiles`: prompts
    and memories of the database's agents. `answer_form` is the task's: agents of a code task answer
    with a program, which must define the `entry_points`. `control`: a person leads the run; methods
    with a drawn graph follow it. `tools`: those of the registry, opened for the run. `earlier`: the
    method's events of a lost attempt, up to the last one that `Settles`; the method continues after
    it and does not yield them again. `seconds_used`: what lost attempts used of the budget's.
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
    tools: Mapping[str, Tool] = field(default_factory=lambda: TOOLS)
    earlier: Sequence[Event] = ()
    seconds_used: float = 0.0
