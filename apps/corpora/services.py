"""Loads corpora and removes them, one after the other; a load changes all or nothing."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from django.db import connection, transaction
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError
from apps.corpora.models import Corpus, Document, Passage, PassageVector
from apps.corpora.sources.base import MOST_CHARS, Found, Report, Skipped, Source, clean
from apps.corpora.sources.opening import DEFAULTS
from apps.corpora.text import pieces
from apps.corpora.words import words_count

BATCH = 500
SHOWN_SKIPPED = 20
DOTS = re.compile(r"(?<![^/])\.{1,2}(?![^/])")
"""Parts of a path that every client leaves out: the page could not be asked for."""
LOADING = 0x636F7270
"""The advisory lock of a load."""

Tell = Callable[[int, int], None]
"""Gets how many documents are done, and about how many there are."""


@transaction.atomic
def corpus_load(source: Source, tell: Tell) -> Report:
    """Makes the stored corpus equal to the source. Documents that are unchanged keep their vectors.
    Readers see the old corpus until the end. Raises ApplicationError."""
    _wait_for_others()
    about = source.about
    values = {
        "name": about.name,
        "source": about.source,
        "source_url": about.source_url,
        "licence": about.licence,
        "licence_url": about.licence_url,
        "removed_at": None,
        "loaded_at": timezone.now(),
    }
    corpus, _made = Corpus.objects.update_or_create(key=about.key, defaults=values)
    loading = _Loading(corpus)
    done = 0
    for batch in _batches(source.read()):
        loading.store(batch)
        done += len(batch)
        tell(min(done, source.total), source.total)
    report = loading.finish()
    if not (report.added or report.changed or report.unchanged):
        raise ApplicationError(
            code="no_documents",
            message=_("Nothing could be read: %(place)s: %(reason)s.")
            % {
                "place": report.skipped[0].place if report.skipped else about.name,
                "reason": report.skipped[0].reason if report.skipped else _("it has no documents"),
            },
            remedy=_("Nothing was changed. Correct the source and load it again."),
        )
    if report.added or report.changed or report.removed:
        corpus_count(corpus)
    tell(source.total, source.total)
    return report


@transaction.atomic
def corpus_remove(*, corpus: Corpus) -> None:
    """Deletes the documents. The row of a corpus that comes with the studio stays, empty."""
    _wait_for_others()
    pages = Document.objects.filter(corpus=corpus)
    _documents_delete(list(pages.values_list("id", flat=True)))
    if corpus.key in DEFAULTS:
        Corpus.objects.filter(pk=corpus.pk).update(
            removed_at=timezone.now(), documents=0, passages=0
        )
    else:
        corpus.delete()
    words_count()


def _wait_for_others() -> None:
    """A removal beside a load would leave documents of a removed corpus."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOADING])


def corpus_count(corpus: Corpus) -> None:
    """Counts what search needs to know of all that is stored now."""
    counts = Document.objects.filter(corpus=corpus).aggregate(
        documents=Count("id", distinct=True), passages=Count("passages")
    )
    Corpus.objects.filter(pk=corpus.pk).update(**counts)
    words_count()
    with connection.cursor() as cursor:
        # Without statistics of what is new, the first searches read whole tables.
        cursor.execute("ANALYZE corpora_document, corpora_passage, corpora_word")


class _Loading:
    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        rows = Document.objects.filter(corpus=corpus).values_list("key", "id", "digest")
        self._stored = {key: (pk, digest) for key, pk, digest in rows}
        self._seen: set[str] = set()
        self._report = Report()

    def store(self, batch: Iterable[Found | Skipped]) -> None:
        new: list[Found] = []
        replaced: list[int] = []
        for each in batch:
            found = self._checked(each)
            if found is None:
                continue
            known = self._stored.pop(found.key, None)
            if known is not None and known[1] == found.digest():
                self._report.unchanged += 1
                continue
            new.append(found)
            if known is None:
                self._report.added += 1
            else:
                self._report.changed += 1
                replaced.append(known[0])
        _documents_delete(replaced)
        _documents_create(self._corpus, new)

    def finish(self) -> Report:
        """Removes what the source no longer has."""
        left = [pk for pk, _ in self._stored.values()]
        self._report.removed = len(left)
        for first in range(0, len(left), BATCH):
            _documents_delete(left[first : first + BATCH])
        return self._report

    def _checked(self, each: Found | Skipped) -> Found | None:
        if isinstance(each, Found):
            found = _cleaned(each)
            if not found.text:
                each = Skipped(each.key, _("it has no text"))
            elif len(found.text) > MOST_CHARS:
                each = Skipped(each.key, f"it has more than {MOST_CHARS:,} characters")
            else:
                return self._named(found)
        self._report.skipped_count += 1
        if len(self._report.skipped) < SHOWN_SKIPPED:
            self._report.skipped.append(each)
        return None

    def _named(self, found: Found) -> Found:
        """With a key that no document before it has."""
        key, number = found.key, 1
        while key in self._seen:
            number += 1
            key = f"{found.key}-{number}"
        self._seen.add(key)
        return Found(key, found.title, found.text, found.form, found.description, found.url)


def _cleaned(found: Found) -> Found:
    return Found(
        key=DOTS.sub("_", clean(found.key)[:280]) or "untitled",
        title=clean(found.title)[:300] or clean(found.key)[:300] or "Untitled",
        text=clean(found.text),
        form=found.form,
        description=clean(found.description)[:300],
        url=clean(found.url)[:2_000],
    )


def _documents_create(corpus: Corpus, new: list[Found]) -> None:
    rows = [
        Document(
            corpus=corpus,
            key=each.key,
            title=each.title,
            description=each.description,
            url=each.url,
            text=each.text,
            form=each.form,
            digest=each.digest(),
        )
        for each in new
    ]
    stored = Document.objects.bulk_create(rows)
    Passage.objects.bulk_create(
        (
            Passage(
                document=row,
                position=position,
                title=row.title,
                heading=piece.heading,
                text=piece.text,
            )
            for row in stored
            for position, piece in enumerate(pieces(row.text, row.form, lead=row.description))
        ),
        batch_size=2_000,
    )


def _documents_delete(ids: list[int]) -> None:
    """In three statements: Django would first read every passage."""
    PassageVector.objects.filter(passage__document__in=ids).delete()
    passages = Passage.objects.filter(document__in=ids)
    passages._raw_delete(passages.db)
    documents = Document.objects.filter(pk__in=ids)
    documents._raw_delete(documents.db)


def _batches(found: Iterator[Found | Skipped]) -> Iterator[list[Found | Skipped]]:
    while batch := list(islice(found, BATCH)):
        yield batch
