"""What a training of language models resumes from: the engine's files, and the progress that names
their folder.

The progress is the commit: it is written, atomically, once the engine's files are on the disk. A
folder that it does not name is of a step that broke off.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from workers.core.checkpoints import CheckpointError, load, save
from workers.core.rollouts import branches, designs
from workers.core.rollouts.base import PolicyEngine
from workers.core.training import resumable
from workers.core.training.resumable import (
    STATE_FOLDER,
    has_state,
    reading_state,
    state_info,
    writing_state,
)

ENGINE = "engine-"


class Progress(resumable.Progress):
    """`engine`: the folder of the engine's files below the state's; "": none yet."""

    engine: str = ""


def save_state(
    folder: Path,
    engine: PolicyEngine,
    progress: Progress,
    *,
    method: str,
    seed: int,
    files: Sequence[Future[None]] = (),
) -> None:
    """`files`: of the step, which are being written; it counts once they are there. Raises
    MethodError if the disk refuses; what was saved before stays whole."""
    state = folder / STATE_FOLDER
    # Two names in turn would do, but a step may be written again, with other events.
    numbers = [int(each.name.removeprefix(ENGINE)) for each in state.glob(f"{ENGINE}*")]
    name = f"{ENGINE}{max(numbers, default=0) + 1}"
    written = progress.model_copy(update={"engine": name})
    with writing():
        engine.save(state / name)
        for file in (state / name).iterdir():
            _to_disk(file)
        for each in files:
            each.result()
        save(state, {}, state_info(method, written, seed=seed))
    for other in state.glob(f"{ENGINE}*"):
        if other.name != name:
            shutil.rmtree(other, ignore_errors=True)


@contextmanager
def writing() -> Iterator[None]:
    """Raises MethodError if the disk refuses."""
    with writing_state():
        try:
            yield
        except (OSError, SafetensorError) as error:
            raise CheckpointError(
                code="not_written", message=f"The training's files could not be written: {error}."
            ) from error


def load_state(folder: Path, engine: PolicyEngine, *, method: str) -> Progress | None:
    """Puts the engine where it was. None if nothing was saved. Raises MethodError for a state that
    can't be used."""
    if not has_state(folder):
        return None
    state = folder / STATE_FOLDER
    with reading_state():
        info, _ = load(state, method=method)
        progress = Progress.model_validate(info.recipe)
        try:
            engine.load(state / progress.engine)
        except (OSError, SafetensorError) as error:
            raise ValueError(str(error)) from error
    return progress


def forget_after(folder: Path, step: int) -> None:
    """Removes the branches and designs of a later step: it broke off after they were written."""
    for kind in (branches, designs):
        for later in kind.steps_kept(folder):
            if later > step:
                kind.path_of(folder, later).unlink(missing_ok=True)


def _to_disk(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
