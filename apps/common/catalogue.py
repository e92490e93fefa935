"""The catalogue of what people read from the server: gathered from the code, ready for translators.

It is `studio/locale/en/LC_MESSAGES/django.po`, in English, with nothing to translate. It names no
place in the code, so that it changes only where a sentence does.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.pofile import write_po
from django.utils.translation import templatize

from apps.common.automatic_names import automatic_names

FOLDERS = ("apps", "studio")
UNREAD = frozenset({"tests", "migrations", "launcher"})
"""The launcher speaks before there is a Django that could translate."""
KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
}
WIDTH = 100
HEADER = """\
# What people read from MAS Studio's server. Written by: bin/studio manage catalogue
msgid ""
msgstr ""
"Language: en\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

"""


def catalogue_text(root: Path) -> str:
    """The same for the same code, on every machine."""
    catalogue = Catalog(locale="en")
    for name in automatic_names():
        catalogue.add(name)
    for path in _sources(root):
        for _line, message, _comments, context in extract(
            "python", BytesIO(_as_python(path)), KEYWORDS, options={"encoding": "utf-8"}
        ):
            catalogue.add(message, context=context)
    written = BytesIO()
    write_po(written, catalogue, WIDTH, no_location=True, omit_header=True, sort_output=True)
    return f"{HEADER}{written.getvalue().decode().strip()}\n"


def _sources(root: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".html") and not UNREAD.intersection(path.parts):
                yield path


def _as_python(path: Path) -> bytes:
    """A template becomes calls of gettext among words that say nothing."""
    text = path.read_text()
    if path.suffix == ".html":
        text = "\n".join(line.strip() for line in templatize(text).splitlines())
    elif "gettext" not in text:
        return b""
    return text.encode()
