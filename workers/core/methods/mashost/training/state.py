"""Saves what a training resumes from: weights, optimisers, generator and counters, in one atomic
write.

Legend of tensor names: policy.* · averaged.* (what checkpoints hold) · behaviour.* (the weights
that sampled the next step) · critic.* · adam.policy.<parameter>.<moment> · adam.critic.… ·
generator.
"""

from pathlib import Path

from pydantic import ValidationError
from torch import Tensor

from workers.core.checkpoints import CheckpointError, load, read_info, save
from workers.core.methods.mashost.config import METHOD_KEY
from workers.core.methods.mashost.training.learner import Learner
from workers.core.rl.moments import load_moments, moments, part
from workers.core.training import resumable
from workers.core.training.resumable import (
    STATE_FOLDER,
    has_state,
    reading_state,
    state_info,
    writing_state,
)


class Progress(resumable.Progress):
    """`unseen`: no held-out task was learned from by an earlier training. A training that began
    before this was checked continues with its tasks."""

    entropy_bonus: float
    unseen: bool = False


def save_state(
    folder: Path, learner: Learner, behaviour: dict[str, Tensor], progress: Progress
) -> None:
    """Raises MethodError if the disk refuses. What was saved before stays complete."""
    tensors = {f"policy.{name}": tensor for name, tensor in learner.policy.state_dict().items()}
    averaged = learner.averaged.state_dict()
    tensors |= {f"averaged.{name}": tensor for name, tensor in averaged.items()}
    tensors |= {f"behaviour.{name}": tensor for name, tensor in behaviour.items()}
    tensors |= {f"critic.{name}": tensor for name, tensor in learner.critic.state_dict().items()}
    tensors |= moments("adam.policy", learner.optimiser)
    tensors |= moments("adam.critic", learner.critic_optimiser)
    tensors["generator"] = learner.generator.get_state()
    with writing_state():
        save(folder / STATE_FOLDER, tensors, state_info(METHOD_KEY, progress, seed=learner.seed))


def progress_in(folder: Path) -> Progress | None:
    """The progress of the training in the folder. None if nothing was saved or it can't be read;
    `load_state` says why."""
    try:
        return Progress.model_validate(read_info(folder / STATE_FOLDER).recipe)
    except (CheckpointError, ValidationError):
        return None


def load_state(folder: Path, learner: Learner) -> tuple[Progress, dict[str, Tensor]] | None:
    """Restore the learner. Return the progress and the sampling weights.

    None if nothing was saved. Raises MethodError for a state that can't be used.
    """
    if not has_state(folder):
        return None
    with reading_state():
        info, tensors = load(folder / STATE_FOLDER, method=METHOD_KEY)
        progress = Progress.model_validate(info.recipe)
        learner.policy.load_state_dict(part(tensors, "policy."))
        learner.averaged.load_state_dict(part(tensors, "averaged."))
        learner.critic.load_state_dict(part(tensors, "critic."))
        load_moments("adam.policy", learner.optimiser, tensors)
        load_moments("adam.critic", learner.critic_optimiser, tensors)
        learner.generator.set_state(tensors["generator"])
    learner.step = progress.step
    learner.entropy_bonus = progress.entropy_bonus
    return progress, part(tensors, "behaviour.")
