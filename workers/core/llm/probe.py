"""“Test connection”: lists an endpoint's models, or says what is wrong and what would work."""

import time
from dataclasses import dataclass
from difflib import get_close_matches

import aiohttp
from yarl import URL

from workers.core.errors import Failure
from workers.core.llm import errors
from workers.core.llm.client import OpenAIClient
from workers.core.llm.model_size import read_listing, read_parameters
from workers.core.llm.retry import RetryPolicy
from workers.core.llm.target import read_api_key, under
from workers.core.llm.transport import from_transport
from workers.core.llm.types import ChatMessage, ChatRequest, LLMError
from workers.core.net.guard import AddressRefused
from workers.core.net.outbound import Fetched, OutboundClient
from workers.core.specs import EndpointSpec

PROBE_SECONDS = 10.0
MAX_MODELS = 500
NAMED_MODELS = 5
OLLAMA_OWNER = b'"library"'
PASTED_SUFFIXES = ("/chat/completions", "/completions", "/models", "/responses")


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """`models` are those that the server lists, at most 500, even if the endpoint's own is missing.
    `parameters` are those of the endpoint's model, if the server reports them."""

    ok: bool
    seconds: float
    models: tuple[str, ...] = ()
    failure: Failure | None = None
    parameters: int | None = None


async def probe_endpoint(endpoint: EndpointSpec) -> ProbeResult:
    """Ask the server for its models within 10 s. Never raises for what the server does.

    If the server lists no models, it is asked for one token instead. Codes of `failure`: those of
    LLMError, `wrong_base_url` (the message names the right one) and `not_an_llm_server`.
    """
    started = time.perf_counter()
    seconds = min(PROBE_SECONDS, endpoint.timeout_seconds)
    asked = endpoint.model_copy(update={"timeout_seconds": seconds})
    try:
        models, parameters = await _models(asked)
    except LLMError as error:
        return ProbeResult(False, time.perf_counter() - started, (), error.failure())
    elapsed = time.perf_counter() - started
    if not models or endpoint.model in models or f"{endpoint.model}:latest" in models:
        return ProbeResult(True, elapsed, models, parameters=parameters)
    return ProbeResult(False, elapsed, models, _no_model(endpoint, models))


async def _models(endpoint: EndpointSpec) -> tuple[tuple[str, ...], int | None]:
    """The models, and the parameters of the endpoint's own. No models means the server answers
    chats but lists none. Raises LLMError."""
    key = read_api_key(endpoint.api_key_env)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with OutboundClient(
        allow_private=endpoint.allow_private_address, seconds=endpoint.timeout_seconds
    ) as client:
        base = endpoint.base_url.rstrip("/")
        fetched = await _fetch(client, endpoint, base, headers)
        if (models := read_models(fetched)) is not None:
            told = read_parameters(fetched, endpoint.model)
            return models, told or await _told_by_ollama(client, endpoint, fetched, headers)
        if fetched.status not in {200, 404, 405}:
            raise _by_status(endpoint, fetched, key)
        for other in other_urls(base):
            try:
                found = await _fetch(client, endpoint, other, headers)
            except LLMError:
                continue
            # a key that is refused there is a sign of an API too
            if read_models(found) is not None or found.status == 401:
                raise _wrong_url(base, other)
    return await _ask_one_token(endpoint, fetched), None


async def _fetch(
    client: OutboundClient, endpoint: EndpointSpec, base: str, headers: dict[str, str]
) -> Fetched:
    try:
        return await client.request("GET", str(under(base, "models")), headers=headers)
    except (aiohttp.ClientError, AddressRefused, OSError) as error:
        raise from_transport(endpoint, error) from None


def read_models(fetched: Fetched) -> tuple[str, ...] | None:
    """The model ids of a `GET /models` answer; None if it is not such an answer."""
    data = read_listing(fetched).get("data")
    if not isinstance(data, list):
        return None
    ids = [row.get("id") for row in data[:MAX_MODELS] if isinstance(row, dict)]
    return tuple(name for name in ids if isinstance(name, str))


async def _told_by_ollama(
    client: OutboundClient, endpoint: EndpointSpec, fetched: Fetched, headers: dict[str, str]
) -> int | None:
    """The model's size from Ollama, which lists sizes at a separate address."""
    if OLLAMA_OWNER not in fetched.body:
        return None
    try:
        tags = await client.request(
            "GET", str(URL(endpoint.base_url).origin() / "api" / "tags"), headers=headers
        )
    except (aiohttp.ClientError, AddressRefused, OSError):
        return None
    return read_parameters(tags, endpoint.model)


def other_urls(base: str) -> list[str]:
    """Base URLs that people may mean when they enter this one, the likeliest first."""
    bare, mark, query = base.partition("?")
    return [f"{url}{mark}{query}" for url in _others(bare.rstrip("/"))]


def _others(base: str) -> list[str]:
    for suffix in PASTED_SUFFIXES:
        if base.endswith(suffix):
            return [base.removesuffix(suffix)]
    origin = str(URL(base).origin())
    candidates = [f"{base}/v1", f"{origin}/v1", f"{origin}/api/v1", origin]
    if base.endswith("/v1"):
        candidates = candidates[2:]
    return [url for url in dict.fromkeys(candidates) if url != base]


async def _ask_one_token(endpoint: EndpointSpec, fetched: Fetched) -> tuple[str, ...]:
    request = ChatRequest(messages=(ChatMessage("user", "Say yes."),), max_tokens=1)
    async with OpenAIClient(retry=RetryPolicy(tries=1, timeout_tries=1)) as client:
        try:
            await client.chat(endpoint, request)
        except LLMError as error:
            of_fields = error.code == "bad_request" and endpoint.extra_body
            unlike = {"not_found", "garbage_reply", "bad_request", "redirected"}
            if error.code in unlike and not of_fields:
                raise _not_llm(endpoint, fetched) from None
            raise
    return ()


def _by_status(endpoint: EndpointSpec, fetched: Fetched, key: str) -> LLMError:
    if fetched.location is None:
        return errors.from_status(endpoint, fetched.status, fetched.body, key=key)
    location = errors.quoted(fetched.location, key).removesuffix("/models")
    return errors.permanent(
        "redirected",
        f"{endpoint.base_url} redirects to {location}.",
        "Enter the address it redirects to as the base URL.",
    )


def _wrong_url(base: str, other: str) -> LLMError:
    missing = other == f"{base}/v1"
    return errors.permanent(
        "wrong_base_url",
        (f"{base} is not an API{' because /v1 is missing' if missing else ''}, but {other} is."),
        f"Use {other} as the base URL.",
    )


def _not_llm(endpoint: EndpointSpec, fetched: Fetched) -> LLMError:
    page = fetched.status == 200 and fetched.body.lstrip()[:1] == b"<"
    what = "with a web page" if page else f"with status {fetched.status} and no list of models"
    return errors.permanent(
        "not_an_llm_server",
        f"{endpoint.base_url} answers {what}. It is not an OpenAI-compatible server.",
        errors.NOT_LLM,
    )


def _no_model(endpoint: EndpointSpec, models: tuple[str, ...]) -> Failure:
    near = get_close_matches(endpoint.model, models, n=NAMED_MODELS, cutoff=0.4)
    named = ", ".join(errors.quoted(name, "")[:100] for name in near or models[:NAMED_MODELS])
    return Failure(
        code="model_not_found",
        message=f"{endpoint.base_url} has no model {endpoint.model}.",
        remedy=f"{'Did you mean' if near else 'It has'}: {named}",
    )
