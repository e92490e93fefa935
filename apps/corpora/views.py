"""The search in SearXNG's protocol, and the documents as pages. Neither needs JavaScript."""

from typing import Any
from urllib.parse import urlencode, urlparse

from django.db import connection
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_cache_control
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from rest_framework import negotiation
from rest_framework.parsers import FormParser
from rest_framework.renderers import BaseRenderer, TemplateHTMLRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.authentication import SessionAuthentication
from apps.common.renderers import OrjsonRenderer
from apps.corpora.access import ReadsCorpora, WorkerOrToken
from apps.corpora.addresses import ROOT, address, web_address
from apps.corpora.models import Corpus, Document
from apps.corpora.searching import (
    MOST_DOCUMENTS,
    NOT_LOADED,
    PAGE_SIZE,
    Answer,
    Result,
    search,
)
from apps.corpora.text import rendered

MOST_PAGES = 100
SAME = {
    **{"category": "general", "template": "default.html", "priority": ""},
    **{"img_src": "", "thumbnail": "", "publishedDate": None},
}
"""What SearXNG says of every page without a picture or a date."""
WITH_TITLES = """
SELECT asked.title, corpus.key, document.key
FROM unnest(%s::text[]) AS asked(title)
JOIN corpora_document document ON lower(document.title) = asked.title
JOIN corpora_corpus corpus ON corpus.id = document.corpus_id
WHERE document.id <> %s
"""
"""A long page asks for thousands of titles. Joining one array takes a tenth of the time of an IN
with thousands of parameters."""
NOT_OFFERED = ("csv", "rss")
"""Formats that SearXNG knows and that an instance may leave out, as this one does."""


class PageRenderer(TemplateHTMLRenderer):
    exception_template_names = ("corpora/error.html",)


class ByParameter(negotiation.BaseContentNegotiation):
    """As SearXNG: `format=json` asks for JSON. All else is answered with a page."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        asked = _asked(request).get("format")
        found: BaseRenderer = next((r for r in renderers if r.format == asked), renderers[0])
        return found, found.media_type


class CorporaView(APIView):
    authentication_classes = (WorkerOrToken, SessionAuthentication)
    permission_classes = (ReadsCorpora,)
    renderer_classes: tuple[type[BaseRenderer], ...] = (PageRenderer,)
    content_negotiation_class = ByParameter
    schema = None

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        patch_cache_control(response, no_store=True)
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
        return super().finalize_response(request, response, *args, **kwargs)


class SearchView(CorporaView):
    renderer_classes = (PageRenderer, OrjsonRenderer)
    parser_classes = (FormParser,)

    def get(self, request: Request) -> Response:
        asked = _asked(request)
        wants_json = isinstance(request.accepted_renderer, OrjsonRenderer)
        if asked.get("format") in NOT_OFFERED:
            return _refused(_("This format is not offered. Use json."), wants_json, status=403)
        query, page = str(asked.get("q", "")).strip(), str(asked.get("pageno", "1"))
        if not query:
            return _refused("No query", wants_json)
        if not page.isdecimal() or not 1 <= int(page[:9]) <= MOST_PAGES:
            return _refused(f"Invalid value {page[:60]} for parameter pageno", wants_json)
        engines = [each.strip() for each in str(asked.get("engines", "")).split(",")]
        answer = search(query, page=int(page), corpora=[each for each in engines if each])
        if wants_json:
            return Response(_envelope(answer, request))
        return Response(_shown(answer, int(page)), template_name="corpora/search.html")

    post = get


class StartView(CorporaView):
    """The corpora, and the form of the search."""

    def get(self, request: Request) -> Response:
        corpora = Corpus.objects.filter(removed_at=None)
        return Response({"corpora": corpora}, template_name="corpora/search.html")


class DocumentView(CorporaView):
    def get(self, request: Request, corpus: str, key: str) -> Response:
        documents = Document.objects.select_related("corpus")
        document = get_object_or_404(documents, corpus__key=corpus, key=key)
        html = rendered(document.text, document.form, lambda names: _addresses(document, names))
        shown = {
            "document": document,
            # markdown-it escapes HTML of the text and makes no javascript: links.
            "html": mark_safe(html),  # noqa: S308
            "address": web_address(document.url),
            "corpus": document.corpus,
        }
        return Response(shown, template_name="corpora/document.html")


def _asked(request: Request) -> Any:
    return request.data if request.method == "POST" else request.query_params


def _refused(message: str, wants_json: bool, *, status: int = 400) -> Response:
    if wants_json:
        return Response({"error": message}, status=status)
    return Response({"message": message}, status=status, template_name="corpora/search.html")


def _envelope(answer: Answer, request: Request) -> dict[str, Any]:
    """SearXNG's JSON. `number_of_results` is that of its versions before 2026."""
    return {
        "query": answer.query,
        "number_of_results": answer.count,
        "results": [_result(each, request) for each in answer.results],
        "answers": [],
        "corrections": [answer.correction] if answer.correction else [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [list(problem) for problem in answer.problems],
    }


def _result(result: Result, request: Request) -> dict[str, Any]:
    document = result.document
    corpus = document.corpus.key
    url = request.build_absolute_uri(address(corpus, document.key))
    return SAME | {
        "url": url,
        "parsed_url": list(urlparse(url)),
        "title": document.title,
        "content": result.content,
        "engine": corpus,
        "engines": [corpus],
        "positions": [result.position],
        "score": result.score,
    }


def _shown(answer: Answer, page: int) -> dict[str, Any]:
    def at(number: int) -> str:
        return f"{ROOT}/search?{urlencode({'q': answer.query, 'pageno': number})}"

    return {
        "answer": answer,
        "not_loaded": NOT_LOADED in answer.problems,
        "capped": answer.count >= MOST_DOCUMENTS,
        "results": [
            (address(each.document.corpus.key, each.document.key), each) for each in answer.results
        ],
        "correction": answer.correction,
        "previous": at(page - 1) if page > 1 else "",
        "next": at(page + 1) if page * PAGE_SIZE < answer.count else "",
    }


def _addresses(document: Document, names: set[str]) -> dict[str, str]:
    """Addresses of the documents with these lower-case titles; of several with the same title, that
    of the same corpus."""
    with connection.cursor() as cursor:
        cursor.execute(WITH_TITLES, [list(names), document.pk])
        found = cursor.fetchall()
    rows = sorted(found, key=lambda row: row[1] == document.corpus.key)
    return {title: address(corpus, key) for title, corpus, key in rows}
