"""Everything that goes wrong with an LLM server, as the stub does it on a real connection."""

import asyncio
from typing import Any

import orjson
from aiohttp import web

from workers.core.testing import stub_protocol as protocol
from workers.core.testing.stub_raw import A_DAY, send_raw
from workers.core.testing.stub_settings import Fault

CONTEXT = "This model's maximum context length is 4096 tokens. Your messages have 9000 tokens."
STREAM_OPTIONS = "Unrecognized request argument supplied: stream_options"
HTML = "<!doctype html><html><body><h1>Welcome to nginx!</h1></body></html>"

ERRORS: dict[str, tuple[int, bytes]] = {
    "401": (401, protocol.error("Incorrect API key provided.", "invalid_api_key")),
    "403": (403, protocol.error("This key may not use the model.", "forbidden")),
    "404": (404, protocol.error("The model does not exist.", "model_not_found")),
    "400-context": (400, protocol.error(CONTEXT, "context_length_exceeded")),
    "429": (429, protocol.error("Rate limit reached.", "rate_limit_exceeded", "requests")),
    "429-quota": (429, protocol.error("You exceeded your current quota.", "insufficient_quota")),
    "500": (500, protocol.error("The engine crashed. " + "x" * 5_000, None, "server_error")),
}
BODIES: dict[str, tuple[str, bytes]] = {
    "html": ("text/html", HTML.encode()),
    "invalid-json": ("application/json", b'{"choices": [{"message": {"content": "hal'),
    "wrong-shape": ("application/json", b'{"choices": "none", "result": [1, 2, 3]}'),
    "empty": ("application/json", b""),
}


async def show(
    request: web.BaseRequest, fault: Fault, body: dict[str, Any]
) -> web.StreamResponse | None:
    """The faulty response, or None if the request has nothing that this fault refuses."""
    kind = fault.kind
    if kind == "raw":
        return await send_raw(request, fault, body)
    if kind == "400-stream-options":
        return _json(400, protocol.error(STREAM_OPTIONS)) if "stream_options" in body else None
    if response := _at_once(request, fault):
        return response
    if kind == "hang":
        await asyncio.sleep(A_DAY)
    return await _broken_stream(request, kind, body)


def _at_once(request: web.BaseRequest, fault: Fault) -> web.Response | None:
    kind = fault.kind
    if kind in ERRORS:
        return _error(fault)
    if kind in BODIES:
        content_type, content = BODIES[kind]
        return web.Response(body=content, content_type=content_type)
    if kind == "echo-key":
        key = request.headers.get("Authorization", "")
        return _json(401, protocol.error(f"Bad header: {key}"))
    if kind == "redirect":
        return web.Response(status=302, headers={"Location": "http://169.254.169.254/latest/"})
    return _cut(request) if kind == "disconnect" else None


def _error(fault: Fault) -> web.Response:
    status, content = ERRORS[fault.kind]
    response = _json(status, content)
    if fault.retry_after is not None:
        response.headers["Retry-After"] = f"{fault.retry_after:g}"
    return response


def _json(status: int, content: bytes) -> web.Response:
    return web.Response(status=status, body=content, content_type="application/json")


def _cut(request: web.BaseRequest) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def _broken_stream(
    request: web.BaseRequest, kind: str, body: dict[str, Any]
) -> web.StreamResponse:
    """Start well, then go wrong. Without streaming, send as much of a JSON body."""
    streamed = bool(body.get("stream"))
    response = web.StreamResponse()
    response.content_type = "text/event-stream" if streamed else "application/json"
    await response.prepare(request)
    word = protocol.frame(str(body.get("model")), {"content": "word "})
    if not streamed:
        word = b'{"choices": [{"message": {"content": "' + b"word " * 8
    await response.write(word * 3 if streamed else word)
    match kind:
        case "half-stream":
            # the bytes must leave before the connection is aborted, or it is only a reset
            await asyncio.sleep(0.02)
            _cut(request)
        case "hang-mid-stream":
            await asyncio.sleep(A_DAY)
        case "error-event":
            await response.write(b"data: " + protocol.error("Out of memory", kind="server_error"))
            await response.write(b"\n\n")
        case "huge":
            await response.write(b"data: " + orjson.dumps("x" * 1_000) * 40_000)
        case _:
            while True:
                await response.write(word if streamed else b"word " * 1_000)
                await asyncio.sleep(0)
    return response
