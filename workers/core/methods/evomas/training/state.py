"""What a training resumes from: adapter, optimiser and counters, in one atomic write.

Legend of tensor names: adapter.* · adam.<parameter>.<moment>
"""

from pathlib import Path

from pydantic import Field

from workers.core.checkpoints import load, save
from workers.core.methods.evomas.config import METHOD_KEY
from workers.core.methods.evomas.training.learner import Learner
from workers.core.rl.moments import load_moments, moments, part
from workers.core.rl.reinforce import RunningMeans
from workers.core.training import resumable
from workers.core.training.resumable import (
    STATE_FOLDER,
    has_state,
    reading_state,
    state_info,
    writing_state,
)


class Progress(resumable.Progress):
    """`baseline`: the moving one. `values`: those of the baseline “progress”, with their counts."""

    baseline: float = 0.0
    values: dict[str, tuple[float, float]] = Field(default_factory=dict)


def save_state(folder: Path, learner: Learner, progress: Progress, *, seed: int) -> None:
    """Raises MethodError if the disk refuses. What was saved before stays complete."""
    tensors = {f"adapter.{name}": tensor for name, tensor in learner.adapter.state_dict().items()}
    tensors |= moments("adam", learner.optimiser)
    with writing_state():
        save(folder / STATE_FOLDER, tensors, state_info(METHOD_KEY, progress, seed=seed))


def load_state(folder: Path, learner: Learner) -> Progress | None:
    """Puts the learner where it was. None if nothing was saved. Raises MethodError for a state that
    can't be used."""
    if not has_state(folder):
        return None
    with reading_state():
        info, tensors = load(folder / STATE_FOLDER, method=METHOD_KEY)
        progress = Progress.model_validate(info.recipe)
        learner.adapter.load_state_dict(part(tensors, "adapter."))
        load_moments("adam", learner.optimiser, tensors)
    learner.step, learner.baseline = progress.step, progress.baseline
    learner.values = RunningMeans(dict(progress.values))
    return progress
