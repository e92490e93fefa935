"""Loads the corpora that come with the studio and measures its search, as agents use it.

    bin/studio bench corpus [--searches 300] [--no-vectors]

It sends real HTTP to one web process, with the token of the workers. Every query is new to the
process, so its vector is computed, not kept. Quality: of our own queries, the share whose first
result, and one of whose first five results, has a title that answers it; once by words and titles
alone, once with vectors. The last line has `search_p95_ms`, `page_p95_ms` and the seconds that
loading took.
"""

import argparse
import http.client
import json
import random
import time
from collections.abc import Callable, Sequence
from itertools import chain
from urllib.parse import urlencode, urlsplit

from bench.common.corpus_questions import KINDS
from bench.common.report import percentile, report
from bench.common.web import serving, set_up

WARM_SECONDS = 60.0
Ask = Callable[[str], bytes]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--searches", type=int, default=300)
    options.add_argument("--no-vectors", action="store_true")
    chosen = options.parse_args()
    set_up()
    load_seconds = timed(lambda: loaded(vectors=False))
    with serving() as port:
        words = quality(asking(port))
    embed_seconds = 0.0 if chosen.no_vectors else timed(lambda: loaded(vectors=True))
    with serving() as port:
        ask = asking(port)
        warm(ask)
        both = quality(ask)
        queries = new_queries(chosen.searches)
        searched = [milliseconds(ask, search_path(query)) for query in queries]
        paths = [urlsplit(url).path for query in queries[:50] for url in found(ask, query, "url")]
        opened = [milliseconds(ask, path) for path in paths]
    rows = [
        [kind, str(len(KINDS[kind])), *(f"{share:.2f}" for share in words[kind] + both[kind])]
        for kind in KINDS
    ]
    report(
        "corpus",
        ("queries", "number", "words: first", "of five", "with vectors: first", "of five"),
        rows,
        load_seconds=load_seconds,
        embed_seconds=embed_seconds,
        search_p50_ms=percentile(searched, 0.5),
        search_p95_ms=percentile(searched, 0.95),
        page_p50_ms=percentile(opened, 0.5),
        page_p95_ms=percentile(opened, 0.95),
        first_by_words=overall(words, 0),
        first_with_vectors=overall(both, 0),
        of_five_with_vectors=overall(both, 1),
    )


def loaded(*, vectors: bool) -> None:
    from django.core.management import call_command

    call_command("load_corpus", no_vectors=not vectors)


def timed(do: Callable[[], None]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def asking(port: int) -> Ask:
    """GET over one kept-alive connection."""
    from django.conf import settings

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {settings.CORPUS_TOKEN}"}

    def ask(path: str) -> bytes:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit(f"{path} answered {response.status}: {body[:200]!r}")
        return body

    return ask


def warm(ask: Ask) -> None:
    """Until the process has its model."""
    until = time.monotonic() + WARM_SECONDS
    while json.loads(ask(search_path("warm")))["unresponsive_engines"]:
        if time.monotonic() > until:
            raise SystemExit(f"The model was not loaded within {WARM_SECONDS:g} s.")
        time.sleep(0.5)


def search_path(query: str) -> str:
    return f"/corpus/search?{urlencode({'q': query, 'format': 'json'})}"


def milliseconds(ask: Ask, path: str) -> float:
    began = time.perf_counter()
    ask(path)
    return (time.perf_counter() - began) * 1_000


def found(ask: Ask, query: str, field: str) -> list[str]:
    return [result[field] for result in json.loads(ask(search_path(query)))["results"]]


def quality(ask: Ask) -> dict[str, list[float]]:
    """Of each kind of query: the share answered by the first result, and by one of five."""
    shares = {}
    for kind, asked in KINDS.items():
        titles = [(found(ask, query, "title"), right) for query, right in asked]
        for (query, _), (said, right) in zip(asked, titles, strict=True):
            if not right & set(said[:1]):
                print(f"{query}: {', '.join(said[:5])}")
        shares[kind] = [
            sum(bool(right & set(said[:first])) for said, right in titles) / len(titles)
            for first in (1, 5)
        ]
    return shares


def overall(shares: dict[str, list[float]], place: int) -> float:
    right = sum(shares[kind][place] * len(asked) for kind, asked in KINDS.items())
    return right / sum(map(len, KINDS.values()))


def new_queries(number: int) -> Sequence[str]:
    """Three to six words each of one summary, and our own queries' words with another's."""
    from apps.corpora.models import Passage

    drawn = random.Random(0)
    texts = list(Passage.objects.filter(position=0).order_by("id").values_list("text", flat=True))
    words = [text.split() for text in drawn.sample(texts, number)]
    own = list(chain.from_iterable(KINDS.values()))
    return [
        " ".join(drawn.sample(each, min(len(each), drawn.randint(3, 6))))
        if place % 2
        else f"{own[place % len(own)][0]} {drawn.choice(each)}"
        for place, each in enumerate(words)
    ]


if __name__ == "__main__":
    main()
