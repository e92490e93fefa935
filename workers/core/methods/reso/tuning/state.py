"""The state that a tuning resumes from: the adapter, the optimiser's moments and counters, in one
write.

Legend of tensor names: adapter.* · adam.<moment>.<parameter>.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from torch import Tensor

from workers.core.checkpoints import load, save
from workers.core.methods.reso.config import METHOD_KEY
from workers.core.methods.reso.tuning.learner import Learner
from workers.core.rl.moments import part
from workers.core.training.resumable import (
    STATE_FOLDER,
    Progress,
    has_state,
    reading_state,
    state_info,
    writing_state,
)


def save_state(folder: Path, learner: Learner, progress: Progress, *, seed: int) -> None:
    """Raises MethodError if it can't be written; the state saved before stays whole."""
    tensors = {f"adapter.{name}": tensor for name, tensor in learner.tensors().items()}
    tensors |= {f"adam.{name}": tensor for name, tensor in learner.optimiser.tensors().items()}
    with writing_state():
        save(folder / STATE_FOLDER, tensors, state_info(METHOD_KEY, progress, seed=seed))


def load_state(folder: Path, learner: Learner) -> Progress | None:
    """Put the learner where it was; None if nothing was saved. Raises MethodError if the state
    can't be used."""
    if not has_state(folder):
        return None
    with reading_state():
        info, tensors = load(folder / STATE_FOLDER, method=METHOD_KEY)
        progress = Progress.model_validate(info.recipe)
        learner.put(part(tensors, "adapter."), folder=folder / STATE_FOLDER)
        learner.optimiser.put(_named(part(tensors, "adam."), list(learner.optimiser.learned)))
    learner.step = progress.step
    return progress


def _named(moments: Mapping[str, Tensor], names: Sequence[str]) -> dict[str, Tensor]:
    """States of before 2026-12 have <number of the parameter>.<moment>."""
    found = {}
    for key, tensor in moments.items():
        number, _, moment = key.partition(".")
        found[f"{moment}.{names[int(number)]}" if number.isdigit() else key] = tensor
    return found
