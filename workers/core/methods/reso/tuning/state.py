"""What a tuning resumes from: the adapter, the optimiser's moments and counters, in one write.

Legend of tensor names: adapter.* · adam.<parameter>.<moment>.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workers.core.checkpoints import CheckpointError, CheckpointInfo, load, save
from workers.core.methods.base import MethodError
from workers.core.methods.reso.config import METHOD_KEY
from workers.core.methods.reso.tuning.adapters import put_tensors, tensors_of
from workers.core.methods.reso.tuning.learner import Learner
from workers.core.rl.moments import load_moments, moments, part

STATE_FOLDER = "state"
CODE_VERSION = "1"
"""Of checkpoints that no studio's training made."""


class Progress(BaseModel):
    """How far a tuning is. `tasks` and `config` are what it was started with: a resumption with
    others would be another tuning. `events` are those of the last step, told again on resumption:
    nobody may have stored them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int = Field(ge=0)
    config: dict[str, Any]
    tasks: str
    events: tuple[dict[str, Any], ...] = ()


def save_state(folder: Path, learner: Learner, progress: Progress, *, seed: int) -> None:
    """Raises MethodError when the disk refuses; what was saved before stays whole."""
    tensors = {f"adapter.{name}": tensor for name, tensor in tensors_of(learner.model).items()}
    tensors |= moments("adam", learner.optimiser)
    info = CheckpointInfo(
        method=METHOD_KEY,
        label=f"tuning state at step {progress.step}",
        trained=True,
        seed=seed,
        code_version=CODE_VERSION,
        recipe=progress.model_dump(mode="json"),
    )
    try:
        save(folder / STATE_FOLDER, tensors, info)
    except CheckpointError as error:
        raise MethodError(
            code="state_not_written",
            message=error.message,
            remedy="Free some disk space and resume the job: it goes on after its last whole step.",
        ) from error


def load_state(folder: Path, learner: Learner) -> Progress | None:
    """Puts the learner where it was; None when nothing was saved. Raises MethodError for a state
    that cannot be used."""
    if not (folder / STATE_FOLDER).is_dir():
        return None
    try:
        info, tensors = load(folder / STATE_FOLDER, method=METHOD_KEY)
        progress = Progress.model_validate(info.recipe)
        put_tensors(learner.model, part(tensors, "adapter."), folder=folder / STATE_FOLDER)
        load_moments("adam", learner.optimiser, tensors)
    except (CheckpointError, ValidationError, KeyError, ValueError) as error:
        raise MethodError(
            code="state_unusable",
            message=f"The tuning's saved state cannot be used: {error}",
            remedy="Start a new job; its checkpoints can be what it begins with.",
        ) from error
    learner.step = progress.step
    return progress
