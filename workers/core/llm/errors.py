"""Describes what went wrong with a call: the cause and the remedy.

Every function makes an `LLMError`; `permanent` decides whether the call is tried again. A server's
text is quoted with at most 300 characters and without the key.
"""

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


def from_status(endpoint: EndpointSpec, status: int, body: bytes, *, key: str = "") -> LLMError:
    """The error for an HTTP status other than 200."""
    return from_report(endpoint, Reported(read_error(body), http=status), key)


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
    if status in {404, 405} and (http or "model" in said.message.lower()):
        return _not_found(endpoint, said.message, status, quote)
    if status in {0, 408, 409, 425, 499} or (status >= 500 and status != 501):
        return _server_error(endpoint, shown, quote)
    return _bad_request(endpoint, shown, said, quote)


def _refused_account(
    endpoint: EndpointSpec, said: Said, status: int, shown: int, quote: str
) -> LLMError:
    if status in {401, 403}:
        return _refused_key(endpoint, status, shown, quote)
    if status == QUOTA or "insufficient_quota" in said.code:
        return permanent(
            "quota_exceeded",
            f"The account at {endpoint.base_url} has no quota left. {quote}".strip(),
            "Check the account's plan and billing, or use another endpoint.",
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
    return permanent(
        "context_length_exceeded",
        f"The prompt is longer than {endpoint.model} can read. {quote}".strip(),
        "Shorten the question, let agents read fewer others, or use a model with a longer context.",
    )


def filtered(endpoint: EndpointSpec, quote: str = "") -> LLMError:
    return permanent(
        CONTENT_FILTERED,
        f"The content filter of {endpoint.base_url} blocked the text. {quote}".strip(),
        "Reword the question or the role's prompt, or use another endpoint.",
    )


def _bad_request(endpoint: EndpointSpec, shown: int, said: Said, quote: str) -> LLMError:
    if 300 <= shown < 400:
        return permanent(
            "redirected",
            f"{endpoint.base_url} redirects to another address (status {shown}).",
            "Enter the address it redirects to as the base URL.",
        )
    return permanent(
        "bad_request",
        f"{endpoint.base_url} refused the request{_in_figures(shown)}. {quote}".strip(),
        _way_out(endpoint, said),
    )


def _way_out(endpoint: EndpointSpec, said: Said) -> str:
    named = [
        name
        for name in endpoint.extra_body
        if name in said.fields or re.search(rf"['\"`“]{re.escape(name)}['\"`”]", said.message)
    ]
    if named:
        return f"Remove “{named[0]}” from the endpoint's extra request fields."
    return NO_TOOLS if TOOLS.search(said.message) else "Check the endpoint's settings."


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
    return permanent(
        "garbage_reply",
        f"{endpoint.base_url} answers, but not like an LLM server: {why}.",
        NOT_LLM,
    )


def too_long(endpoint: EndpointSpec) -> LLMError:
    return permanent(
        "reply_too_long",
        f"{endpoint.model} did not stop at the token limit of the request.",
        "Check that the server respects max_tokens, or use another model.",
    )


def unsendable() -> LLMError:
    return permanent(
        "unsendable_text",
        "The request contains text that is not valid Unicode.",
        "Remove the broken characters (lone surrogates) from the question or the role.",
    )


def missing_key(variable: str) -> LLMError:
    return permanent(
        "missing_api_key",
        f"The environment variable {variable} has no usable key.",
        f"Set {variable} where the workers run, then restart them.",
    )


def refused_key_name(variable: str) -> LLMError:
    return permanent(
        "api_key_env_refused",
        f"The environment variable {quoted(variable, '')} may not be sent to servers.",
        "Keep the key in a variable whose name ends in _API_KEY or _API_TOKEN.",
    )


def quoted(text: str, key: str) -> str:
    """A server's text, safe to show: without key and control characters, at most 300 characters."""
    text = whole(text[:4_000])
    if key:
        text = text.replace(key, "[key]")
    return CONTROL.sub(" ", text).strip()[:QUOTE_CHARS]


def transient(code: str, message: str, remedy: str) -> LLMError:
    return LLMError(code=code, message=message, remedy=remedy, permanent=False)


def permanent(code: str, message: str, remedy: str) -> LLMError:
    return LLMError(code=code, message=message, remedy=remedy, permanent=True)


def _refused_key(endpoint: EndpointSpec, status: int, shown: int, quote: str) -> LLMError:
    held = f"the key in {endpoint.api_key_env}" if endpoint.api_key_env else "a call without a key"
    return permanent(
        "unauthorized" if status == 401 else "forbidden",
        f"{endpoint.base_url} refuses {held}{_in_figures(shown)}. {quote}".strip(),
        (
            f"Check the key in {endpoint.api_key_env} and its permissions."
            if endpoint.api_key_env
            else "In the endpoint's settings, enter the environment variable that holds the key."
        ),
    )


def _not_found(endpoint: EndpointSpec, said: str, status: int, quote: str) -> LLMError:
    if "model" in said.lower():
        return permanent(
            "model_not_found",
            f"{endpoint.base_url} has no model {endpoint.model}. {quote}".strip(),
            "Click “Test connection” to list its models, and choose one.",
        )
    return permanent(
        "not_found",
        f"{endpoint.base_url} has no /chat/completions (status {status}).",
        NOT_LLM,
    )
