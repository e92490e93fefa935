"""A ZIM file, as Kiwix offers them: its HTML articles."""

from collections.abc import Iterator
from pathlib import Path

from libzim.reader import Archive

from apps.corpora.sources.base import About, Found, Skipped, unreadable
from apps.corpora.sources.files import MOST_BYTES, html_document


class Zim:
    def __init__(self, path: Path, about: About) -> None:
        try:
            self._archive = Archive(path)
        except RuntimeError as error:
            raise unreadable(path, f"it is no ZIM file ({error})") from error
        self.total = self._archive.article_count
        said = about.source or self._said("Title")
        self.about = About(
            key=about.key,
            name=about.name if about.name != about.key else self._said("Title") or about.name,
            source=said,
            source_url=self._said("Source")[:500],
            licence=about.licence or self._said("License"),
        )

    def read(self) -> Iterator[Found | Skipped]:
        for number in range(self._archive.all_entry_count):
            try:
                entry = self._archive._get_entry_by_id(number)
                if entry.is_redirect:
                    continue
                item = entry.get_item()
                if not item.mimetype.startswith("text/html"):
                    continue
                if item.size > MOST_BYTES:
                    yield Skipped(entry.path, f"it has more than {MOST_BYTES:,} bytes")
                    continue
                html = bytes(item.content).decode("utf-8", "replace")
            except (RuntimeError, KeyError, IndexError) as error:
                yield Skipped(f"entry {number:,}", f"the file is damaged there ({error})")
                continue
            yield html_document(entry.path, html, title=entry.title or entry.path)

    def _said(self, name: str) -> str:
        if name not in self._archive.metadata_keys:
            return ""
        said: bytes = self._archive.get_metadata(name)
        return said.decode("utf-8", "replace")[:120]
