"""Which source a name or a path means."""

from collections.abc import Callable
from pathlib import Path

from django.utils.text import slugify
from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError
from apps.corpora.sources.base import About, Source, unreadable
from apps.corpora.sources.factbook import Factbook
from apps.corpora.sources.files import Folder, JsonLines
from apps.corpora.sources.wikipedia import Wikipedia
from apps.corpora.sources.zim import Zim

DEFAULTS: dict[str, Callable[[], Source]] = {Wikipedia.key: Wikipedia, Factbook.key: Factbook}
"""What comes with the studio, by key."""
FILES: dict[str, Callable[[Path, About], Source]] = {
    ".jsonl": JsonLines,
    ".ndjson": JsonLines,
    ".zim": Zim,
}


def source_of(path: Path, *, key: str = "", name: str = "", licence: str = "") -> Source:
    """A person's folder or file. Without a key the name of the file is its key. Raises
    ApplicationError."""
    key = key or slugify(path.resolve().stem)[:63]
    if not key or key != slugify(key) or key in DEFAULTS:
        raise ApplicationError(
            code="bad_key",
            message=_("The corpus can't have the key “%(key)s”.") % {"key": key},
            remedy=_("Give another one with --key: letters a–z, digits and hyphens."),
        )
    about = About(key=key, name=name or key, licence=licence)
    try:
        if path.is_dir():
            return Folder(path, about)
        if not path.exists():
            raise unreadable(path, _("there is no such file or folder"))
        opened = FILES.get(path.suffix.lower())
        if opened is None:
            raise unreadable(path, _("it is neither .jsonl nor .zim"))
        return opened(path, about)
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from error
