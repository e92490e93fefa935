"""“Test connection”: lists an endpoint's models, and names the cause when it cannot."""

from __future__ import annotations

import asyncio
import difflib
import time
from dataclasses import dataclass

import aiohttp
import orjson

from workers.core.events import Failure
from workers.core.llm import errors
from workers.core.llm.target import read_api_key
from workers.core.llm.transport import from_transport
from workers.core.llm.types import LLMError
from workers.core.net.guard import AddressRefused
from workers.core.net.outbound import Fetched, OutboundClient
from workers.core.specs import EndpointSpec

PROBE_SECONDS = 10.0
MODELS_SHOWN = 500
CLOSE_MATCHES = 3


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """`models` may be filled although `ok` is False: the server answers, but lacks the model."""

    ok: bool
    seconds: float
    models: tuple[str, ...] = ()
    failure: Failure | None = None


async def probe_endpoint(
    endpoint: EndpointSpec, *, timeout_seconds: float = PROBE_SECONDS
) -> ProbeResult:
    """Asks for the list of models, within `timeout_seconds` over all. Never raises for a server."""
    start = time.monotonic()
    models: tuple[str, ...] = ()
    failure = None
    try:
        async with asyncio.timeout(timeout_seconds):
            models = await _models(endpoint)
        failure = _missing(endpoint, models)
    except LLMError as error:
        failure = _failure(error)
    except (AddressRefused, aiohttp.ClientError, TimeoutError, OSError) as error:
        limited = endpoint.model_copy(update={"timeout_seconds": timeout_seconds})
        failure = _failure(from_transport(limited, error))
    return ProbeResult(failure is None, time.monotonic() - start, models, failure)


async def _models(endpoint: EndpointSpec) -> tuple[str, ...]:
    key = read_api_key(endpoint.api_key_env)
    headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    base = endpoint.base_url.rstrip("/")
    async with OutboundClient(
        allow_private=endpoint.allow_private_address, seconds=PROBE_SECONDS
    ) as client:
        answer = await client.request("GET", f"{base}/models", headers=headers)
        models = _read_models(answer)
        if models is not None:
            return models
        if not base.endswith("/v1"):
            versioned = await client.request("GET", f"{base}/v1/models", headers=headers)
            if _read_models(versioned) is not None or versioned.status in {401, 403}:
                raise _missing_version(endpoint, f"{base}/v1")
    raise _refusal(endpoint, answer, key)


def _read_models(answer: Fetched) -> tuple[str, ...] | None:
    """The ids in an OpenAI list of models; None for anything else."""
    if answer.status != 200:
        return None
    try:
        data = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return None
    items = data.get("data") if isinstance(data, dict) else None
    if not isinstance(items, list):
        return None
    ids = [item.get("id") for item in items if isinstance(item, dict)]
    return tuple(errors.quoted(name, "") for name in ids if isinstance(name, str))[:MODELS_SHOWN]


def _refusal(endpoint: EndpointSpec, answer: Fetched, key: str) -> LLMError:
    if answer.status == 200:
        html = "html" in answer.content_type
        return errors.garbage(endpoint, "it sent a web page" if html else "no list of models")
    if answer.status == 404:
        return LLMError(
            code="not_found",
            message=f"{endpoint.base_url} has no /models (status 404).",
            remedy=errors.NOT_LLM,
            permanent=True,
        )
    return errors.from_status(endpoint, answer.status, answer.body, key=key)


def _missing_version(endpoint: EndpointSpec, works: str) -> LLMError:
    return LLMError(
        code="missing_v1",
        message=f"The base URL {endpoint.base_url} lacks /v1.",
        remedy=f"Use {works}",
        permanent=True,
    )


def _missing(endpoint: EndpointSpec, models: tuple[str, ...]) -> Failure | None:
    """Servers that list nothing (or cannot) are given the benefit of the doubt."""
    if not models or endpoint.model in models:
        return None
    close = difflib.get_close_matches(endpoint.model, models, CLOSE_MATCHES, 0.4)
    offered = close or list(models[:CLOSE_MATCHES])
    return Failure(
        code="model_missing",
        message=f"The server answers, but has no model {endpoint.model}.",
        remedy=f"Use one it has, such as {', '.join(offered)}.",
    )


def _failure(error: LLMError) -> Failure:
    return Failure(code=error.code, message=error.message, remedy=error.remedy)
