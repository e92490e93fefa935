"""Downloads the files of a dataset's split from the hub once and keeps them.

It uses `HF_ENDPOINT`, `HF_HOME` and `HF_TOKEN`. It fetches only Parquet, JSON Lines and CSV files,
and the files that rows name (`FilesOnHub`). It never runs a dataset's loading script.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from workers.core.benchmarks.benchmark import RowError
from workers.core.benchmarks.beside import checked, not_beside, too_large
from workers.core.benchmarks.limits import MIB
from workers.core.errors import CoreError
from workers.core.tools.attachments import FILE_MAX_BYTES

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import DatasetInfo

MAX_BYTES = 512 * MIB
TIMEOUT_SECONDS = 15.0
CONVERTED = "refs/convert/parquet"
"""The branch where the hub keeps a Parquet copy of most datasets."""
_ENDINGS = (".parquet", ".jsonl", ".csv")
_SPLITS = frozenset({"train", "test", "validation", "dev", "val", "auxiliary_train", "prompt"})
Downloaded = Callable[[int, int], None]
"""Gets the bytes downloaded so far, and those of all files together."""
_REPO_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)


class HubError(CoreError):
    """The hub did not send the files."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """`size` in bytes; None if the list of files does not say."""

    path: str
    size: int | None
    revision: str = "main"


def hub_download(
    repo_id: str,
    *,
    config: str = "",
    split: str,
    max_bytes: int = MAX_BYTES,
    seconds: float | None = None,
    told: Downloaded = lambda done, total: None,
) -> list[Path]:
    """The files of `split` (the hub's name for it), in order. Blocks; with `seconds`, not much
    longer than these. What `told` raises stops it. Raises HubError."""
    from huggingface_hub import HfApi

    from workers.core.benchmarks.hub_watch import all_within

    if not _REPO_ID.fullmatch(repo_id) or ".." in repo_id:
        raise _bad_id(repo_id)
    api = HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None)
    with _explained(repo_id), all_within(seconds):
        files = _chosen(api, repo_id, config, split)
        sizes = [_size(api, repo_id, file) for file in files]
        total = sum(sizes)
        if total > max_bytes:
            raise HubError(
                code="too_large",
                message=(
                    f"The split {split} of {repo_id} has {total / MIB:,.0f} MiB. The limit is "
                    f"{max_bytes / MIB:,.0f} MiB."
                ),
                remedy="Download a part of it and import it as a file.",
            )
        return _fetched(api, repo_id, files, sizes, told)


class FilesOnHub:
    """The files that a dataset's rows name (`Beside`). A row knows the name, not the folder, so the
    file is looked up in the dataset's list, which is asked for with the first name. `max_bytes`:
    limit of all files together; `seconds`: of waiting for all of them.

    Raises RowError for a file that is not there or too large, HubError for everything else."""

    def __init__(
        self, repo_id: str, *, max_bytes: int = MAX_BYTES, seconds: float | None = None
    ) -> None:
        self._repo_id = repo_id
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._files: list[HubFile] | None = None
        self._bytes = 0

    def __call__(self, name: str) -> bytes:
        from huggingface_hub import HfApi

        from workers.core.benchmarks.hub_watch import all_within

        api = HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None)
        began = time.monotonic()
        with _explained(self._repo_id), all_within(self._seconds):
            if self._files is None:
                self._files = _listed(_info(api, self._repo_id, "main"), "main")
            content = self._content(api, name)
        if self._seconds is not None:
            self._seconds = max(self._seconds - (time.monotonic() - began), 0.0)
        return content

    def _content(self, api: HfApi, name: str) -> bytes:
        file = self._found(name)
        size = _size(api, self._repo_id, file)
        if size > FILE_MAX_BYTES:
            raise too_large(name)
        self._bytes += size
        if self._bytes > self._max_bytes:
            raise HubError(
                code="too_large",
                message=(
                    f"The files that come with the rows of {self._repo_id} have more than "
                    f"{self._max_bytes / MIB:,.0f} MiB together."
                ),
                remedy="Download the dataset and import a part of it with load_dataset.",
            )
        return checked(name, _fetch(api, self._repo_id, file, _at_most(FILE_MAX_BYTES, name)))

    def _found(self, name: str) -> HubFile:
        wanted = PurePosixPath(name).parts
        if not wanted or ".." in wanted:
            raise not_beside(name)
        found = [
            file
            for file in self._files or ()
            if (parts := PurePosixPath(file.path).parts)[-len(wanted) :] == wanted
            and ".." not in parts
        ]
        if not found:
            raise not_beside(name)
        if len(found) > 1:
            raise RowError(f"{self._repo_id} has several files “{name[:80]}”")
        return found[0]


def _at_most(limit: int, name: str) -> Callable[[int], None]:
    """Ends a file that is larger than the hub said."""
    came = 0

    def count(piece: int) -> None:
        nonlocal came
        came += piece
        if came > limit:
            raise too_large(name)

    return count


def _bad_id(repo_id: str) -> HubError:
    return HubError(
        code="bad_hub_id",
        message=f"“{repo_id[:100]}” is not a dataset id.",
        remedy="Enter it as owner/name, for example openai/gsm8k.",
    )


def _chosen(api: HfApi, repo_id: str, config: str, split: str) -> list[HubFile]:
    """Files of the dataset itself, otherwise of the hub's conversion."""
    from huggingface_hub.errors import RevisionNotFoundError

    seen: list[HubFile] = []
    for revision in ("main", CONVERTED):
        try:
            info = _info(api, repo_id, revision)
        except RevisionNotFoundError:
            continue
        found = [file for file in _listed(info, revision) if file.path.endswith(_ENDINGS)]
        seen += found
        configs = getattr(info.card_data, "configs", None)
        declared = declared_files(configs, found, config=config, split=split)
        if chosen := declared or files_of(found, config=config, split=split):
            return chosen
    named = ", ".join(sorted(file.path for file in seen)[:10]) or "none"
    raise HubError(
        code="no_such_split",
        message=f"{repo_id} has no files of the split {split}"
        + (f" in {config}." if config else "."),
        remedy=f"Choose another split or config. Its data files are: {named}.",
    )


def _info(api: HfApi, repo_id: str, revision: str) -> DatasetInfo:
    """One request without retries: a person who waits at a page wants to know if the hub is
    away."""
    return api.dataset_info(
        repo_id, revision=revision, files_metadata=True, timeout=TIMEOUT_SECONDS
    )


def _listed(info: DatasetInfo, revision: str) -> list[HubFile]:
    return [HubFile(file.rfilename, file.size, revision) for file in info.siblings or ()]


def declared_files(
    configs: object, files: Iterable[HubFile], *, config: str, split: str
) -> list[HubFile]:
    """The files that the card's `configs` name for this config and split; [] if they name none.
    They may be anything: the dataset's owner writes them."""
    patterns: list[str] = []
    for each in configs if isinstance(configs, list) else ():
        if not isinstance(each, dict) or not config or each.get("config_name") != config:
            continue
        entries = each.get("data_files")
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get("split") == split:
                paths = entry.get("path")
                patterns += map(str, paths if isinstance(paths, list) else [paths])
    chosen = [f for f in files if any(fnmatchcase(f.path, pattern) for pattern in patterns)]
    return sorted(chosen, key=lambda file: file.path)


def files_of(files: Iterable[HubFile], *, config: str, split: str) -> list[HubFile]:
    """The files of a split, by their names: `main/train-00000-of-00001.parquet`, `data/test.jsonl`,
    `main/test/0000.parquet`; a file that is named like the config, without a split, is the split
    train. If there are Parquet files, only these are taken."""
    chosen = [file for file in files if _belongs(file.path, config, split)]
    parquet = [file for file in chosen if file.path.endswith(".parquet")]
    return sorted(parquet or chosen, key=lambda file: file.path)


def _belongs(path: str, config: str, split: str) -> bool:
    parts = PurePosixPath(path)
    stem = parts.name.partition(".")[0]
    if config and config not in (*parts.parts[:-1], stem):
        return False
    names = {stem, re.split(r"-\d", stem)[0], *parts.parts[:-1]}
    if split in names:
        return True
    return split == "train" and bool(config) and stem == config and not names & _SPLITS


def _size(api: HfApi, repo_id: str, file: HubFile) -> int:
    """The size in bytes. If the list does not say, the hub is asked. The client takes no more bytes
    than that."""
    if file.size is not None:
        return file.size
    from huggingface_hub import hf_hub_url

    url = hf_hub_url(
        repo_id,
        file.path,
        repo_type="dataset",
        revision=file.revision,
        endpoint=api.endpoint,
    )
    size = api.get_hf_file_metadata(url=url, timeout=TIMEOUT_SECONDS).size
    if size is None:
        raise HubError(
            code="unknown_size",
            message=f"The hub does not say how large {file.path} of {repo_id} is.",
            remedy="Download it and import it as a file.",
        )
    return int(size)


def _fetched(
    api: HfApi, repo_id: str, files: list[HubFile], sizes: list[int], told: Downloaded
) -> list[Path]:
    total, here = sum(sizes), 0
    told(here, total)
    paths = []
    for file, size in zip(files, sizes, strict=True):
        paths.append(_fetch(api, repo_id, file, _pieces(told, here, size, total)))
        here += size  # also of a file that was here already, and sent no pieces
        told(here, total)
    return paths


def _pieces(told: Downloaded, before: int, size: int, total: int) -> Callable[[int], None]:
    """Counts the bytes of one file, up to its size: a part may be sent again after a break."""
    came = 0

    def count(piece: int) -> None:
        nonlocal came
        came = min(came + piece, size)
        told(before + came, total)

    return count


def _fetch(api: HfApi, repo_id: str, file: HubFile, received: Callable[[int], None]) -> Path:
    from workers.core.benchmarks.hub_watch import counted

    with counted(received):
        downloaded = api.hf_hub_download(
            repo_id, file.path, repo_type="dataset", revision=file.revision
        )
    return Path(str(downloaded))


class _explained:  # noqa: N801  reads as a word where it is used
    """Turns what the client raises into a HubError that names the cause and the remedy."""

    def __init__(self, repo_id: str) -> None:
        self._repo_id = repo_id

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        import httpx2
        from huggingface_hub import errors

        if isinstance(error, errors.HFValidationError):
            raise _bad_id(self._repo_id) from error
        if isinstance(error, errors.GatedRepoError):
            raise HubError(
                code="gated",
                message=f"{self._repo_id} is available only to users who accepted its terms.",
                remedy="Accept the terms on the hub, then set HF_TOKEN to a token of that account.",
            ) from error
        if isinstance(error, errors.RepositoryNotFoundError):
            raise HubError(
                code="unknown_hub_id",
                message=f"The hub has no dataset {self._repo_id}, or you have no access to it.",
                remedy="Check the id. For a private dataset, set HF_TOKEN.",
            ) from error
        if isinstance(error, errors.OfflineModeIsEnabled):
            raise HubError(
                code="hub_offline",
                message="HF_HUB_OFFLINE is set, so this process may not use the hub.",
                remedy="Unset it and start the studio again, or import the dataset from a file.",
            ) from error
        if isinstance(error, TimeoutError):
            raise HubError(
                code="hub_slow",
                message=f"The hub took too long to send {self._repo_id}.",
                remedy="Try again later, or download the dataset and import it as a file.",
            ) from error
        unreachable = (
            httpx2.TransportError,
            errors.LocalEntryNotFoundError,
            ConnectionError,
        )
        if isinstance(error, unreachable):
            raise HubError(
                code="hub_unreachable",
                message="The hub can't be reached from the studio's machine.",
                remedy="Check the network and HF_ENDPOINT, or import the dataset from a file.",
            ) from error
        if isinstance(error, errors.HfHubHTTPError):
            raise HubError(
                code="hub_failed",
                message=f"The hub answered with an error: {str(error).splitlines()[0][:200]}",
                remedy="Try again later, or import the dataset from a file.",
            ) from error
