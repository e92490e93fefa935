"""The state that a training resumes from: the agents' profiles and its counters, in one atomic
write."""

from collections.abc import Mapping
from pathlib import Path

from workers.core.agents.database import AgentKey, Statistics
from workers.core.agents.kept import load_profiles, save_profiles
from workers.core.methods.reso.config import METHOD_KEY
from workers.core.training.resumable import (
    STATE_FOLDER,
    Progress,
    has_state,
    reading_state,
    state_info,
    writing_state,
)


def save_state(
    folder: Path, profiles: Mapping[AgentKey, Statistics], progress: Progress, *, seed: int
) -> None:
    """Raises MethodError if it can't be written; the state saved before stays whole."""
    with writing_state():
        info = state_info(METHOD_KEY, progress, seed=seed)
        save_profiles(folder / STATE_FOLDER, profiles, info)


def load_state(folder: Path) -> tuple[Progress, dict[AgentKey, Statistics]] | None:
    """None if nothing was saved. Raises MethodError if the state can't be used."""
    if not has_state(folder):
        return None
    with reading_state():
        info, profiles = load_profiles(folder / STATE_FOLDER, method=METHOD_KEY)
        return Progress.model_validate(info.recipe), profiles
