"""Stores what a method learned as a folder: `checkpoint.json` and a safetensors file, no pickle.

The JSON is the commit point. Weights are written first, under a name made of their hash; then the
JSON is renamed into place. So a reader sees the old checkpoint or the new one, and a crash in
between leaves the old one complete. Torch is imported only to read or write weights.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workers.core.errors import CoreError, MethodError
from workers.core.specs import Slug

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

FORMAT = 1
CONFIG_NAME = "checkpoint.json"
BEGUN = ".begun-"
"""What a file's name begins with while it is written. A process that is killed leaves it."""
SHIPPED = Path(__file__).parent / "methods"
"""Each method's package may have `checkpoints/NAME/`, with a model card in each."""


class CheckpointInfo(BaseModel):
    """A checkpoint without its weights. `created_at` None: a pure function of `seed`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    method: Slug
    label: str = Field(min_length=1, max_length=200)
    trained: bool
    seed: int = Field(ge=0)
    created_at: datetime | None = None
    code_version: str
    recipe: dict[str, Any] = Field(default_factory=dict, description="how it was made")
    config: dict[str, Any] = Field(default_factory=dict, description="the network's shape")
    run: dict[str, Any] = Field(
        default_factory=dict, description="options under which it was trained: a run's defaults"
    )
    trained_on: tuple[str, ...] = Field(
        default=(), description="`query_hash` of each task of its training; (): not known"
    )
    held_out: tuple[str, ...] = Field(
        default=(), description="those of `trained_on` that it was chosen by and never learned from"
    )
    weights: str = Field(default="", pattern=r"^(weights-[0-9a-f]{16}\.safetensors)?$")
    sha256: str = Field(default="", pattern=r"^([0-9a-f]{64})?$")


class CheckpointError(CoreError):
    """A checkpoint can't be used. `code` is stable: missing, corrupt, wrong_version, wrong_method,
    wrong_shape, wrong_dimension or not_written. The message names the folder and the remedy."""


def unusable(
    error: CheckpointError, remedy: str = "Choose another checkpoint, or start without one."
) -> MethodError:
    """The error of a run or a training that names the checkpoint."""
    return MethodError(code=f"checkpoint_{error.code}", message=error.message, remedy=remedy)


def save(folder: Path, tensors: dict[str, Tensor], info: CheckpointInfo) -> CheckpointInfo:
    """Write the checkpoint atomically and return its info with the weights' name and hash.

    The same tensors and info give the same bytes. Raises CheckpointError if the disk refuses.
    """
    from safetensors.torch import save as to_bytes

    whole = {name: tensors[name].detach().contiguous() for name in sorted(tensors)}
    return _commit(folder, to_bytes(whole), info)


def save_arrays(
    folder: Path, arrays: dict[str, NDArray[np.generic]], info: CheckpointInfo
) -> CheckpointInfo:
    """The same without torch, for processes that load no models."""
    from safetensors.numpy import save as to_bytes

    return _commit(folder, to_bytes({name: arrays[name] for name in sorted(arrays)}), info)


def read_info(folder: Path, *, method: str | None = None) -> CheckpointInfo:
    """The checked JSON part. `method` is the method that must have made it. Needs no torch."""
    try:
        text = (folder / CONFIG_NAME).read_bytes()
    except OSError as error:
        raise _error(
            "missing", folder, f"has no readable {CONFIG_NAME}.", "Choose another checkpoint."
        ) from error
    try:
        info = CheckpointInfo.model_validate_json(text)
    except ValidationError as error:
        raise _unreadable(folder, error) from error
    if method is not None and info.method != method:
        raise _error(
            "wrong_method", folder, f"was made by {info.method}.", f"Choose one made by {method}."
        )
    return info


def load(folder: Path, *, method: str) -> tuple[CheckpointInfo, dict[str, Tensor]]:
    """Info and tensors, with the weights' hash verified. Raises CheckpointError."""
    from safetensors import SafetensorError
    from safetensors.torch import load as from_bytes

    info, data = _verified(folder, method)
    try:
        return info, from_bytes(data)
    except SafetensorError as error:
        raise _not_weights(folder, error) from error


