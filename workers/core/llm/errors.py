"""What went wrong with a call, in words: the cause and the way out.

Every function makes an `LLMError`; `permanent` decides whether it is tried again. What a server
wrote is quoted as text, never more than 300 characters, with the key blotted out.
"""

from __future__ import annotations

import re

import orjson

from workers.core.llm.retry import RateLimited, parse_retry_after
from workers.core.llm.types import LLMError
from workers.core.specs import EndpointSpec

QUOTE_CHARS = 300
SAME_LIMITS = "Lower the endpoint's concurrency, or try again later."
NOT_LLM = "Check the base URL: it usually ends in /v1."
CONTEXT = re.compile(
    r"context.{0,20}(length|size|window)|prompt is too long|too many (input )?tokens", re.IGNORECASE
)
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")


def from_status(
    endpoint: EndpointSpec,
    status: int,
    body: bytes,
    *,
    key: str = "",
    retry_after: str | None = None,
) -> LLMError:
    """The error that an HTTP status other than 200 means."""
    said, code = read_error(body)
    quote = quoted(said, key)
    if status in {401, 403}:
        return _refused_key(endpoint, status, quote)
    if status == 429:
        return _too_many(endpoint, code, quote, parse_retry_after(retry_after))
    if status == 404:
        return _not_found(endpoint, said, quote)
    if status in {408, 425} or (status >= 500 and status != 501):
        return server_error(endpoint, status, quote)
    if 300 <= status < 400:
        return LLMError(
            code="redirected",
            message=f"{endpoint.base_url} redirects elsewhere (status {status}).",
            remedy="Enter the address it redirects to as the base URL.",
            permanent=True,
        )
    return bad_request(endpoint, status, code, said, quote)


def server_error(endpoint: EndpointSpec, status: int, quote: str) -> LLMError:
    return transient(
        "server_error",
        f"{endpoint.base_url} failed with status {status}. {quote}".strip(),
        "Look at the server's log, or try again later.",
    )


def speaks_of_context(said: str, code: str) -> bool:
    return bool(CONTEXT.search(f"{code} {said}".replace("_", " ")))


def bad_request(endpoint: EndpointSpec, status: int, code: str, said: str, quote: str) -> LLMError:
    if speaks_of_context(said, code):
        return LLMError(
            code="context_length_exceeded",
            message=f"The prompt is longer than {endpoint.model} can read. {quote}".strip(),
            remedy="Shorten the query, read fewer agents, or use a model with a longer context.",
            permanent=True,
        )
    return LLMError(
        code="bad_request",
        message=f"{endpoint.base_url} refused the request (status {status}). {quote}".strip(),
        remedy="Check that the endpoint's settings fit the server.",
        permanent=True,
    )


def stream_interrupted(endpoint: EndpointSpec) -> LLMError:
    return transient(
        "stream_interrupted",
        f"{endpoint.base_url} stopped in the middle of an answer.",
        "Look at the server's log: it may have run out of memory.",
    )


def garbage(endpoint: EndpointSpec, why: str) -> LLMError:
    """The server answers 200 with something that is no chat completion."""
    return LLMError(
        code="garbage_reply",
        message=f"{endpoint.base_url} answers, but not as an LLM server does: {why}.",
        remedy=NOT_LLM,
        permanent=True,
    )


def too_long(endpoint: EndpointSpec) -> LLMError:
    return LLMError(
        code="reply_too_long",
        message=f"{endpoint.model} did not stop at the token limit of the request.",
        remedy="Check that the server honours max_tokens, or use another model.",
        permanent=True,
    )


def unsendable() -> LLMError:
    return LLMError(
        code="unsendable_text",
        message="The request contains text that is not valid Unicode.",
        remedy="Remove the broken characters (lone surrogates) from the query or the role.",
        permanent=True,
    )


def missing_key(variable: str) -> LLMError:
    return LLMError(
        code="missing_api_key",
        message=f"The environment variable {variable} holds no usable key.",
        remedy=f"Set {variable} where the workers run and restart them.",
        permanent=True,
    )


def refused_key_name(variable: str) -> LLMError:
    return LLMError(
        code="api_key_env_refused",
        message=f"The environment variable {quoted(variable, '')} is not sent to servers.",
        remedy="Keep the key in a variable whose name ends in _API_KEY or _API_TOKEN.",
        permanent=True,
    )


def read_error(body: bytes) -> tuple[str, str]:
    """`(message, code)` of an error body in any of the usual shapes; the bare text otherwise."""
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body[:4_000].decode(errors="replace"), ""
    return describe_error(data)


def describe_error(data: object) -> tuple[str, str]:
    """`(message, code)` of a decoded error: OpenAI's, vLLM's, FastAPI's or a bare string."""
    if not isinstance(data, dict):
        return str(data)[:4_000], ""
    inner = data.get("error", data)
    if not isinstance(inner, dict):
        return str(inner)[:4_000], ""
    said = inner.get("message") or inner.get("detail") or ""
    return str(said)[:4_000], f"{inner.get('code') or ''} {inner.get('type') or ''}".strip()


def quoted(text: str, key: str) -> str:
    """What a server said, safe to show: no key, no control characters, 300 characters."""
    text = text[:4_000]
    if key:
        text = text.replace(key, "[key]")
    return CONTROL.sub(" ", text).strip()[:QUOTE_CHARS]


def transient(code: str, message: str, remedy: str) -> LLMError:
    return LLMError(code=code, message=message, remedy=remedy, permanent=False)


def _refused_key(endpoint: EndpointSpec, status: int, quote: str) -> LLMError:
    held = f"the key in {endpoint.api_key_env}" if endpoint.api_key_env else "a call without a key"
    return LLMError(
        code="unauthorized" if status == 401 else "forbidden",
        message=f"{endpoint.base_url} refuses {held} (status {status}). {quote}".strip(),
        remedy=(
            f"Check the key in {endpoint.api_key_env} and what it may use."
            if endpoint.api_key_env
            else "Name the environment variable that holds the key in the endpoint's settings."
        ),
        permanent=True,
    )


def _too_many(endpoint: EndpointSpec, code: str, quote: str, retry_after: float | None) -> LLMError:
    if "insufficient_quota" in code:
        return LLMError(
            code="quota_exceeded",
            message=f"The account at {endpoint.base_url} has no quota left. {quote}".strip(),
            remedy="Check the plan and billing of the account, or use another endpoint.",
            permanent=True,
        )
    error = RateLimited(
        code="rate_limited",
        message=f"{endpoint.base_url} limits the rate of requests. {quote}".strip(),
        remedy=SAME_LIMITS,
        permanent=False,
    )
    error.retry_after = retry_after
    return error


def _not_found(endpoint: EndpointSpec, said: str, quote: str) -> LLMError:
    if "model" in said.lower():
        return LLMError(
            code="model_not_found",
            message=f"{endpoint.base_url} has no model {endpoint.model}. {quote}".strip(),
            remedy="“Test connection” lists the models it has.",
            permanent=True,
        )
    return LLMError(
        code="not_found",
        message=f"{endpoint.base_url} has no /chat/completions (status 404).",
        remedy=NOT_LLM,
        permanent=True,
    )
