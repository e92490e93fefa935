"""A stub LLM server: speaks the OpenAI protocol over real HTTP, in its own process.

    python -m workers.core.testing.stub_llm --port 9000 --latency 1.0

`GET /v1/models`, `POST /v1/chat/completions` (whole and streamed, usage, native tool calls), and
for tests `GET /_log` (every request body, peak concurrency) and `DELETE /_log`. Latency, scripted
replies and faults come from `StubSettings`; `running_stub(**settings)` starts it for a test.
The handler is bare (no router, no middleware): benchmarks run 256 calls at once against it.
"""

import argparse
import asyncio
import signal
from collections import Counter, deque
from typing import Any

import orjson
from aiohttp import web

from workers.core.testing import stub_faults
from workers.core.testing import stub_protocol as protocol
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_protocol import Reply
from workers.core.testing.stub_replies import default_reply
from workers.core.testing.stub_settings import SEED, Fault, Rule, StubSettings

__all__ = ["RunningStub", "StubLLM", "running_stub", "serve"]

EVENT_STREAM = "text/event-stream"
JSON = "application/json"


class StubLLM:
    """One server's state. `dropped` counts calls whose client left before the answer."""

    def __init__(self, settings: StubSettings) -> None:
        self.settings = settings
        self.faults = settings.faults_by_model()
        self.prefix = "" if settings.missing_prefix else "/v1"
        self.shown: Counter[Rule | str | None] = Counter()
        self.clear()

    def clear(self) -> None:
        self.bodies: deque[bytes] = deque(maxlen=self.settings.log_limit or None)
        self.total = self.active = self.peak = self.dropped = 0

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path
        if path == "/_log":
            return self._log(request)
        if not self._allowed(request):
            return _respond(401, protocol.error("Incorrect API key provided.", "invalid_api_key"))
        if path == self.prefix + "/chat/completions" and request.method == "POST":
            return await self._counted_chat(request)
        if path == self.prefix + "/models":
            return self._models()
        return _respond(404, orjson.dumps({"detail": "Not Found"}))

    def _allowed(self, request: web.BaseRequest) -> bool:
        key = self.settings.api_key
        return not key or request.headers.get("Authorization") == f"Bearer {key}"

    def _models(self) -> web.Response:
        data = [{"id": name, "object": "model"} for name in self.settings.models]
        return _respond(200, orjson.dumps({"object": "list", "data": data}))

    def _log(self, request: web.BaseRequest) -> web.Response:
        if request.method == "DELETE":
            self.clear()
        counts = {name: getattr(self, name) for name in ("total", "active", "peak", "dropped")}
        requests = [orjson.Fragment(body) for body in self.bodies]
        return _respond(200, orjson.dumps({**counts, "requests": requests}))

    async def _counted_chat(self, request: web.BaseRequest) -> web.StreamResponse:
        raw = await request.content.read()
        body = orjson.loads(raw)
        self.bodies.append(raw)
        self.total += 1
        self.active += 1
        self.peak = max(self.peak, self.active)
        try:
            return await self._chat(request, body)
        except (asyncio.CancelledError, ConnectionError):
            self.dropped += 1
            raise
        finally:
            self.active -= 1

    async def _chat(self, request: web.BaseRequest, body: dict[str, Any]) -> web.StreamResponse:
        model, settings = body["model"], self.settings
        rule = self._rule(body["messages"])
        latency = settings.latency if rule is None or rule.latency is None else rule.latency
        if latency:
            await asyncio.sleep(latency)
        ruled = rule is not None and rule.fault is not None
        fault = rule.fault if rule and ruled else self.faults.get(model)
        if fault and self._applies(fault, rule if ruled else model):
            response = await stub_faults.show(request, fault, body)
            if response is not None:
                return response
        if settings.models and model not in settings.models and model not in self.faults:
            missing = f"The model `{model}` does not exist."
            return _respond(404, protocol.error(missing, "model_not_found"))
        reply = self._reply(rule, body)
        usage = protocol.count_usage(body["messages"], reply) if settings.usage else None
        if not body.get("stream"):
            return _respond(200, protocol.completion(model, reply, usage))
        include = body.get("stream_options", {}).get("include_usage")
        return await self._stream(request, model, reply, usage if include else None)

    def _rule(self, messages: list[dict[str, Any]]) -> Rule | None:
        if not self.settings.rules:
            return None
        texts = {m["role"]: protocol.text_of(m) for m in messages}
        heard = [texts.get(role, "") for role in ("user", "system", "tool")]
        rules = self.settings.rules
        return next((r for r in rules if any(r.contains in text for text in heard)), None)

    def _applies(self, fault: Fault, source: Rule | str | None) -> bool:
        self.shown[source] += 1
        return fault.times is None or self.shown[source] <= fault.times

    def _reply(self, rule: Rule | None, body: dict[str, Any]) -> Reply:
        calls = rule.tool_calls if rule else ()
        text = rule.reply if rule else None
        if text is not None:
            text = text.replace(SEED, str(body.get("seed")))
        if text is None and not calls:
            users = [m for m in body["messages"] if m["role"] == "user"]
            text = default_reply(protocol.text_of(users[-1]) if users else "")
        limit = body.get("max_tokens") or body.get("max_completion_tokens")
        reply = Reply(text or "", calls, "tool_calls" if calls else "stop")
        return reply.cut(limit) if limit else reply

    async def _stream(
        self, request: web.BaseRequest, model: str, reply: Reply, usage: dict[str, int] | None
    ) -> web.StreamResponse:
        frames = protocol.stream(model, reply, self.settings.chunk_chars)
        if usage is not None:
            frames.append(protocol.usage_frame(model, usage))
        frames.append(protocol.DONE)
        if not self.settings.chunk_latency:
            return web.Response(body=b"".join(frames), headers={"Content-Type": EVENT_STREAM})
        response = web.StreamResponse(headers={"Content-Type": EVENT_STREAM})
        await response.prepare(request)
        for frame in frames:
            await response.write(frame)
            await asyncio.sleep(self.settings.chunk_latency)
        return response


def _respond(status: int, content: bytes) -> web.Response:
    return web.Response(status=status, body=content, headers={"Content-Type": JSON})


async def serve(settings: StubSettings, port: int) -> None:
    """Serve on 127.0.0.1 until SIGTERM or SIGINT. Print one line when listening."""
    # cancelling the handler when its client goes away is how /_log knows of dropped calls
    server = web.Server(
        StubLLM(settings).handle, handler_cancellation=True, access_log=None, max_field_size=65_536
    )
    runner = web.ServerRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, backlog=1_024).start()
    print(f"listening on http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
    await runner.cleanup()


def parse_arguments(arguments: list[str] | None = None) -> tuple[StubSettings, int]:
    parser = argparse.ArgumentParser(prog="stub_llm", description="Run a stub LLM server.")
    parser.add_argument("--port", type=int, default=0, help="port; 0 takes a free one")
    parser.add_argument("--latency", type=float, help="seconds before each answer")
    parser.add_argument("--chunk-latency", type=float, help="seconds between streamed chunks")
    parser.add_argument(
        "--model", action="append", help="a model to list; repeat the option for more"
    )
    parser.add_argument("--settings", default="{}", help="StubSettings as JSON")
    given = parser.parse_args(arguments)
    told = {"latency": given.latency, "chunk_latency": given.chunk_latency, "models": given.model}
    told = {name: value for name, value in told.items() if value is not None}
    return StubSettings.from_json(orjson.loads(given.settings) | told), given.port


if __name__ == "__main__":
    asyncio.run(serve(*parse_arguments()))
