"""Searches the web: by any service that answers SearXNG's JSON, or by Tavily with a key.

Read in SearXNG's documentation (search API) and Tavily's (POST /search). What people complain of
most is told by its cause: rate limits, CAPTCHAs, and a SearXNG that has JSON turned off, as it has
by default.
"""

import asyncio
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import aiohttp
from yarl import URL

from workers.core.net.guard import AddressRefused, PrivateRefused, RedirectRefused
from workers.core.net.lookups import LookupsBusy, LookupUnanswered
from workers.core.net.outbound import (
    LIMITED,
    Fetched,
    OutboundClient,
    patiently,
    seconds_asked,
)
from workers.core.specs import Source
from workers.core.tools.base import ToolLimits, ToolResult, object_schema, whole_number
from workers.core.tools.challenges import CHALLENGED, is_challenge_html
from workers.core.tools.foreign_text import one_line
from workers.core.tools.run_tool import Run, RunScope, RunTool, Start, ToolBudget
from workers.core.tools.seen import Seen, again
from workers.core.tools.settings import ToolSettings

RESULTS = 5
RESULTS_MAX = 10
SNIPPET_CHARS = 300
QUERY_CHARS = 400
NO_SERVICE = (
    "No search service is set up. Answer without searching. Whoever runs the studio can set "
    "SEARCH_URL, or SEARCH_TAVILY_KEY_ENV."
)


@dataclass(frozen=True, slots=True)
class Found:
    title: str
    address: str
    snippet: str


@dataclass(frozen=True, slots=True)
class Results:
    """`silent`: engines that did not answer, with their reasons."""

    found: tuple[Found, ...]
    silent: tuple[str, ...] = ()


class SearchFailed(Exception):
    """Why a search gave nothing, as sentences with the way out."""


@dataclass(frozen=True, slots=True)
class _Service:
    """One request to a search service, and how its refusals are called."""

    method: str
    url: str
    headers: dict[str, str]
    data: bytes | None
    allow_private: bool
    refusals: dict[int, str]


def _service(settings: ToolSettings, query: str, count: int) -> _Service:
    """Raises SearchFailed."""
    if settings.search_url:
        base = URL(settings.search_url.rstrip("/") + "/search")
        return _Service(
            "GET",
            str(base.with_query(q=query, format="json")),
            {"Accept": "application/json", **settings.headers_for(base)},
            None,
            settings.search_allow_private,
            {
                403: "The search service refuses to answer in JSON (403). Whoever runs it can add "
                "json to search.formats in SearXNG's settings.yml.",
                404: "There is no search service at SEARCH_URL (404).",
            },
        )
    if not settings.tavily_key_env:
        raise SearchFailed(NO_SERVICE)
    key = os.environ.get(settings.tavily_key_env, "").strip()
    if not key:
        raise SearchFailed(
            f"The environment variable {settings.tavily_key_env} with Tavily's key is not set."
        )
    refused = f"Tavily refuses the key in {settings.tavily_key_env} (401)."
    spent = "The plan of Tavily's key is used up. Wait, or raise it at Tavily."
    return _Service(
        "POST",
        f"{settings.tavily_url}/search",
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
        json.dumps({"query": query, "max_results": count}).encode(),
        allow_private=settings.search_allow_private,
        refusals={401: refused, 432: spent, 433: spent},
    )


class _Search:
    """The searches of one run."""

    def __init__(self, scope: RunScope) -> None:
        self._scope = scope
        self._seen: Seen[tuple[Results, int]] = Seen()

    async def run(
        self, arguments: Mapping[str, Any], limits: ToolLimits, agent_id: str
    ) -> ToolResult:
        query, count = arguments.get("query"), whole_number(arguments.get("count", RESULTS))
        if not isinstance(query, str) or not query.strip():
            return ToolResult(False, 'Give the query as text: {"query": "height of Mont Blanc"}.')
        query = " ".join(query.encode(errors="replace").decode().split())
        if len(query) > QUERY_CHARS:
            return ToolResult(False, f"The query is longer than {QUERY_CHARS} characters.")
        if count is None or not 1 <= count <= RESULTS_MAX:
            return ToolResult(False, f"count must be a number from 1 to {RESULTS_MAX}.")
        asked = query.casefold(), count
        settings, seconds = self._scope.settings, limits.seconds
        try:
            (known, size), fresh = await self._seen.found(
                asked, lambda: _ask(settings, query, count, seconds)
            )
        except SearchFailed as error:
            return ToolResult(False, str(error))
        note = again(self._seen.times(asked), "asked this")
        return _told(known, note=note, cached=not fresh, fetched=size if fresh else 0)


def _told(results: Results, *, note: str, cached: bool, fetched: int) -> ToolResult:
    silent = f"These engines did not answer: {', '.join(results.silent)}." if results.silent else ""
    if not results.found:
        why = silent or "Use fewer or other words."
        return ToolResult(not silent, f"No results. {why}", note, foreign=True, fetched=fetched)
    lines = [
        f"{number}. {found.title}\n   {found.address}\n   {found.snippet}".rstrip()
        for number, found in enumerate(results.found, 1)
    ]
    sources = tuple(Source(title=found.title, address=found.address) for found in results.found)
    output = "\n".join([*lines, *filter(None, [silent])])
    return ToolResult(True, output, note, True, sources, cached=cached, fetched=fetched)


