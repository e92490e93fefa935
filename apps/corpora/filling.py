"""What search still lacks: corpora that come with the studio, and vectors."""

from django.conf import settings

from apps.corpora.models import Corpus
from apps.corpora.sources.opening import DEFAULTS
from apps.corpora.vectors import is_embedding, passages_waiting


def defaults_missing() -> list[str]:
    """Keys of corpora that come with the studio and were never loaded. One that a person removed
    is not missing."""
    if not settings.CORPUS_DEFAULTS:
        return []
    stored = set(Corpus.objects.filter(key__in=DEFAULTS).values_list("key", flat=True))
    return [key for key in DEFAULTS if key not in stored]


def is_filling_due() -> bool:
    return bool(defaults_missing()) or (passages_waiting().exists() and not is_embedding())
