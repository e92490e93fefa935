"""The files of a model: which of them are read, how large they are together, and where they lie.

A model of the hub is fetched file by file once its size is known, and then read from its folder
like a local one: transformers itself never asks the hub, where it would fetch what it likes. Only
what stands in `_DESCRIPTION` and safetensors are fetched: no pickles, no code, and no adapter,
which would name another model of any size.

`STUDIO_MODELS_DIR` is the folder of local models, else `models` in the studio's data folder.
`STUDIO_MODEL_MAX_BYTES` is what the files that are read may have together.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from workers.core.errors import MethodError

MODEL_NAME = r"^([A-Za-z0-9][A-Za-z0-9_.-]{0,95}(/[A-Za-z0-9][A-Za-z0-9_.-]{0,95})?)?$"
"""A folder below that of local models, or owner/name on the hub. No part begins with a dot, so
none leads out of the folder."""
LIMIT = "STUDIO_MODEL_MAX_BYTES"
MAX_BYTES = 20_000_000_000
"""Seven or eight billion parameters of 16 bits. Without an accelerator they take twice that in
memory."""
SPARE = 2_000_000_000
"""Bytes that a download leaves on the disk: others write there, too."""
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
    """`sizes`: in bytes, of the files that are read. `revision`: of the hub; "": all are there."""

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
    """Of the folder of that name, else of the hub; nothing is fetched yet. Raises MethodError for a
    model that is not there, is too large, or lies elsewhere."""
    local = models_folder() / name
    if local.is_dir():
        files = ModelFiles(name, local, _read_of(_sizes_in(local, name)))
    elif "/" in name:
        files = _of_hub(name)
    else:
        raise missing(name, f"there is no folder {local}")
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
    """That what its index names is what was weighed, and no adapter lies beside it. Raises
    MethodError."""
    if (folder / ADAPTER).exists():
        raise MethodError(
            code="model_is_adapter",
            message=f"The model “{files.name}” comes with an adapter ({ADAPTER}), which names "
            "another model to be read.",
            remedy="Merge the adapter into its model, or choose the model itself.",
        )
    if WEIGHTS in files.sizes or INDEX not in files.sizes:
        return
    try:
        named = set(json.loads((folder / INDEX).read_bytes())["weight_map"].values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise unreadable(files.name, ValueError("its index names no weights")) from error
    if not named <= files.sizes.keys():
        raise unreadable(files.name, ValueError("its index names files that are not beside it"))


def missing(name: str, why: str) -> MethodError:
    return MethodError(
        code="model_missing",
        message=f"The model “{name}” cannot be had: {why}.",
        remedy=f"Put its folder into {models_folder()}, or name one that the hub gives to this "
        "machine.",
    )


def unreadable(name: str, error: Exception) -> MethodError:
    return MethodError(
        code="model_unreadable",
        message=f"The model “{name}” cannot be read: {first_line(error)}",
        remedy="Choose one with safetensors weights and a tokenizer of the usual form.",
    )


def first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300].rstrip(".")


def _sizes_in(folder: Path, name: str) -> dict[str, int]:
    """Of the files of a local folder. A link may lead about within the folder of local models."""
    allowed = models_folder().resolve()
    for path in (folder, *folder.iterdir()):
        if not path.resolve().is_relative_to(allowed):
            raise MethodError(
                code="model_outside",
                message=f"The model “{name}” lies elsewhere: {path.name} is a link that leads out "
                f"of {models_folder()}.",
                remedy="Move the files into that folder, or start the worker with "
                "STUDIO_MODELS_DIR set to the folder where they are.",
            )
    return {path.name: path.stat().st_size for path in folder.iterdir() if path.is_file()}


def _read_of(sizes: Mapping[str, int]) -> dict[str, int]:
    """As transformers chooses: the one file of weights, else those that an index names."""
    one = WEIGHTS in sizes
    return {
        file: size
        for file, size in sizes.items()
        if (_DESCRIPTION.fullmatch(file) and not (one and file == INDEX))
        or (file == WEIGHTS if one else _SHARD.fullmatch(file))
    }


def _of_hub(name: str) -> ModelFiles:
    """As the hub describes them; where it cannot be asked, as they were fetched before."""
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
        raise missing(name, "the hub does not tell its revision")
    if any(given[file] is None for file in read):
        raise missing(name, "the hub does not tell how large it is")
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
        message=f"The model “{name}” has {size}, and at most {most} are read here.",
        remedy=f"Choose a smaller model, or start the worker with a larger {LIMIT} (it is "
        f"{max_bytes()} bytes now).",
    )


def max_bytes() -> int:
    """Raises MethodError for a setting that is no number."""
    told = os.environ.get(LIMIT, "").strip() or str(MAX_BYTES)
    if not re.fullmatch(r"\d{1,18}", told, re.ASCII):
        raise MethodError(
            code="bad_setting",
            message=f"{LIMIT} is “{told[:40]}”, which is no whole number of bytes.",
            remedy=f"Start the worker with a number, such as {MAX_BYTES}, or without the setting.",
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
        message=f"The model “{files.name}” needs {_gigabytes(size)} more on the disk, where "
        f"{_gigabytes(free)} are free and {_gigabytes(SPARE)} are left for others.",
        remedy=f"Make room in {_cache()}, or set HF_HOME to a folder on a larger disk.",
    )


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e8 else f"{size:,} bytes"


def _cache() -> Path:
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def _endpoint() -> str | None:
    return os.environ.get("HF_ENDPOINT") or None


def _hub_errors() -> tuple[type[Exception], ...]:
    """All that its client raises: OSError is what most of its errors are."""
    import httpx2
    from huggingface_hub import errors

    return (OSError, httpx2.TransportError, errors.HFValidationError)


def _refused(error: Exception) -> bool:
    """The hub was asked, and it has no such model for us."""
    from huggingface_hub import errors

    return isinstance(error, errors.RepositoryNotFoundError | errors.HFValidationError)