async def _ask(
    settings: ToolSettings, query: str, count: int, seconds: float
) -> tuple[Results, int]:
    """The results, and the bytes they came in. Raises SearchFailed."""
    service = _service(settings, query, count)
    until = time.monotonic() + seconds
    try:
        async with (
            asyncio.timeout(seconds - 0.5),
            OutboundClient(allow_private=service.allow_private, seconds=seconds) as client,
        ):
            send = partial(client.request, service.method, service.url, follow=2)
            ask = partial(send, headers=service.headers, data=service.data)
            fetched = await patiently(ask, until=until - 0.5)
    except AddressRefused as error:
        raise SearchFailed(_refused(error)) from error
    except TimeoutError as error:
        raise SearchFailed(
            f"The search service did not answer within {seconds:.0f} seconds. Try again later."
        ) from error
    except (aiohttp.ClientError, LookupsBusy, LookupUnanswered, OSError, ValueError) as error:
        cause = type(error).__name__
        raise SearchFailed(
            f"The search service can't be reached ({cause}). Whoever runs the studio should check "
            "that it is up, and its address."
        ) from error
    return _read(fetched, service, count), len(fetched.body)


def _read(fetched: Fetched, service: _Service, count: int) -> Results:
    """Raises SearchFailed."""
    start = fetched.body[:512].lstrip().lower()
    is_html = "html" in fetched.content_type or start.startswith((b"<!doctype", b"<html"))
    if is_html and is_challenge_html(fetched.body):
        raise SearchFailed(
            f"The search service answered with no results ({fetched.status}). {CHALLENGED}. Try "
            "again later, or use another service."
        )
    if fetched.status in LIMITED:
        raise SearchFailed(_limited(fetched))
    if (why := service.refusals.get(fetched.status)) is not None:
        raise SearchFailed(why)
    if is_html:
        raise SearchFailed(
            "The search service answered with a web page instead of results "
            f"({fetched.status}). It takes the studio for a robot, or JSON is off there. Try again "
            "later, or use another service."
        )
    if fetched.status != 200:
        raise SearchFailed(f"The search service answered with the error {fetched.status}.")
    try:
        told = json.loads(fetched.body)
    except (ValueError, RecursionError) as error:
        why = "too long" if fetched.truncated else "no JSON"
        raise SearchFailed(f"The search service's answer is {why}. Try again later.") from error
    listed = told.get("results") if isinstance(told, dict) else None
    if not isinstance(listed, list):
        raise SearchFailed("The search service's answer has no list of results.")
    found = [result for each in listed if (result := _found(each)) is not None]
    return Results(tuple(found[:count]), _silent(told.get("unresponsive_engines")))


def _refused(error: AddressRefused) -> str:
    """Only the service's own address may be private: whoever answers for it must not choose
    another one inside."""
    if isinstance(error, RedirectRefused):
        return (
            f"The search service redirects to where it may not. {error.message} Whoever runs the "
            "studio should check the service's address."
        )
    if isinstance(error, PrivateRefused):
        return (
            "The search service has a private address. Whoever runs the studio can allow it by "
            "SEARCH_ALLOW_PRIVATE=1."
        )
    return (
        f"The search service's address can't be used. {error.message} Whoever runs the studio "
        "should correct it."
    )


def _limited(fetched: Fetched) -> str:
    asked = seconds_asked(fetched.retry_after)
    told = f" It asks to wait {asked:.0f} seconds." if asked and asked >= 1 else ""
    why = "allows no more queries now" if fetched.status == 429 else "is overloaded"
    return f"The search service {why} ({fetched.status}).{told} Go on with what you have."


def _found(result: object) -> Found | None:
    if not isinstance(result, dict):
        return None
    address = result.get("url")
    if not isinstance(address, str) or not address.startswith(("http://", "https://")):
        return None
    title = one_line(str(result.get("title") or ""))
    snippet = one_line(str(result.get("content") or ""), SNIPPET_CHARS)
    return Found(title, one_line(address, 2_000), snippet)


def _silent(engines: object) -> tuple[str, ...]:
    """SearXNG lists pairs: the engine, and why it did not answer."""
    if not isinstance(engines, Sequence) or isinstance(engines, str):
        return ()
    named = [each for each in engines if isinstance(each, list) and each]
    return tuple(
        one_line(f"{each[0]} ({each[1]})" if len(each) > 1 else str(each[0]), 80)
        for each in named[:10]
    )


def _open(scope: RunScope) -> Run:
    return _Search(scope).run


def _starts(start: Start) -> list[dict[str, str]]:
    """The question itself, unless a file or page that it names was read."""
    if start.found:
        return []
    query = " ".join(start.about.split())
    return [{"query": query[:QUERY_CHARS]}] if query else []


WEB_SEARCH = RunTool(
    key="web_search",
    name="Web search",
    description=(
        "Searches the web and lists titles, addresses and a few words of pages. Read a page to "
        "know what it says."
    ),
    parameters=object_schema(
        {
            "query": {"type": "string", "description": "a few words to search for"},
            "count": {
                "type": "integer",
                "description": f"number of results, 1 to {RESULTS_MAX}; {RESULTS} if left out",
            },
        },
        "query",
    ),
    open=_open,
    limits=ToolLimits(seconds=15.0),
    budget=ToolBudget(calls=40, seconds=300.0),
    starts=_starts,
    remembers=True,
)
