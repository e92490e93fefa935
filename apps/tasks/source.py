"""Where the rows of an import come from: a file, an upload or the hub."""

import contextlib
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.utils.translation import gettext as _
from rest_framework import status

from apps.common.errors import ApplicationError
from apps.tasks.progress import Tell, nobody
from workers.core.benchmarks.benchmark import Benchmark, Beside
from workers.core.benchmarks.beside import in_folder
from workers.core.benchmarks.hub import MAX_BYTES, FilesOnHub, HubError, hub_download
from workers.core.benchmarks.readers import ReadError, format_of

_UNREACHABLE = ("hub_unreachable", "hub_offline", "hub_failed", "hub_slow")


@dataclass(frozen=True, slots=True)
class Source:
    """Files that are read one after another. `format` None: by each file's name. `name` is for
    people. `beside` gives the files that rows name; None: there are none."""

    files: tuple[Path, ...]
    name: str
    format: str | None = None
    beside: Beside | None = None


def on_this_machine(file: Path) -> Source:
    """For the command line alone: it opens files of the rows' folder."""
    return Source((file,), name=file.name, beside=in_folder(file.parent))


@contextlib.contextmanager
def uploaded(name: str, chunks: Iterable[bytes]) -> Iterator[Source]:
    """Stores an upload under a name of our own; only the ending of the sender's name is read."""
    try:
        format = format_of(name)
    except ReadError as error:
        raise unreadable(error) from error
    with tempfile.NamedTemporaryFile(prefix="dataset-") as file:
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        shown = "".join(letter for letter in Path(name).name if letter.isprintable())
        yield Source((Path(file.name),), name=shown[:200], format=format)


def from_hub(
    benchmark: Benchmark,
    *,
    hub_id: str,
    split: str,
    hub_config: str | None = None,
    hub_split: str = "",
    max_bytes: int = MAX_BYTES,
    seconds: float | None = None,
    tell: Tell = nobody,
) -> Source:
    """`hub_id` "": where the benchmark is. Config and split are the benchmark's unless given.
    `seconds`: see `hub_download`; the files that rows name have what is left of it."""
    began = time.monotonic()
    hub = benchmark.hub
    own = hub is not None and hub_id in ("", hub.repo_id)
    if hub is not None and not hub_id:
        hub_id = hub.repo_id
    config = hub_config if hub_config is not None else (hub.config if hub and own else "")
    wanted = hub_split or (hub.splits.get(split, split) if hub and own else split)
    try:
        files = hub_download(
            hub_id,
            config=config,
            split=wanted,
            max_bytes=max_bytes,
            seconds=seconds,
            told=partial(tell, "downloading"),
        )
    except HubError as error:
        raise _not_sent(error) from error
    left = None if seconds is None else max(began + seconds - time.monotonic(), 0.0)
    return Source(
        tuple(files),
        name=f"{hub_id} {config} {wanted}".replace("  ", " "),
        beside=_beside_on_hub(FilesOnHub(hub_id, seconds=left)),
    )


def _beside_on_hub(files: FilesOnHub) -> Beside:
    def read(name: str) -> bytes:
        try:
            return files(name)
        except HubError as error:
            raise _not_sent(error) from error

    return read


def _not_sent(error: HubError) -> ApplicationError:
    away = error.code in _UNREACHABLE
    return ApplicationError(
        code=error.code,
        message=error.message,
        remedy=error.remedy,
        status_code=status.HTTP_502_BAD_GATEWAY if away else status.HTTP_400_BAD_REQUEST,
    )


def unreadable(error: ReadError) -> ApplicationError:
    nothing = _("Nothing was imported.")
    return ApplicationError(
        code="unreadable_file",
        message=f"{error} {nothing}".replace(".. ", ". "),
        remedy=error.remedy,
    )


def no_rows() -> ApplicationError:
    return ApplicationError(
        code="no_rows", message=_("The file has no rows."), remedy=_("Choose another file.")
    )
