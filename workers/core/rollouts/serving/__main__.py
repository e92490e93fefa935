"""The server's process.

    python -m workers.core.rollouts.serving --port 8432 --checkpoints FOLDER --threads 1

It prints `ready http://127.0.0.1:8432/v1` when it answers; torch and a small model are loaded
meanwhile, so that the first caller waits less. It stops on SIGTERM and SIGINT.
"""

import argparse
import asyncio
import json
import signal
import time
import uuid
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workers.core.errors import MethodError
from workers.core.rollouts.serving.batching import Answering, Call, Ended
from workers.core.rollouts.serving.models import Models, names
from workers.core.weights.nano import NAME as NANO

HOST = "127.0.0.1"
MOST_MODELS = 4
MOST_BODY = 8_000_000
UNKNOWN = frozenset({"model_missing", "no_model", "checkpoint_missing", "policy_missing"})

Told = str | Ended | MethodError
"""What the thread tells of a call: a piece of text, or how it ended."""


class Message(BaseModel):
    model_config = ConfigDict(extra="ignore")

    role: str
    content: str = ""


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    include_usage: bool = False


class ChatBody(BaseModel):
    """What is used of a request. What changes the answer and is not known is refused."""

    model_config = ConfigDict(extra="forbid")

    model: str
    messages: list[Message] = Field(min_length=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    temperature: float = Field(default=1.0, ge=0, le=2)
    seed: int = Field(default=0, ge=-(2**63), lt=2**63)
    stream: bool = False
    stream_options: StreamOptions = StreamOptions()
    n: int = Field(default=1, ge=1, le=1)
    top_p: float = Field(default=1.0, ge=1, le=1)
    user: str = ""


class Server:
    def __init__(self, checkpoints: Path, *, threads: int = 0) -> None:
        self._checkpoints = checkpoints
        models = Models(checkpoints, most=MOST_MODELS)
        self._answering = Answering(models, first=partial(_warm_up, threads))

    def application(self) -> web.Application:
        application = web.Application(client_max_size=MOST_BODY)
        application.router.add_get("/health", self._health)
        application.router.add_get("/v1/models", self._models)
        application.router.add_post("/v1/chat/completions", self._chat)
        return application

    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def _models(self, _: web.Request) -> web.Response:
        found = await asyncio.to_thread(names, self._checkpoints)
        data = [{"id": name, "object": "model", "owned_by": "studio"} for name in found]
        return web.json_response({"object": "list", "data": data})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        try:
            body = ChatBody.model_validate_json(await request.read())
        except ValidationError as error:
            wrong = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, wrong["loc"])) or "body"
            return _refused(400, "invalid_request", f"{where}: {wrong['msg']}")
        loop = asyncio.get_running_loop()
        told: asyncio.Queue[Told] = asyncio.Queue()

        def put(said: Told) -> None:
            loop.call_soon_threadsafe(told.put_nowait, said)

        call = Call(
            model=body.model,
            messages=[message.model_dump() for message in body.messages],
            max_tokens=body.max_completion_tokens or body.max_tokens,
            temperature=body.temperature,
            seed=body.seed,
            tell=put,
            end=put,
        )
        self._answering.ask(call)
        try:
            first = await told.get()
            if isinstance(first, MethodError):
                return _refused(_status(first), first.code, f"{first.message} {first.remedy}")
            reply = _Reply(body, told, first)
            return await (reply.streamed(request) if body.stream else reply.whole())
        finally:
            call.gone.set()


class _Reply:
    """One answer. `first`: what was told of it first."""

    def __init__(self, body: ChatBody, told: asyncio.Queue[Told], first: str | Ended) -> None:
        self._body, self._told, self._first = body, told, first
        self._head = {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": body.model,
        }

    async def whole(self) -> web.Response:
        text, said = "", self._first
        while isinstance(said, str):
            text += said
            following = await self._told.get()
            if isinstance(following, MethodError):
                return _refused(_status(following), following.code, following.message)
            said = following
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": said.finish}
        answer = {"object": "chat.completion", "choices": [choice], "usage": _usage(said)}
        return web.json_response(self._head | answer)

    async def streamed(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        said: Told = self._first
        while isinstance(said, str):
            await self._send(response, [_delta({"content": said}, None)])
            said = await self._told.get()
        if isinstance(said, MethodError):
            error = {"error": {"message": said.message, "code": said.code}}
            await response.write(f"data: {json.dumps(error)}\n\n".encode())
        else:
            await self._send(response, [_delta({}, said.finish)])
            if self._body.stream_options.include_usage:
                await self._send(response, [], usage=_usage(said))
            await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    async def _send(
        self, response: web.StreamResponse, choices: list[dict[str, Any]], **more: Any
    ) -> None:
        chunk = self._head | {"object": "chat.completion.chunk", "choices": choices} | more
        await response.write(f"data: {json.dumps(chunk)}\n\n".encode())


def _delta(delta: dict[str, str], finish: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _usage(ended: Ended) -> dict[str, int]:
    return {
        "prompt_tokens": ended.prompt_tokens,
        "completion_tokens": ended.completion_tokens,
        "total_tokens": ended.prompt_tokens + ended.completion_tokens,
    }


def _status(error: MethodError) -> int:
    if error.code == "internal_error":
        return 500
    return 404 if error.code in UNKNOWN else 400


def _refused(status: int, code: str, message: str) -> web.Response:
    code = "model_not_found" if status == 404 else code  # as OpenAI's
    error = {"message": message.strip(), "type": "invalid_request_error", "code": code}
    return web.json_response({"error": error}, status=status)


async def serve(host: str, port: int, checkpoints: Path, *, threads: int = 0) -> None:
    server = Server(checkpoints, threads=threads)
    # A caller who has left is answered no more, whether it streams or not.
    runner = web.AppRunner(server.application(), access_log=None, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, host, port).start()
    _, listening = runner.addresses[0][:2]
    print(f"ready http://{host}:{listening}/v1", flush=True)
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    await runner.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(prog="serving", description="Serve the studio's models.")
    parser.add_argument("--host", default=HOST, help="it asks for no key: only a private network")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--checkpoints", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0: as torch chooses")
    options = parser.parse_args()
    serving = serve(options.host, options.port, options.checkpoints, threads=options.threads)
    asyncio.run(serving)


def _warm_up(threads: int, models: Models) -> None:
    """Makes nano, which comes with no release, and loads what any model needs."""
    import torch

    if threads:
        torch.set_num_threads(threads)
    models.of(NANO)


if __name__ == "__main__":
    main()
