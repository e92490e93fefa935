"""The addresses of documents: their pages in the studio, and where they came from."""

from collections.abc import Iterable
from urllib.parse import quote, unquote, urlsplit

from django.db.models import Q

from apps.corpora.models import Document

ROOT = "/corpus"


def address(corpus: str, key: str) -> str:
    """The path of a document's page."""
    return f"{ROOT}/{corpus}/{quote(key)}"


def web_address(url: str) -> str:
    """The URL if a browser may follow it, else ""."""
    return url if urlsplit(url).scheme in {"http", "https"} else ""


def pages_origins(paths: Iterable[str]) -> dict[str, str]:
    """Where the documents with these paths came from, by path. Left out: documents that are gone,
    and those whose origin a browser can't follow."""
    asked: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        corpus, _, key = urlsplit(path).path.removeprefix(f"{ROOT}/").partition("/")
        asked.setdefault((corpus, unquote(key)), []).append(path)
    if not asked:
        return {}
    named = Q()
    for corpus, key in asked:
        named |= Q(corpus__key=corpus, key=key)
    found = Document.objects.filter(named).values_list("corpus__key", "key", "url")
    return {
        path: origin
        for corpus, key, url in found
        if (origin := web_address(url))
        for path in asked[corpus, key]
    }
