"""Describes what went wrong with a call: the cause and the remedy.

Every function makes an `LLMError`; `permanent` decides whether the call is tried again. A server's
text is quoted with at most 300 characters and without the key.
"""

from __future__ import annotations

import re

from workers.core.llm.reported import QUOTA, Reported, Said, read_error
from workers.core.llm.texts import whole
from workers.core.llm.types import LLMError
from workers.core.specs import EndpointSpec

QUOTE_CHARS = 300
SAME_LIMITS = "Lower the endpoint's concurrency, or try again later."
NOT_LLM = "Check the base URL: it usually ends in /v1."
NO_TOOLS = (
    "Turn off “Native tool calls” in the endpoint's settings. Agents then call tools in text."
)
CONTENT_FILTERED = "content_filtered"
TOOLS = re.compile(r"\btools?\b|tool[_ ](choice|call)|function[_ ]call", re.IGNORECASE)
FILTER = re.compile(
    r"content[_ ]?(filter|policy|management policy)|safety system|moderation.{0,40}flagged"
    r"|prohibited[_ ]content|data_inspection_failed",
    re.IGNORECASE,
)
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")


def from_status(
    endpoint: EndpointSpec,
    status: int,
    body: bytes,
    *,
    key: str = "",
    retry_after: float | None = None,
) -> LLMError:
    """The error for an HTTP status other than 200."""
    return from_report(endpoint, Reported(read_error(body), http=status), key, retry_after)


def from_report(
    endpoint: EndpointSpec, reported: Reported, key: str = "", retry_after: float | None = None
) -> LLMError:
    """The error for a server's report. `retry_after` is the header's, in seconds."""
    said = reported.said
    error = _by_status(endpoint, said, reported.http, quoted(said.message, key))
    error.spoke = reported.spoke
    if not error.permanent:
        error.retry_after = said.retry_after if retry_after is None else retry_after
    if error.retry_after:
        error.message += f" The server asks to wait {error.retry_after:.4g} s."
    return error


def _by_status(endpoint: EndpointSpec, said: Said, http: int, quote: str) -> LLMError:
    status, shown = said.status(http), said.own or http
    if status not in {401, 403, 404, 429} and said.speaks_of_context():
        return _context(endpoint, quote)
    if status not in {401, 429} and FILTER.search(f"{said.code} {said.message}"):
        return filtered(endpoint, quote)
    if status in {401, 403, 429, QUOTA}:
        return _refused_account(endpoint, said, status, shown, quote)
    if status == 404 and (http or "model" in said.message.lower()):
        return _not_found(endpoint, said.message, quote)
    if status in {0, 408, 425} or (status >= 500 and status != 501):
        return _server_error(endpoint, shown, quote)
    return _bad_request(endpoint, shown, said, quote)


def _refused_account(
    endpoint: EndpointSpec, said: Said, status: int, shown: int, quote: str
) -> LLMError:
    if status in {401, 403}:
        return _refused_key(endpoint, status, shown, quote)
    if status == QUOTA or "insufficient_quota" in said.code:
        return LLMError(
            code="quota_exceeded",
            message=f"The account at {endpoint.base_url} has no quota left. {quote}".strip(),
            remedy="Check the account's plan and billing, or use another endpoint.",
            permanent=True,
        )
    message = f"{endpoint.base_url} limits the rate of requests. {quote}".strip()
    return transient("rate_limited", message, SAME_LIMITS)


def _server_error(endpoint: EndpointSpec, shown: int, quote: str) -> LLMError:
    failed = f"failed with status {shown}." if shown else "reported an error."
    return transient(
        "server_error",
        f"{endpoint.base_url} {failed} {quote}".strip(),
        "Check the server's log, or try again later.",
    )


def _context(endpoint: EndpointSpec, quote: str) -> LLMError:
    return LLMError(
        code="context_length_exceeded",
        message=f"The prompt is longer than {endpoint.model} can read. {quote}".strip(),
        remedy=(
            "Shorten the question, let agents read fewer others, or use a model with a longer "
            "context."
        ),
        permanent=True,
    )


def filtered(endpoint: EndpointSpec, quote: str = "") -> LLMError:
    return LLMError(
        code=CONTENT_FILTERED,
        message=f"The content filter of {endpoint.base_url} blocked the text. {quote}".strip(),
        remedy="Reword the question or the role's prompt, or use another endpoint.",
        permanent=True,
    )


