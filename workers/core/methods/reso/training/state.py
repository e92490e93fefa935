"""What a training resumes from: the agents' profiles and its counters, in one atomic write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workers.core.checkpoints import CheckpointError, CheckpointInfo
from workers.core.methods.base import MethodError
from workers.core.methods.reso.config import METHOD_KEY
from workers.core.methods.reso.database import AgentKey, Statistics
from workers.core.methods.reso.profiles import load_profiles, save_profiles

STATE_FOLDER = "state"


class Progress(BaseModel):
    """How far a training is. `tasks` and `config` are what it was started with: a resumption with
    others would be another training. `events` are those of the last step, told again on resumption:
    nobody may have stored them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int = Field(default=0, ge=0)
    tokens: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0)
    config: dict[str, Any]
    tasks: str
    events: tuple[dict[str, Any], ...] = ()


def save_state(
    folder: Path,
    profiles: Mapping[AgentKey, Statistics],
    progress: Progress,
    *,
    seed: int,
    code_version: str,
) -> None:
    """Raises MethodError when the disk refuses; what was saved before stays whole."""
    info = CheckpointInfo(
        method=METHOD_KEY,
        label=f"training state at step {progress.step}",
        trained=True,
        seed=seed,
        code_version=code_version,
        recipe=progress.model_dump(mode="json"),
    )
    try:
        save_profiles(folder / STATE_FOLDER, profiles, info)
    except CheckpointError as error:
        raise MethodError(
            code="state_not_written",
            message=error.message,
            remedy="Free some disk space and resume the job: it goes on after its last whole step.",
        ) from error


def load_state(folder: Path) -> tuple[Progress, dict[AgentKey, Statistics]] | None:
    """None when nothing was saved. Raises MethodError for a state that cannot be used."""
    if not (folder / STATE_FOLDER).is_dir():
        return None
    try:
        info, profiles = load_profiles(folder / STATE_FOLDER)
        return Progress.model_validate(info.recipe), profiles
    except (CheckpointError, ValidationError) as error:
        raise MethodError(
            code="state_unusable",
            message=f"The training's saved state cannot be used: {error}",
            remedy="Start a new job; its checkpoints can be what it begins with.",
        ) from error
