"""A training that is taken up after any of its steps.

A step's state is written together with its events, in one atomic write, and only then are these
yielded; they are yielded again when the training is resumed. So a process that dies in between
loses no step, and who stores each step once doubles none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workers.core.checkpoints import CheckpointError, CheckpointInfo
from workers.core.concurrency import to_its_end
from workers.core.errors import MethodError
from workers.core.events import (
    EVENT_ADAPTER,
    CheckpointSaved,
    Event,
    TrainingEnded,
    TrainingMetric,
)
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded
from workers.core.training.context import TrainingContext

STATE_FOLDER = "state"
"""Below the job's folder."""
CODE_VERSION = "1"
"""Of checkpoints that no studio's training made."""


class Progress(BaseModel):
    """How far a training is. A method may add fields; with defaults, old states stay readable.

    `tasks` and `config` are what it was started with: a resumption with others would be another
    training. `events` are those of the last step, told again on resumption: nobody may have stored
    them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int = Field(default=0, ge=0)
    tokens: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0)
    config: dict[str, Any]
    tasks: str
    events: tuple[dict[str, Any], ...] = ()

    def told(self) -> tuple[Event, ...]:
        return tuple(EVENT_ADAPTER.validate_python(event) for event in self.events)


P = TypeVar("P", bound=Progress)


class ResumableTraining(ABC, Generic[P]):
    """One training in this process. `progress` is that of its last whole step."""

    progress: P

    def __init__(self, context: TrainingContext) -> None:
        self._context = context

    @abstractmethod
    async def step(self) -> Sequence[Event]:
        """Learns one step further and calls `keep`; returns the step's events."""

    @abstractmethod
    def checkpoint(self, step: int, metrics: dict[str, float]) -> CheckpointSaved:
        """Saves what was learned until now. Runs in a thread."""

    @abstractmethod
    def write(self, progress: P) -> None:
        """Writes what a resumption needs, atomically. Runs in a thread."""

    def restore(self) -> None:
        """Puts what learns back to where the last whole step left it."""

    async def close(self) -> None:
        """Ends what was begun beside the step in hand."""

    async def events(self, steps: int) -> AsyncGenerator[Event]:
        """What was told of the last step, then a step after the other until there are `steps`,
        somebody asks to stop, or the job's budget is spent."""
        for event in self.progress.told():
            yield event
        while self.progress.step < steps:
            if (reason := self._context.stop.wanted) is not None:
                await self.close()  # what is under way is paid for: it belongs to this attempt
                yield TrainingEnded(step=self.progress.step, reason=reason)
                return
            try:
                told = await self.step()
            except BudgetExceeded as error:
                await self.close()  # before anything else: it would go on asking
                if error.limit == JOB:
                    for event in await self._paid_for():
                        yield event
                raise
            for event in told:
                yield event
        yield TrainingEnded(step=self.progress.step, reason="completed")

    async def keep(self, events: Sequence[Event], **changes: Any) -> None:
        """Writes the progress with a step's events, and with `changes` of other fields."""
        told = tuple(event.model_dump(mode="json") for event in events)
        progress = self.progress.model_copy(update={"events": told, **changes})
        await to_its_end(self.write, progress)
        self.progress = progress

    async def _paid_for(self) -> list[Event]:
        """A checkpoint of the last whole step, unless it has one: what the budget has bought. It is
        among the step's events from then on."""
        told = self.progress.told()
        measured = [event for event in told if isinstance(event, TrainingMetric)]
        if not measured or any(isinstance(event, CheckpointSaved) for event in told):
            return []
        await to_its_end(self.restore)  # the step that broke off may have been learned from already
        saved = await to_its_end(self.checkpoint, self.progress.step, measured[0].values)
        await self.keep([*told, saved])
        return [saved]


def require_same(began: Mapping[str, Any], now: Mapping[str, Any], *, same_tasks: bool) -> None:
    """`began`: the settings that the folder's training began with. Raises MethodError where those
    of now are others."""
    others = [name for name, value in began.items() if now.get(name) != value]
    others += [] if same_tasks else ["the tasks"]
    if others:
        raise MethodError(
            code="other_training",
            message=f"The folder's training began with others of: {', '.join(others)}.",
            remedy="Start a new job, or resume with the same tasks and settings.",
        )


def code_version(context: TrainingContext) -> str:
    return str(context.recipe.get("code_version") or CODE_VERSION)


def checkpoint_saved(
    context: TrainingContext,
    step: int,
    metrics: dict[str, float],
    save: Callable[[Path], CheckpointInfo],
) -> CheckpointSaved:
    """`save` writes the checkpoint to a folder. Raises MethodError where the disk refuses."""
    name = f"step-{step:06d}"
    try:
        saved = save(context.folder / "checkpoints" / name)
    except CheckpointError as error:
        raise MethodError(
            code="checkpoint_not_written",
            message=error.message,
            remedy="Free some disk space and resume the job: this step is done again.",
        ) from error
    return CheckpointSaved(step=step, name=name, sha256=saved.sha256, metrics=metrics)


def state_info(method: str, progress: Progress, *, seed: int) -> CheckpointInfo:
    """A state is a checkpoint, whose recipe is the progress."""
    return CheckpointInfo(
        method=method,
        label=f"training state at step {progress.step}",
        trained=True,
        seed=seed,
        code_version=CODE_VERSION,
        recipe=progress.model_dump(mode="json"),
    )


@contextmanager
def writing_state() -> Iterator[None]:
    """Raises MethodError where the disk refuses; what was saved before stays whole."""
    try:
        yield
    except CheckpointError as error:
        raise MethodError(
            code="state_not_written",
            message=error.message,
            remedy="Free some disk space and resume the job: it goes on after its last whole step.",
        ) from error


@contextmanager
def reading_state() -> Iterator[None]:
    """Raises MethodError for a state that cannot be used."""
    try:
        yield
    except (CheckpointError, ValidationError, KeyError, ValueError, RuntimeError) as error:
        raise MethodError(
            code="state_unusable",
            message=f"The training's saved state cannot be used: {error}",
            remedy="Start a new job; its checkpoints can be what it begins with.",
        ) from error
