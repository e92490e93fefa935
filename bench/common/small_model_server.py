"""Serves one small model on CPUs with OpenVINO: the endpoint behind the figures of real models.

    pip install openvino-genai aiohttp                     # in a virtual environment of its own
    python bench/common/small_model_server.py FOLDER --model NAME [--port 8466] [--threads 2]

FOLDER is what `small_model_export.py` wrote. On two cores with AVX-512 this is several times as
fast as llama.cpp from a wheel, which is built for older CPUs. It supports what the studio asks of
an endpoint and batches requests continuously. It is no part of the studio: do not serve a model to
others with it.
"""

import argparse
import asyncio
import json
import queue
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import openvino_genai as ov
from aiohttp import web

GROUP = "128"
"""Number of activations that share a scale. On two cores, 16 requests ran at 222 tokens/s, prompts
included, and at 76 with the default of 32; one run each."""


@dataclass(slots=True)
class Asked:
    """A request in progress: what is generated, and who waits for it."""

    prompt: Any
    config: Any
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[tuple[str, int, bool]]
    handle: Any = None
    cancelled: threading.Event = field(default_factory=threading.Event)


class Engine(threading.Thread):
    """A thread that steps the pipeline while there is work."""

    def __init__(self, folder: str, threads: int, cache_gib: int) -> None:
        super().__init__(daemon=True)
        scheduler = ov.SchedulerConfig()
        scheduler.cache_size = cache_gib
        scheduler.enable_prefix_caching = True
        self._pipeline = ov.ContinuousBatchingPipeline(
            folder,
            scheduler,
            "CPU",
            {"INFERENCE_NUM_THREADS": threads, "DYNAMIC_QUANTIZATION_GROUP_SIZE": GROUP},
        )
        self.tokenizer = self._pipeline.get_tokenizer()
        self._new: queue.Queue[Asked] = queue.Queue()
        self._active: list[Asked] = []

    def ask(self, asked: Asked) -> None:
        self._new.put(asked)

    def run(self) -> None:
        number = 0
        while True:
            while not self._new.empty() or not self._active:
                asked = self._new.get()
                number += 1
                asked.handle = self._pipeline.add_request(number, asked.prompt, asked.config)
                self._active.append(asked)
            self._pipeline.step()
            self._active = [asked for asked in self._active if not self._ended(asked)]

    def _ended(self, asked: Asked) -> bool:
        if asked.cancelled.is_set():
            asked.handle.stop()
            return True
        if asked.handle.get_status() == ov.GenerationStatus.RUNNING:
            return False
        output = asked.handle.read_all()[0]
        whole = output.finish_reason == ov.GenerationFinishReason.STOP
        text = self.tokenizer.decode(output.generated_ids)
        said = (text, len(output.generated_ids), whole)
        asked.loop.call_soon_threadsafe(_tell, asked.answer, said)
        return True


def _tell(answer: asyncio.Future[tuple[str, int, bool]], said: tuple[str, int, bool]) -> None:
    if not answer.done():
        answer.set_result(said)


def generation_config(body: dict[str, Any]) -> Any:
    config = ov.GenerationConfig()
    if limit := body.get("max_tokens") or body.get("max_completion_tokens"):
        config.max_new_tokens = int(limit)  # else the reply ends where the model ends it
    config.apply_chat_template = False
    if temperature := float(body.get("temperature") or 0.0):
        config.do_sample = True
        config.temperature = temperature
        config.top_p = float(body.get("top_p") or 1.0)
        config.rng_seed = int(body.get("seed") or 0)
    stops = body.get("stop")
    if stops:
        config.stop_strings = {stops} if isinstance(stops, str) else set(stops)
    return config


class Server:
    def __init__(self, engine: Engine, model: str) -> None:
        self._engine = engine
        self._model = model

    async def models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": self._model}]})

    async def chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        tokenizer = self._engine.tokenizer
        text = tokenizer.apply_chat_template(body["messages"], add_generation_prompt=True)
        prompt = tokenizer.encode(text, add_special_tokens=False).input_ids
        loop = asyncio.get_running_loop()
        asked = Asked(prompt, generation_config(body), loop, loop.create_future())
        self._engine.ask(asked)
        try:
            said, completion, whole = await asked.answer
        except asyncio.CancelledError:
            asked.cancelled.set()
            raise
        usage = {"prompt_tokens": prompt.shape[1], "completion_tokens": completion}
        usage["total_tokens"] = sum(usage.values())
        reason = "stop" if whole else "length"
        if body.get("stream"):
            return await self._streamed(request, said, reason, usage)
        message = {"role": "assistant", "content": said}
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return web.json_response(self._body("chat.completion", [choice], usage))

    async def _streamed(
        self, request: web.Request, said: str, reason: str, usage: dict[str, int]
    ) -> web.StreamResponse:
        """Send the whole answer as one chunk: a measurement waits for all of it anyway."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        delta = {"role": "assistant", "content": said}
        kind = "chat.completion.chunk"
        chunks = (
            self._body(kind, [{"index": 0, "delta": delta, "finish_reason": None}], None),
            self._body(kind, [{"index": 0, "delta": {}, "finish_reason": reason}], None),
            self._body(kind, [], usage),
        )
        for chunk in chunks:
            await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        return response

    def _body(self, kind: str, choices: list[Any], usage: dict[str, int] | None) -> dict[str, Any]:
        return {
            "id": "x",
            "object": kind,
            "created": int(time.time()),
            "model": self._model,
            "choices": choices,
            "usage": usage,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve an OpenVINO model with OpenAI's API.")
    parser.add_argument("folder")
    parser.add_argument("--model", required=True, help="the model name it answers to")
    parser.add_argument("--port", type=int, default=8466)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cache-gib", type=int, default=2)
    options = parser.parse_args()
    engine = Engine(options.folder, options.threads, options.cache_gib)
    engine.start()
    server = Server(engine, options.model)
    app = web.Application(client_max_size=2**22)
    app.router.add_get("/v1/models", server.models)
    app.router.add_post("/v1/chat/completions", server.chat)
    web.run_app(app, host="127.0.0.1", port=options.port, print=None)


if __name__ == "__main__":
    main()
