"""The addresses of documents: their pages in the studio, and where they came from."""

from collections.abc import Iterable
from urllib.parse import quote, unquote, urlsplit

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
    asked: dict[str, dict[str, list[str]]] = {}
    for path in paths:
        corpus, _, key = urlsplit(path).path.removeprefix(f"{ROOT}/").partition("/")
        asked.setdefault(corpus, {}).setdefault(unquote(key), []).append(path)
    found = [
        (path, web_address(url))
        for corpus, keys in asked.items()
        for key, url in Document.objects.filter(corpus__key=corpus, key__in=list(keys)).values_list(
            "key", "url"
        )
        for path in keys[key]
    ]
    return {path: origin for path, origin in found if origin}
