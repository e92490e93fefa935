"""A training that can resume after any of its steps.

A step's state is written together with its events, in one atomic write. Only then are the events
yielded, and again when the training resumes. So a process that dies in between loses no step, and a
reader that stores each step once has none twice.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workers.core.checkpoints import CONFIG_NAME, CheckpointError, CheckpointInfo
from workers.core.concurrency import to_its_end
from workers.core.errors import MethodError
from workers.core.events import (
    EVENT_ADAPTER,
    CheckpointSaved,
    Event,
    TrainingEnded,
    TrainingMetric,
)
from workers.core.llm.meter import Meter
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded
from workers.core.training.context import TrainingContext
from workers.core.weights.fingerprint import Fingerprint, require_same_base

STATE_FOLDER = "state"
"""Name of the state's folder below the job's folder."""
CODE_VERSION = "1"
"""Version in checkpoints that were not made by a studio's training."""


class Progress(BaseModel):
    """The progress of a training. A method may add fields. With defaults, old states stay readable.

    `tasks` and `config` are those of its start: with others it would be a different training.
    `events` are those of the last step. They are yielded again on resumption, because they may not
    have been stored. `base`: of the language model that is trained. None: there is none, or the
    state is of before it was recorded.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int = Field(default=0, ge=0)
    tokens: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0)
    config: dict[str, Any]
    tasks: str
    events: tuple[dict[str, Any], ...] = ()
    base: Fingerprint | None = None

    def told(self) -> tuple[Event, ...]:
        return tuple(EVENT_ADAPTER.validate_python(event) for event in self.events)


P = TypeVar("P", bound=Progress)


class ResumableTraining(ABC, Generic[P]):
    """One training in this process. `progress` is that of its last complete step."""

    progress: P

    def __init__(self, context: TrainingContext) -> None:
        self._context = context

    @abstractmethod
    async def step(self) -> Sequence[Event]:
        """Learn one more step, call `keep`, and return the step's events."""

    @abstractmethod
    def checkpoint(self, step: int, metrics: dict[str, float]) -> CheckpointSaved:
        """Save what is learned so far. Runs in a thread."""

    @abstractmethod
    def write(self, progress: P) -> None:
        """Write what a resumption needs, atomically. Runs in a thread."""

    def restore(self) -> None:
        """Restore the learner's state after the last complete step."""

    async def close(self) -> None:
        """End work that was started beside the current step."""

    async def events(self, steps: int) -> AsyncGenerator[Event]:
        """The events of the last step, then step after step until `steps` are done, a stop is
        requested, or the job's budget is spent."""
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
                await self.close()  # first of all, or it would keep asking
                if error.limit == JOB:
                    for event in await self._paid_for():
                        yield event
                raise
            for event in told:
                yield event
        yield TrainingEnded(step=self.progress.step, reason="completed")

    def spent_with(self, meter: Meter) -> tuple[int, float]:
        """Tokens and cost so far, with those of the meter, which starts again."""
        tokens, cost = self.progress.tokens + meter.tokens, self.progress.cost + meter.cost
        meter.restart()
        return tokens, cost

    async def keep(self, events: Sequence[Event], **changes: Any) -> None:
        """Write the progress with a step's events, and with `changes` of other fields."""
        told = tuple(event.model_dump(mode="json") for event in events)
        progress = self.progress.model_copy(update={"events": told, **changes})

        def write() -> None:
            self.write(progress)
            self.progress = progress  # also where this is cancelled meanwhile

        await to_its_end(write)

    async def _paid_for(self) -> list[Event]:
        """A checkpoint of the last complete step, unless it has one, so the spent budget is not
        lost. From then on it is among the step's events."""
        told = self.progress.told()
        measured = [event for event in told if isinstance(event, TrainingMetric)]
        if not measured or any(isinstance(event, CheckpointSaved) for event in told):
            return []
        await to_its_end(self.restore)  # the step that broke off may have been learned from already
        saved = await to_its_end(self.checkpoint, self.progress.step, measured[0].values)
        await self.keep([*told, saved])
        return [saved]


def require_same(began: Mapping[str, Any], now: Mapping[str, Any], *, same_tasks: bool) -> None:
    """`began`: the settings with which the folder's training began. Raises MethodError if the
    current ones differ."""
    others = [name for name, value in began.items() if now.get(name) != value]
    others += [] if same_tasks else ["the tasks"]
    if others:
        raise MethodError(
            code="other_training",
            message=(
                f"The training in this folder began with different values of: {', '.join(others)}."
            ),
            remedy="Start a new training, or resume with the same tasks and settings.",
        )


def require_model(began: Progress, now: Fingerprint | None, *, model: str) -> None:
    """Raises MethodError if the training began on another model of this name."""
    if began.base is not None and now is not None:
        require_same_base("The training in this folder", model, began.base, now)


def code_version(context: TrainingContext) -> str:
    return str(context.recipe.get("code_version") or CODE_VERSION)


def checkpoint_saved(
    context: TrainingContext,
    step: int,
    metrics: dict[str, float],
    save: Callable[[Path], CheckpointInfo],
) -> CheckpointSaved:
    """`save` writes the checkpoint to a folder. Raises MethodError if the disk refuses."""
    name = f"step-{step:06d}"
    try:
        saved = save(context.folder / "checkpoints" / name)
    except CheckpointError as error:
        raise MethodError(
            code="checkpoint_not_written",
            message=error.message,
            remedy="Free some disk space and resume the training. It repeats this step.",
        ) from error
    return CheckpointSaved(step=step, name=name, sha256=saved.sha256, metrics=metrics)


def state_info(method: str, progress: Progress, *, seed: int) -> CheckpointInfo:
    """A state is a checkpoint with the progress as its recipe."""
    return CheckpointInfo(
        method=method,
        label=f"training state at step {progress.step}",
        trained=True,
        seed=seed,
        code_version=CODE_VERSION,
        recipe=progress.model_dump(mode="json"),
    )


def has_state(folder: Path) -> bool:
    """Whether the job's folder has a whole state. The first one may have broken off on its way."""
    return (folder / STATE_FOLDER / CONFIG_NAME).is_file()


@contextmanager
def writing_state() -> Iterator[None]:
    """Raises MethodError if the disk refuses. What was saved before stays complete."""
    try:
        yield
    except CheckpointError as error:
        raise MethodError(
            code="state_not_written",
            message=error.message,
            remedy=(
                "Free some disk space and resume the training. It continues after its last "
                "complete step."
            ),
        ) from error


@contextmanager
def reading_state() -> Iterator[None]:
    """Raises MethodError for a state that can't be used."""
    try:
        yield
    except (CheckpointError, ValidationError, KeyError, ValueError, RuntimeError) as error:
        raise MethodError(
            code="state_unusable",
            message=f"The training's saved state can't be used: {error}",
            remedy="Start a new training. It can start from one of this training's checkpoints.",
        ) from error
