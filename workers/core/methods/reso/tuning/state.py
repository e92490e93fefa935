"""The state that a tuning resumes from: the adapter, the optimiser's moments and counters, in one
write.

Legend of tensor names: adapter.* · adam.<parameter>.<moment>.
"""

from pathlib import Path

from workers.core.checkpoints import load, save
from workers.core.methods.reso.config import METHOD_KEY
from workers.core.methods.reso.tuning.learner import Learner
from workers.core.rl.moments import load_moments, moments, part
from workers.core.training.resumable import (
    STATE_FOLDER,
    Progress,
    reading_state,
    state_info,
    writing_state,
)
from workers.core.weights.adapters import put_tensors, tensors_of


def save_state(folder: Path, learner: Learner, progress: Progress, *, seed: int) -> None:
    """Raises MethodError if it can't be written; the state saved before stays whole."""
    tensors = {f"adapter.{name}": tensor for name, tensor in tensors_of(learner.model).items()}
    tensors |= moments("adam", learner.optimiser)
    with writing_state():
        save(folder / STATE_FOLDER, tensors, state_info(METHOD_KEY, progress, seed=seed))


def load_state(folder: Path, learner: Learner) -> Progress | None:
    """Put the learner where it was; None if nothing was saved. Raises MethodError if the state
    can't be used."""
    if not (folder / STATE_FOLDER).is_dir():
        return None
    with reading_state():
        info, tensors = load(folder / STATE_FOLDER, method=METHOD_KEY)
        progress = Progress.model_validate(info.recipe)
        put_tensors(learner.model, part(tensors, "adapter."), folder=folder / STATE_FOLDER)
        load_moments("adam", learner.optimiser, tensors)
    learner.step = progress.step
    return progress