def _bad_request(endpoint: EndpointSpec, shown: int, said: Said, quote: str) -> LLMError:
    if 300 <= shown < 400:
        return LLMError(
            code="redirected",
            message=f"{endpoint.base_url} redirects to another address (status {shown}).",
            remedy="Enter the address it redirects to as the base URL.",
            permanent=True,
        )
    return LLMError(
        code="bad_request",
        message=f"{endpoint.base_url} refused the request{_in_figures(shown)}. {quote}".strip(),
        remedy=NO_TOOLS if TOOLS.search(said.message) else "Check the endpoint's settings.",
        permanent=True,
    )


def _in_figures(shown: int) -> str:
    return f" (status {shown})" if shown else ""


def stream_interrupted(endpoint: EndpointSpec, damaged: str = "") -> LLMError:
    """`damaged`: what is wrong with a piece in the middle; empty if the stream just ended."""
    if damaged:
        return transient(
            "stream_interrupted",
            f"{endpoint.base_url} sent a damaged piece in the middle of an answer: {damaged}.",
            "Try again. If it happens often, check the server and any proxies in between.",
        )
    return transient(
        "stream_interrupted",
        f"{endpoint.base_url} stopped in the middle of an answer.",
        "Check the server's log: the server may have run out of memory.",
    )


def garbage(endpoint: EndpointSpec, why: str) -> LLMError:
    """The server answers 200 with something other than a chat completion."""
    return LLMError(
        code="garbage_reply",
        message=f"{endpoint.base_url} answers, but not like an LLM server: {why}.",
        remedy=NOT_LLM,
        permanent=True,
    )


def too_long(endpoint: EndpointSpec) -> LLMError:
    return LLMError(
        code="reply_too_long",
        message=f"{endpoint.model} did not stop at the token limit of the request.",
        remedy="Check that the server respects max_tokens, or use another model.",
        permanent=True,
    )


def unsendable() -> LLMError:
    return LLMError(
        code="unsendable_text",
        message="The request contains text that is not valid Unicode.",
        remedy="Remove the broken characters (lone surrogates) from the question or the role.",
        permanent=True,
    )


def missing_key(variable: str) -> LLMError:
    return LLMError(
        code="missing_api_key",
        message=f"The environment variable {variable} has no usable key.",
        remedy=f"Set {variable} where the workers run, then restart them.",
        permanent=True,
    )


def refused_key_name(variable: str) -> LLMError:
    return LLMError(
        code="api_key_env_refused",
        message=f"The environment variable {quoted(variable, '')} may not be sent to servers.",
        remedy="Keep the key in a variable whose name ends in _API_KEY or _API_TOKEN.",
        permanent=True,
    )


def quoted(text: str, key: str) -> str:
    """A server's text, safe to show: without key and control characters, at most 300 characters."""
    text = whole(text[:4_000])
    if key:
        text = text.replace(key, "[key]")
    return CONTROL.sub(" ", text).strip()[:QUOTE_CHARS]


def transient(code: str, message: str, remedy: str) -> LLMError:
    return LLMError(code=code, message=message, remedy=remedy, permanent=False)


def _refused_key(endpoint: EndpointSpec, status: int, shown: int, quote: str) -> LLMError:
    held = f"the key in {endpoint.api_key_env}" if endpoint.api_key_env else "a call without a key"
    return LLMError(
        code="unauthorized" if status == 401 else "forbidden",
        message=f"{endpoint.base_url} refuses {held}{_in_figures(shown)}. {quote}".strip(),
        remedy=(
            f"Check the key in {endpoint.api_key_env} and its permissions."
            if endpoint.api_key_env
            else "In the endpoint's settings, enter the environment variable that holds the key."
        ),
        permanent=True,
    )


def _not_found(endpoint: EndpointSpec, said: str, quote: str) -> LLMError:
    if "model" in said.lower():
        return LLMError(
            code="model_not_found",
            message=f"{endpoint.base_url} has no model {endpoint.model}. {quote}".strip(),
            remedy="Click “Test connection” to list its models, and choose one.",
            permanent=True,
        )
    return LLMError(
        code="not_found",
        message=f"{endpoint.base_url} has no /chat/completions (status 404).",
        remedy=NOT_LLM,
        permanent=True,
    )
