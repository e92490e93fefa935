"""The files of a model: which are read, how large they are together, and where they are.

A model of the hub is fetched file by file once its size is known. Then it is read from its folder
like a local one. transformers itself never asks the hub: it might fetch any file. Only the files in
`_DESCRIPTION` and safetensors are fetched: no pickles, no code, and no adapter, which could name
another model of any size.

`STUDIO_MODELS_DIR` is the folder of local models; the default is `models` in the studio's data
folder. `STUDIO_MODEL_MAX_BYTES` limits the size of all read files together.
"""

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from workers.core.errors import MethodError

MODEL_NAME = r"^([A-Za-z0-9][A-Za-z0-9_.-]{0,95}(/[A-Za-z0-9][A-Za-z0-9_.-]{0,95})?)?$"
"""A folder below that of local models, or owner/name on the hub. No part begins with a dot, so the
name can't leave the folder."""
LIMIT = "STUDIO_MODEL_MAX_BYTES"
MAX_BYTES = 20_000_000_000
"""Seven or eight billion parameters of 16 bits. Without an accelerator they need twice that in
memory."""
SPARE = 2_000_000_000
"""Bytes that a download must leave free on the disk: other programs write there, too."""
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
ADAPTER = "adapter_config.json"

_DESCRIPTION = re.compile(
    r"(?:config|generation_config|tokenizer|tokenizer_config|special_tokens_map|added_tokens|vocab"
    r"|model\.safetensors\.index)\.json|vocab\.txt|merges\.txt|[A-Za-z0-9_-]{1,90}\.model"
    r"|chat_template\.(?:jinja|json)"
)
_SHARD = re.compile(r"[A-Za-z0-9_.-]{1,200}-of-[A-Za-z0-9_-]{1,20}\.safetensors")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """`sizes`: bytes of the files to read. `revision`: the hub's; "": all files are here."""

    name: str
    folder: Path | None
    sizes: Mapping[str, int]
    revision: str = ""

    def description(self) -> list[str]:
        return [file for file in self.sizes if _DESCRIPTION.fullmatch(file)]

    def weights(self) -> list[str]:
        return [file for file in self.sizes if not _DESCRIPTION.fullmatch(file)]


def models_folder() -> Path:
    named = os.environ.get("STUDIO_MODELS_DIR")
    return Path(named) if named else Path(os.environ.get("STUDIO_DATA_DIR", ".studio")) / "models"


def model_files(name: str) -> ModelFiles:
    """The files of the folder with that name, otherwise of the hub. Nothing is fetched yet. Raises
    MethodError for a model that is missing, too large, or outside the folder."""
    local = models_folder() / name
    if local.is_dir():
        files = ModelFiles(name, local, _read_of(_sizes_in(local, name)))
    elif "/" in name:
        files = _of_hub(name)
    else:
        raise missing(name, f"the folder {local} does not exist")
    _require_small(files)
    return files


def fetch(files: ModelFiles, wanted: Iterable[str]) -> Path:
    """The folder that has these files. Raises MethodError."""
    if files.folder is not None:
        return files.folder
    from huggingface_hub import hf_hub_download

    folder = _cache() / f"models--{files.name.replace('/', '--')}" / "snapshots" / files.revision
    absent = [file for file in wanted if not (folder / file).exists()]
    _require_room(files, absent)
    for file in absent:
        try:
            hf_hub_download(files.name, file, revision=files.revision, endpoint=_endpoint())
        except _hub_errors() as error:
            raise missing(files.name, first_line(error)) from error
    return folder


def require_whole(files: ModelFiles, folder: Path) -> None:
    """Check that the index names only files whose size was counted, and that there is no adapter.
    Raises MethodError."""
    if (folder / ADAPTER).exists():
        raise MethodError(
            code="model_is_adapter",
            message=(
                f"The model “{files.name}” comes with an adapter ({ADAPTER}), which refers to "
                "another model."
            ),
            remedy="Merge the adapter into its model, or choose the model itself.",
        )
    if WEIGHTS in files.sizes or INDEX not in files.sizes:
        return
    try:
        named = set(json.loads((folder / INDEX).read_bytes())["weight_map"].values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise unreadable(files.name, ValueError("its index lists no weights")) from error
    if not named <= files.sizes.keys():
        raise unreadable(files.name, ValueError("its index lists files that are missing"))


def missing(name: str, why: str) -> MethodError:
    return MethodError(
        code="model_missing",
        message=f"The model “{name}” is not available: {why}.",
        remedy=(
            f"Put its folder into {models_folder()}, or choose a model of the hub that this "
            "machine may download."
        ),
    )


def unreadable(name: str, error: Exception) -> MethodError:
    return MethodError(
        code="model_unreadable",
        message=f"The model “{name}” can't be read: {first_line(error)}",
        remedy="Choose a model with safetensors weights and a standard tokenizer.",
    )


def first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300].rstrip(".")