def load_arrays(
    folder: Path, *, method: str
) -> tuple[CheckpointInfo, dict[str, NDArray[np.generic]]]:
    """The same without torch. Raises CheckpointError."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    info, data = _verified(folder, method)
    try:
        return info, from_bytes(data)
    except SafetensorError as error:
        raise _not_weights(folder, error) from error


def require_shapes(folder: Path, *, found: dict[str, Tensor], wanted: dict[str, Tensor]) -> None:
    """Raises CheckpointError `wrong_shape`, naming the first tensor that does not fit."""
    for name in sorted(found.keys() | wanted.keys()):
        have = tuple(found[name].shape) if name in found else "nothing"
        want = tuple(wanted[name].shape) if name in wanted else "nothing"
        if have != want:
            raise _error(
                "wrong_shape",
                folder,
                f"does not fit this version of the network: “{name}” is {have}, not {want}.",
                "Train it again, or use the version of the code that made it.",
            )


def ensure_shipped(folder: Path, source: Path = SHIPPED) -> list[str]:
    """Copy the checkpoints that come with the methods into the folder of checkpoints.

    Returns the names of these checkpoints. A folder with the same name is not changed: runs may
    have used it. Raises CheckpointError if the disk refuses.
    """
    names = []
    for shipped in sorted(path.parent for path in source.glob(f"*/checkpoints/*/{CONFIG_NAME}")):
        target = folder / shipped.name
        names.append(shipped.name)
        if target.is_dir():
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder, prefix=f".{shipped.name}.") as made:
                shutil.copytree(shipped, Path(made) / "whole", copy_function=shutil.copyfile)
                (Path(made) / "whole").rename(target)
        except OSError as error:
            raise CheckpointError(
                code="not_written",
                message=f"The checkpoint {target} could not be written: {error.strerror or error}.",
            ) from error
    return names


def _commit(folder: Path, data: bytes, info: CheckpointInfo) -> CheckpointInfo:
    digest = hashlib.sha256(data).hexdigest()
    name = f"weights-{digest[:16]}.safetensors"
    written = info.model_copy(update={"weights": name, "sha256": digest})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / name, data)
        _write(folder / CONFIG_NAME, (written.model_dump_json(indent=2) + "\n").encode())
        for stale in (*folder.glob("weights-*.safetensors"), *folder.glob(f"{BEGUN}*")):
            if stale.name != name:
                stale.unlink(missing_ok=True)
    except OSError as error:
        raise CheckpointError(
            code="not_written",
            message=f"The checkpoint {folder} could not be written: {error.strerror or error}.",
        ) from error
    return written


def _verified(folder: Path, method: str) -> tuple[CheckpointInfo, bytes]:
    info, data = _read(folder, method)
    if hashlib.sha256(data).hexdigest() != info.sha256:
        raise _error("corrupt", folder, "has damaged weights.", "Restore it or train it again.")
    return info, data


def _not_weights(folder: Path, error: Exception) -> CheckpointError:
    return _error("corrupt", folder, f"can't be read: {error}.", "Train it again.")


def _read(folder: Path, method: str) -> tuple[CheckpointInfo, bytes]:
    """Read JSON, then weights. A checkpoint that was replaced in between is read again."""
    info = read_info(folder, method=method)
    try:
        return info, (folder / info.weights).read_bytes()
    except OSError:
        info = read_info(folder, method=method)
    try:
        return info, (folder / info.weights).read_bytes()
    except OSError as error:
        raise _error("corrupt", folder, "has no weights file.", "Train it again.") from error


def _write(path: Path, data: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=BEGUN)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def _unreadable(folder: Path, error: ValidationError) -> CheckpointError:
    first = error.errors()[0]
    if first["loc"] == ("format",):
        return _error(
            "wrong_version",
            folder,
            f"has format {first['input']!r}; this version reads {FORMAT}.",
            "Use the version of the code that made it.",
        )
    where = ".".join(map(str, first["loc"])) or CONFIG_NAME
    return _error("corrupt", folder, f"has a damaged {where}: {first['msg']}.", "Train it again.")


def _error(code: str, folder: Path, what: str, remedy: str) -> CheckpointError:
    return CheckpointError(code=code, message=f"The checkpoint {folder.name} {what} {remedy}")
