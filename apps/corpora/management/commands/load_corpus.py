"""Loads documents for the studio's own search. Safe to repeat, and to break off."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.common.errors import ApplicationError
from apps.common.progress import Progress, duration
from apps.common.terminal import LongHelp
from apps.corpora.filling import defaults_missing
from apps.corpora.services import Tell, corpus_load
from apps.corpora.sources.base import Source
from apps.corpora.sources.opening import DEFAULTS, source_of
from apps.corpora.vectors import passages_embed
from workers.core.embed.minilm import EmbeddingsUnavailable

LOWEST_PRIORITY = 19


class Command(LongHelp):
    help = (
        "Load documents that agents find with the tool web_search, for example:\n"
        "  load_corpus                             summaries of Wikipedia, and the World Factbook\n"
        "  load_corpus notes/                      .txt, .md and .html files of a folder\n"
        '  load_corpus articles.jsonl --key mine   a line: {"title": …, "text": …, "url": …}\n'
        '  load_corpus wiki.zim --licence "CC BY-SA"\n'
        "Documents can be found by their words at once. Then each is embedded, which takes some\n"
        "minutes for 10,000. If that is broken off, the next load_corpus continues."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", nargs="?", type=Path, help="a folder, a .jsonl or a .zim file")
        parser.add_argument("--key", default="", help="end of its address; else the file's name")
        parser.add_argument("--name", default="", help="name for people")
        parser.add_argument(
            "--licence", default="", help="licence of the texts, shown on each page"
        )
        parser.add_argument("--no-vectors", action="store_true", help="do not embed the documents")
        parser.add_argument(
            "--missing",
            action="store_true",
            help="only what comes with the studio and was never loaded; at the lowest priority",
        )

    def handle(self, *, path: Path | None, no_vectors: bool, missing: bool, **options: Any) -> None:
        if missing:
            os.nice(LOWEST_PRIORITY)
        try:
            for source in self._sources(path, missing, options):
                self._load(source)
            if not no_vectors:
                self._embed()
        except ApplicationError as error:
            raise CommandError(error.lines()) from error

    def _sources(self, path: Path | None, missing: bool, options: dict[str, Any]) -> list[Source]:
        if path is not None:
            named = {name: options[name] for name in ("key", "name", "licence")}
            return [source_of(path, **named)]
        return [DEFAULTS[key]() for key in (defaults_missing() if missing else DEFAULTS)]

    def _load(self, source: Source) -> None:
        began = time.monotonic()
        report = corpus_load(source, bar("documents"))
        self.stdout.write(
            f"{source.about.key}: {report.added:,} documents added, {report.changed:,} changed, "
            f"{report.unchanged:,} unchanged, {report.removed:,} removed, "
            f"{report.skipped_count:,} skipped, in {time.monotonic() - began:.1f} s"
        )
        for skipped in report.skipped:
            self.stderr.write(f"{skipped.place}: {skipped.reason}")
        if report.skipped_count > len(report.skipped):
            self.stderr.write(f"… and {report.skipped_count - len(report.skipped):,} more")

    def _embed(self) -> None:
        began = time.monotonic()
        try:
            done = passages_embed(bar("passages embedded"))
        except EmbeddingsUnavailable as error:
            raise CommandError(str(error)) from error
        if done is None:
            self.stdout.write("Another process embeds the passages now.")
        elif done:
            took = duration(time.monotonic() - began)
            self.stdout.write(f"{done:,} passages embedded in {took}")


def bar(unit: str) -> Tell:
    began = time.monotonic()
    shown: list[Progress] = []

    def tell(done: int, total: int) -> None:
        if not shown:
            shown.append(Progress(total, sys.stderr, unit=unit))
        left = (time.monotonic() - began) / done * (total - done) if done else None
        shown[0].draw(done, left, last=done >= total)

    return tell
