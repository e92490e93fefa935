"""What every source gives."""

import hashlib
import importlib.util
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Literal, Protocol

from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError

MOST_CHARS = 2_000_000
"""Of one document. A longer one is no page that a person or an agent reads."""

Form = Literal["text", "markdown"]


@dataclass(frozen=True, slots=True)
class About:
    """A corpus as people see it. `licence` is that of the texts."""

    key: str
    name: str
    source: str = ""
    source_url: str = ""
    licence: str = ""
    licence_url: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A document. `key` is the end of its address; `url` is where it came from."""

    key: str
    title: str
    text: str
    form: Form = "text"
    description: str = ""
    url: str = ""

    def digest(self) -> str:
        parts = (self.title, self.description, self.url, self.form, self.text)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Skipped:
    """`place` says where in the source, for people: a file, a line."""

    place: str
    reason: str


@dataclass(slots=True)
class Report:
    """What a load did. `skipped` has the first ones."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped_count: int = 0
    skipped: list[Skipped] = field(default_factory=list)


class Source(Protocol):
    @property
    def about(self) -> About: ...

    @property
    def total(self) -> int:
        """About how many documents there are, for progress."""
        ...

    def read(self) -> Iterator[Found | Skipped]:
        """Raises ApplicationError where nothing of it can be read."""
        ...


def data_folder(module: str, package: str) -> Path:
    """The folder of an installed package, whose code is not run. Raises ApplicationError."""
    found = importlib.util.find_spec(module)
    if found is None or not found.submodule_search_locations:
        raise ApplicationError(
            code="package_missing",
            message=_("The package %(package)s is not installed.") % {"package": package},
            remedy=_("Run bin/studio up, which installs what requirements/data.in names."),
        )
    return Path(found.submodule_search_locations[0]) / "data"


def released(package: str) -> str:
    """`name 1.2.3` of an installed package."""
    return f"{package} {version(package)}"


def clean(text: str) -> str:
    """The text as PostgreSQL can store it."""
    whole = text.encode("utf-8", "replace").decode().replace("\0", " ")
    return unicodedata.normalize("NFC", whole).strip()


def unreadable(path: Path, why: str) -> ApplicationError:
    return ApplicationError(
        code="unreadable",
        message=_("%(path)s can't be read: %(why)s.") % {"path": path, "why": why},
        remedy=_("Give a folder with .txt, .md or .html files, a .jsonl file or a .zim file."),
    )