def _sizes_in(folder: Path, name: str) -> dict[str, int]:
    """Sizes of the files of a local folder. Links may only lead to places within the folder of
    local models."""
    allowed = models_folder().resolve()
    for path in (folder, *folder.iterdir()):
        if not path.resolve().is_relative_to(allowed):
            raise MethodError(
                code="model_outside",
                message=(
                    f"The model “{name}” is outside {models_folder()}: {path.name} is a link "
                    "that leads out of it."
                ),
                remedy=(
                    "Move the files into that folder, or set STUDIO_MODELS_DIR to the folder of "
                    "the files and restart the worker."
                ),
            )
    return {path.name: path.stat().st_size for path in folder.iterdir() if path.is_file()}


def _read_of(sizes: Mapping[str, int]) -> dict[str, int]:
    """The files that transformers reads: the one file of weights, otherwise those in the index."""
    one = WEIGHTS in sizes
    return {
        file: size
        for file, size in sizes.items()
        if (_DESCRIPTION.fullmatch(file) and not (one and file == INDEX))
        or (file == WEIGHTS if one else _SHARD.fullmatch(file))
    }


def _of_hub(name: str) -> ModelFiles:
    """The files as the hub describes them or, if it can't be reached, as they were fetched
    before."""
    from huggingface_hub import HfApi

    try:
        told = HfApi(endpoint=_endpoint()).model_info(name, files_metadata=True)
    except _hub_errors() as error:
        found = _fetched_before(name)
        if found is None or _refused(error):
            raise missing(name, first_line(error)) from error
        sizes = {path.name: path.stat().st_size for path in found.iterdir() if path.is_file()}
        return ModelFiles(name, found, _read_of(sizes))
    given = {file.rfilename: file.size for file in told.siblings or ()}
    read = _read_of({file: size or 0 for file, size in given.items()})
    if told.sha is None or not re.fullmatch(r"[0-9a-f]{40}", told.sha):
        raise missing(name, "the hub does not report its revision")
    if any(given[file] is None for file in read):
        raise missing(name, "the hub does not report its size")
    return ModelFiles(name, None, read, told.sha)


def _fetched_before(name: str) -> Path | None:
    known = _cache() / f"models--{name.replace('/', '--')}" / "snapshots"
    described = sorted(known.glob("*/config.json"), key=lambda path: path.lstat().st_mtime)
    return described[-1].parent if described else None


def _require_small(files: ModelFiles) -> None:
    size, limit = sum(files.sizes.values()), max_bytes()
    if size > limit:
        raise too_large(files.name, f"{_gigabytes(size)} of files", _gigabytes(limit))


def too_large(name: str, size: str, most: str) -> MethodError:
    return MethodError(
        code="model_too_large",
        message=f"The model “{name}” has {size}. The limit is {most}.",
        remedy=(
            f"Choose a smaller model, or set a larger {LIMIT} ({max_bytes()} bytes now) and "
            "restart the worker."
        ),
    )


def max_bytes() -> int:
    """The size limit. Raises MethodError for a setting that is not a number."""
    told = os.environ.get(LIMIT, "").strip() or str(MAX_BYTES)
    if not re.fullmatch(r"\d{1,18}", told, re.ASCII):
        raise MethodError(
            code="bad_setting",
            message=f"{LIMIT} is “{told[:40]}”, which is not a whole number of bytes.",
            remedy=(
                f"Set it to a number, such as {MAX_BYTES}, or remove it. Then restart the worker."
            ),
        )
    return int(told)


def _require_room(files: ModelFiles, absent: Iterable[str]) -> None:
    size = sum(files.sizes[file] for file in absent)
    there = next(path for path in (_cache(), *_cache().absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free
    if not size or size + SPARE <= free:
        return
    raise MethodError(
        code="no_room_for_model",
        message=(
            f"The model “{files.name}” needs {_gigabytes(size)} more on the disk. "
            f"{_gigabytes(free)} are free, of which {_gigabytes(SPARE)} must stay free."
        ),
        remedy=f"Free some space in {_cache()}, or set HF_HOME to a folder on a larger disk.",
    )


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e8 else f"{size:,} bytes"


def _cache() -> Path:
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def _endpoint() -> str | None:
    return os.environ.get("HF_ENDPOINT") or None


def _hub_errors() -> tuple[type[Exception], ...]:
    """All errors that the hub's client raises; most are OSErrors."""
    import httpx2
    from huggingface_hub import errors

    return (OSError, httpx2.TransportError, errors.HFValidationError)


def _refused(error: Exception) -> bool:
    """Whether the hub answered that it has no such model for us."""
    from huggingface_hub import errors

    return isinstance(error, errors.RepositoryNotFoundError | errors.HFValidationError)
