"""Vectors of passages, made in batches, and of queries, by a model that stays in this process."""

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache

from django.db import connection, transaction
from django.db.models import QuerySet

from apps.corpora.models import Passage, PassageVector
from apps.corpora.services import Tell
from workers.core.embed.minilm import EmbeddingsUnavailable, MiniLMEmbedder

log = logging.getLogger(__name__)

BATCH = 128
EMBEDDING = 0x766563
"""The advisory lock of the process that embeds passages."""
KEPT_QUERIES = 4_096


def passages_waiting() -> QuerySet[Passage]:
    """Passages without a vector. The beginnings of all documents come first: they say most."""
    return Passage.objects.filter(embedded=None).order_by("position", "id")


def passages_embed(tell: Tell) -> int | None:
    """Embeds every passage that has no vector, and returns how many; None if another process does
    so now. Each batch is stored at once, so a later call continues where this one ended."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [EMBEDDING])
        if not cursor.fetchone()[0]:
            return None
    embedder = MiniLMEmbedder()
    try:
        total, done = passages_waiting().count(), 0
        while batch := list(passages_waiting().defer("search")[:BATCH]):
            vectors = embedder.embed_now([embedded_text(passage) for passage in batch])
            with transaction.atomic():
                # A passage that was deleted meanwhile takes no vector.
                left = Passage.objects.select_for_update(of=("self",)).filter(
                    pk__in=[passage.pk for passage in batch]
                )
                there = set(left.values_list("pk", flat=True))
                PassageVector.objects.bulk_create(
                    PassageVector(passage_id=passage.pk, vector=vector)
                    for passage, vector in zip(batch, vectors, strict=True)
                    if passage.pk in there
                )
            done += len(batch)
            tell(min(done, total), total)
        return done
    finally:
        embedder.close()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [EMBEDDING])


def embedded_text(passage: Passage) -> str:
    return f"{passage.title}. {passage.heading}. {passage.text}"


def is_embedding() -> bool:
    """Whether a process embeds passages now."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND "
            "database = (SELECT oid FROM pg_database WHERE datname = current_database()))",
            [EMBEDDING],
        )
        return bool(cursor.fetchone()[0])


class QueryEmbedder:
    """Loads its model in a thread at the first query: a web process without searches has none,
    and its start does not wait for one.

    One thread: a query is short, and on a busy machine several wait for each other."""

    def __init__(self) -> None:
        self._embedder = MiniLMEmbedder(threads=1)
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="vectors")
        self._loading: threading.Thread | None = None
        self._lock = threading.Lock()
        self.vector = lru_cache(KEPT_QUERIES)(self._vector)

    def soon(self, query: str) -> Future[tuple[float, ...] | None]:
        """`ready_vector`, while its caller asks the database."""
        return self._threads.submit(self.ready_vector, query)

    def ready_vector(self, query: str) -> tuple[float, ...] | None:
        """None while the model is being loaded, and if it is not on this machine."""
        return self.vector(query) if self._is_ready() else None

    def _vector(self, query: str) -> tuple[float, ...]:
        return tuple(self._embedder.embed_now([query])[0].tolist())

    def _is_ready(self) -> bool:
        with self._lock:
            if self._loading is None:
                self._loading = threading.Thread(target=self._load, name="embedder", daemon=True)
                self._loading.start()
        return self._is_loaded

    _is_loaded = False

    def _load(self) -> None:
        try:
            self._embedder.embed_now([""])
        except EmbeddingsUnavailable as error:
            log.warning("search finds by words alone: %s", error)
        else:
            self._is_loaded = True


QUERIES = QueryEmbedder()
