"""The untrained checkpoint, for runs that name none while no checkpoint is the default."""

from pathlib import Path

from workers.core.checkpoints import CheckpointError, read_info
from workers.core.methods.mashost.config import METHOD_KEY, initial_recipe

INITIAL = "mashost-initial"


def ensure_initial(folder: Path, seed: int = 0) -> Path:
    """The untrained checkpoint below the folder of checkpoints, written if needed.

    Safe to repeat: a complete checkpoint of the same recipe is kept without importing torch, and
    trained weights are never replaced.
    """
    target = folder / INITIAL
    try:
        info = read_info(target, method=METHOD_KEY)
        whole = (target / info.weights).is_file()
        fresh = info.seed == seed and info.recipe == initial_recipe()
        if info.trained or (whole and fresh):
            return target
    except CheckpointError as error:
        if error.code not in {"missing", "corrupt", "wrong_version"}:
            raise
    from workers.core.methods.mashost.weights import save_initial

    save_initial(target, seed=seed)
    return target
