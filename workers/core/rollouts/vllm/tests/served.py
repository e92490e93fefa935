"""A server that answers by vLLM's protocol, over real sockets: PEFT reads the adapters, and the
answers are those of transformers. It can be made to fail."""

from __future__ import annotations

import asyncio
import copy
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from aiohttp import web

from workers.core.rollouts.base import Ids, Sample, Sampling
from workers.core.rollouts.generating import generate
from workers.core.weights.models import find_model, load_model

BASE = "nano"
LENGTH = 512


@dataclass(slots=True)
class Faults:
    """`shift`: added to log-probabilities. `dies_at`: the sample, counted from 1, at which it stops
    for a moment and forgets its adapters. `silent`: paths that are never answered."""

    shift: float = 0.0
    ignores_adapters: bool = False
    dies_at: int = 0
    silent: set[str] = field(default_factory=set)
    runtime_adapters: bool = True
    scale_out: bool = True
    other_model: str = ""
    drops: int = 0
    """How many of a prompt's answers are left out."""
    loses: set[str] = field(default_factory=set)
    """What an adapter's name contains that loads, and is gone again."""


class Served:
    """`loads` and `unloads`: the names, in order."""

    def __init__(self, model: str = BASE) -> None:
        self.faults = Faults()
        self.adapters: dict[str, Path] = {}
        self.loads: list[str] = []
        self.unloads: list[str] = []
        self.samples = 0
        self._model = model
        self._base = load_model(find_model(model), "language")
        self._adapted: dict[str, Any] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()

    def stop(self) -> None:
        """It forgets its adapters, as a process that ends does."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()

    def close(self) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> None:
        application = web.Application(client_max_size=10_000_000, middlewares=[self._faulty])
        application.router.add_get("/v1/models", self._models)
        if self.faults.runtime_adapters:
            application.router.add_post("/v1/load_lora_adapter", self._load)
            application.router.add_post("/v1/unload_lora_adapter", self._unload)
        application.router.add_post("/inference/v1/generate", self._generate)
        self._ended = asyncio.Event()
        self._runner = web.AppRunner(application, shutdown_timeout=0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port, reuse_address=True).start()
        self._port = self._runner.addresses[0][1]

    async def _stop(self) -> None:
        self.adapters.clear()
        self._adapted.clear()
        if self._runner is not None and self._runner.server is not None:
            for connection in self._runner.server.connections:
                if connection.transport is not None:
                    connection.transport.abort()
            self._ended.set()
            await self._runner.cleanup()
            self._runner = None

    @web.middleware
    async def _faulty(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if request.path in self.faults.silent:
            await self._ended.wait()
        response: web.StreamResponse = await handler(request)
        return response

    async def _models(self, _: web.Request) -> web.Response:
        base = self.faults.other_model or self._model
        cards: list[dict[str, Any]] = [
            {"id": base, "root": f"/models/{base}", "parent": None, "max_model_len": LENGTH}
        ]
        cards += [
            {"id": name, "root": str(folder), "parent": base, "max_model_len": None}
            for name, folder in self.adapters.items()
        ]
        return web.json_response({"object": "list", "data": cards})

    async def _load(self, request: web.Request) -> web.Response:
        body = await request.json()
        name, folder = body["lora_name"], Path(body["lora_path"])
        if name in self.adapters:
            return refused(400, f"The lora adapter '{name}' has already been loaded.")
        if not (folder / "adapter_config.json").exists():
            return refused(404, f"Loading lora {name} failed: No adapter found for {folder}")
        self.loads.append(name)
        self._adapted.pop(name, None)
        if not any(part in name for part in self.faults.loses):
            self.adapters[name] = folder
        return web.Response(text=f"Success: LoRA adapter '{name}' added successfully.")

    async def _unload(self, request: web.Request) -> web.Response:
        name = (await request.json())["lora_name"]
        if self.adapters.pop(name, None) is None:
            return refused(404, f"The lora adapter '{name}' cannot be found.")
        self._adapted.pop(name, None)
        self.unloads.append(name)
        return web.Response(text=f"Success: LoRA adapter '{name}' removed successfully.")

    async def _generate(self, request: web.Request) -> web.Response:
        if not self.faults.scale_out:
            return refused(403, "Scale-out endpoints are disabled.")
        body = await request.json()
        name, wanted = body["model"], body["sampling_params"]
        if name not in self.adapters:
            return refused(404, f"The model `{name}` does not exist.")
        if wanted["temperature"] == 0 and wanted.get("n", 1) > 1:
            return refused(400, "n must be 1 when using greedy sampling.")
        if "prompt_logprobs" not in wanted:
            self.samples += 1
            if self.samples == self.faults.dies_at:
                self._dying = self._loop.create_task(self._die())
                await self._ended.wait()
        return web.json_response(self._answer(name, tuple(body["token_ids"]), wanted))

    async def _die(self) -> None:
        await self._stop()
        await self._start()

    def _answer(self, name: str, prompt: Ids, wanted: dict[str, Any]) -> dict[str, Any]:
        model = self._with(name)
        sampling = Sampling(wanted["max_tokens"], wanted.get("seed") or 0, wanted["temperature"])
        (made,) = generate(
            model,
            [prompt],
            wanted.get("n", 1),
            sampling,
            stop=wanted.get("stop_token_ids", ()),
            pad=0,
        )
        scores = self._scores(model, prompt) if "prompt_logprobs" in wanted else None
        kept = made[self.faults.drops :]
        choices = [self._choice(at, sample) for at, sample in enumerate(kept)]
        return {"model": name, "choices": choices, "prompt_logprobs": scores}

    def _choice(self, at: int, sample: Sample) -> dict[str, Any]:
        told = [
            {"token_id": token, "logprob": logprob + self.faults.shift, "rank": 1}
            for token, logprob in zip(sample.tokens, sample.logprobs, strict=True)
        ]
        return {
            "index": at,
            "token_ids": list(sample.tokens),
            "finish_reason": sample.finish,
            "logprobs": {"content": told},
        }

    @torch.no_grad()
    def _scores(self, model: Any, prompt: Ids) -> list[dict[str, Any] | None]:
        logits = model(input_ids=torch.tensor([prompt])).logits[0].float()
        told = torch.log_softmax(logits, dim=-1).tolist()
        scored = zip(prompt[1:], told, strict=False)
        return [None, *({str(token): {"logprob": each[token]}} for token, each in scored)]

    def _with(self, name: str) -> Any:
        """The base model with this adapter, which PEFT reads once from its folder."""
        from peft import PeftModel

        if self.faults.ignores_adapters:
            return self._base
        if name not in self._adapted:
            base = copy.deepcopy(self._base)
            self._adapted[name] = PeftModel.from_pretrained(base, self.adapters[name]).eval()
        return self._adapted[name]


def refused(status: int, message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "code": status}}, status=status)


@contextmanager
def served(model: str = BASE) -> Iterator[Served]:
    server = Served(model)
    server.start()
    try:
        yield server
    finally:
        server.close()
