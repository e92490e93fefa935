"""Replies of the stub LLM written byte by byte, past the web server."""

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from aiohttp import web

from workers.core.testing.stub_settings import Fault, Raw

A_DAY = 86_400.0


def _roles(body: dict[str, Any]) -> list[str]:
    return [message["role"] for message in body["messages"]]


def _calls(body: dict[str, Any]) -> bool:
    return any(message.get("tool_calls") for message in body["messages"])


def _without_reasoning(body: dict[str, Any]) -> bool:
    turns = (message for message in body["messages"] if message["role"] == "assistant")
    return any("reasoning_content" not in message for message in turns)


REFUSED: dict[str, Callable[[dict[str, Any]], bool]] = {
    "system": lambda body: "system" in _roles(body),
    "user-after-tool": lambda body: ("tool", "user") in pairwise(_roles(body)),
    "user-after-user": lambda body: ("user", "user") in pairwise(_roles(body)),
    "calls-without-tools": lambda body: _calls(body) and not body.get("tools"),
    "turn-without-reasoning": _without_reasoning,
    "not-streamed": lambda body: not body.get("stream"),
    "images": lambda body: any(isinstance(m.get("content"), list) for m in body["messages"]),
}
"""What some servers refuse of a request, beside single fields: mostly histories."""


async def send_raw(
    request: web.BaseRequest, fault: Fault, body: dict[str, Any]
) -> web.StreamResponse | None:
    """None if the fault refuses something that the request does not have."""
    named = next((name for name in fault.objects_to if _has(body, name)), "")
    if fault.objects_to and not named:
        return None
    transport, raw = request.transport, fault.raw
    if transport is None:
        raise ConnectionResetError("the client is gone")
    transport.write(_head(raw))
    for chunk in raw.chunks:
        data = chunk.replace("{field}", named.partition("=")[0]).encode("latin-1")
        transport.write(b"%x\r\n%b\r\n" % (len(data), data))
        # each chunk must leave on its own
        await asyncio.sleep(raw.pause or 0.002)
    if raw.end == "hang":
        await asyncio.sleep(A_DAY)
    if raw.end == "end":
        transport.write(b"0\r\n\r\n")
    transport.close()
    return web.Response()


def _has(body: dict[str, Any], name: str) -> bool:
    if name in REFUSED:
        return REFUSED[name](body)
    field, _, value = name.partition("=")
    return field in body and (not value or str(body[field]) == value)


def _head(raw: Raw) -> bytes:
    lines = [f"HTTP/1.1 {raw.status} Scripted", "Connection: close", "Transfer-Encoding: chunked"]
    if raw.content_type is not None:
        lines.append(f"Content-Type: {raw.content_type}")
    lines += [f"{name}: {value}" for name, value in raw.headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
