"""Samples by vLLM, updates here. What was published reaches a server before its next sample."""

from __future__ import annotations

import asyncio
import logging
import secrets
import shutil
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

import torch
from torch import Tensor

from workers.core.concurrency import all_or_first_error, cancel_all
from workers.core.net.outbound import OutboundClient
from workers.core.rollouts.base import (
    BrokenOff,
    EngineError,
    Ids,
    Sample,
    Sampling,
)
from workers.core.rollouts.learning import Learner, other_weights
from workers.core.rollouts.policies import PolicySpec
from workers.core.rollouts.vllm.server import Card, Lost, Server
from workers.core.weights.adapters import write_peft

log = logging.getLogger(__name__)

CANARY = 128
"""Limit of the tokens of a prompt that are scored there and here, once it is published."""
CANARY_LIMIT = 0.2
"""Of the mean difference of a token's log-probability. In float32 it is 1e-5. With bfloat16 there
and float32 here it is 0.06: a prompt has unlikely tokens (docs/log/2026-11-27-vllm-engine.md)."""
TRIES = 5
"""How often a server may be lost in one call of `sample`."""
AT_ONCE = 256
"""Limit of the requests that a server has at once."""
LOOK_SECONDS = 0.5
BROKEN_OFF_SECONDS = 0.2
RESUME = "Read the server's log, then resume the training. Nothing is lost."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that each state may take. `answering`: a server that starts loads its model first.
    `sampling`: one request, and all that are asked before it. `leaving`: all servers unload what
    they have loaded; where they don't, it goes with their process."""

    answering: float = 900.0
    loading: float = 120.0
    canary: float = 120.0
    sampling: float = 3_600.0
    leaving: float = 2.0


@dataclass(frozen=True, slots=True)
class Servers:
    """`urls`: http://host:port of each. `folder`: for adapters, written here and read there; it
    belongs to this engine. `job`: what the names of its adapters begin with."""

    urls: tuple[str, ...]
    folder: Path
    job: str
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class _Published:
    """A version of a policy."""

    name: str
    version: int
    tensors: Mapping[str, Tensor]


class VllmEngine(Learner):
    """See `Learner` for what it raises, and EngineError for servers that don't do their part."""

    samples_itself = False
    sampled_by = "vLLM"
    differs_remedy = (
        "Serve the model with --dtype float32 and train with “exact”, or sample in process."
    )

    def __init__(
        self,
        policies: Mapping[str, PolicySpec],
        *,
        seed: int,
        servers: Servers,
        broken_off: threading.Event | None = None,
    ) -> None:
        super().__init__(policies, seed=seed, broken_off=broken_off)
        self._specs, self._servers = policies, servers
        self._published: dict[str, _Published] = {}
        self._loaded: dict[str, dict[str, str]] = {url: {} for url in servers.urls}
        """The adapter that each server has of each policy, as far as is known."""
        self._begin()

    def _begin(self) -> None:
        # No name is used twice, not even by a training that goes on from an earlier step.
        self._job = f"{self._servers.job}-{secrets.token_hex(4)}"
        for policy in self._policies:
            self._snapshot(policy)

    def _snapshot(self, policy: str) -> int:
        own = self._policies[policy]
        name = f"{self._job}-{policy}-v{own.version}"
        self._published[policy] = _Published(name, own.version, own.sampler or own.policy.tensors())
        return own.version

    def load(self, folder: Path) -> None:
        super().load(folder)
        self._begin()

    def publish(self, policy: str) -> int:
        super().publish(policy)
        return self._snapshot(policy)

    def close(self) -> None:
        asyncio.run(self._unloaded())
        shutil.rmtree(self._servers.folder, ignore_errors=True)

    def sample(
        self, policy: str, prompts: Sequence[Ids], n: int, sampling: Sampling
    ) -> list[list[Sample]]:
        return asyncio.run(self._if_of_use(self._sampled(policy, prompts, n, sampling)))

    async def _if_of_use(self, work: Coroutine[Any, Any, T]) -> T:
        """Raises BrokenOff, whatever the work waits for."""
        task = asyncio.create_task(work)
        while not task.done():
            if self._broken_off.is_set():
                await cancel_all([task])
                raise BrokenOff
            await asyncio.wait([task], timeout=BROKEN_OFF_SECONDS)
        return task.result()

    async def _sampled(
        self, policy: str, prompts: Sequence[Ids], n: int, sampling: Sampling
    ) -> list[list[Sample]]:
        """Prompts take turns on the servers. What a lost server has not answered is asked again,
        with the same seed."""
        published, stops = self._published[policy], self._policies[policy].policy.stops
        made: dict[int, list[Sample]] = {}

        async def ask(at: int, server: Server, gate: asyncio.Semaphore) -> None:
            own = replace(sampling, seed=sampling.seed + at * n)
            try:
                async with gate:
                    found = await server.generate(published.name, prompts[at], n, own, stops)
            except Lost as lost:
                self._loaded[server.url].clear()
                log.warning("asking again: %s", lost)
            else:
                made[at] = [replace(each, version=published.version) for each in found]

        limit = self._servers.limits.sampling
        longest = max(map(len, prompts)) + sampling.max_tokens
        async with self._connected() as servers:
            gates = [asyncio.Semaphore(AT_ONCE) for _ in servers]
            for _ in range(TRIES):
                await self._reached(servers, policy, prompts[0], longest)
                async with _within(limit, f"All samples of {published.name}"):
                    await all_or_first_error(
                        ask(at, servers[at % len(servers)], gates[at % len(servers)])
                        for at in range(len(prompts))
                        if at not in made
                    )
                if len(made) == len(prompts):
                    return [made[at] for at in range(len(prompts))]
        raise self._keeps_stopping(published)

    # -- a publication

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[list[Server]]:
        # The limits of the states end what takes too long. This one is never reached.
        seconds = 2 * self._servers.limits.sampling + self._servers.limits.answering
        async with OutboundClient(allow_private=True, seconds=seconds) as client:
            yield [Server(client, url) for url in self._servers.urls]

    async def _reached(
        self, servers: Sequence[Server], policy: str, canary: Ids, longest: int
    ) -> None:
        """All servers have what was published last. `longest`: tokens of prompt and answer."""
        began, published = time.monotonic(), self._published[policy]
        for _ in range(TRIES):
            absent = [
                server
                for server in servers
                if self._loaded[server.url].get(policy) != published.name
            ]
            if not absent:
                self.seconds_publishing += time.monotonic() - began
                return
            self._write(policy)
            await all_or_first_error(
                self._publish_to(server, policy, canary, longest) for server in absent
            )
        raise self._keeps_stopping(published)

    def _write(self, policy: str) -> None:
        spec, published = self._specs[policy], self._published[policy]
        root = self._servers.folder
        current = {each.name for each in self._published.values()}
        for old in root.glob("*"):
            if old.name not in current:
                shutil.rmtree(old, ignore_errors=True)
        if (root / published.name).exists():
            return
        try:
            write_peft(
                root / published.name,
                published.tensors,
                base_model=spec.model,
                rank=spec.rank,
                alpha=spec.scale,
            )
        except OSError as error:
            raise EngineError(
                code="adapter_not_written",
                message=f"The adapter {published.name} could not be written: {error}.",
                remedy="Free some disk space and resume the training. Nothing is lost.",
            ) from error

    async def _publish_to(self, server: Server, policy: str, canary: Ids, longest: int) -> None:
        limits, published = self._servers.limits, self._published[policy]
        folder = (self._servers.folder / published.name).resolve()
        loaded = self._loaded[server.url]
        try:
            async with _within(limits.answering, f"An answer of the vLLM server {server.url}"):
                cards = await _answering(server)
            _require_base(server, cards, self._specs[policy].model, longest)
            async with _within(limits.loading, f"The adapter {published.name} at {server.url}"):
                if published.name not in cards:
                    await server.load(published.name, folder)
                await self._unload_others(server, cards)
            async with _within(limits.canary, f"A first answer of {published.name}"):
                scores = await server.score(published.name, canary[:CANARY])
        except Lost as lost:
            loaded.clear()
            log.warning("publishing again: %s", lost)
            return
        self._require_alike(server, policy, canary[:CANARY], scores)
        loaded[policy] = published.name

    async def _unload_others(self, server: Server, names: Mapping[str, Card]) -> None:
        """Of this training, also those of an attempt that broke off."""
        current = {each.name for each in self._published.values()}
        for name in names:
            if name.startswith(f"{self._servers.job}-") and name not in current:
                await server.unload(name)

    def _require_alike(
        self, server: Server, policy: str, ids: Ids, scores: tuple[float, ...]
    ) -> None:
        """The server samples with what was published, not with another adapter or with none."""
        published = self._published[policy]
        apart = self._apart(policy, published.tensors, ids, scores)
        if apart <= CANARY_LIMIT / 10:
            return
        without = {key: torch.zeros_like(each) for key, each in published.tensors.items()}
        from_base = self._apart(policy, without, ids, scores)
        if apart > min(CANARY_LIMIT, 3 * from_base):
            reason = "It seems to ignore the adapter. " if from_base < apart else ""
            raise EngineError(
                code="vllm_other_weights",
                message=(
                    f"{published.name} did not arrive at the vLLM server {server.url}: "
                    f"log-probabilities of a prompt differ by {apart:.3g} a token from "
                    f"the trainer's. The limit is {CANARY_LIMIT}. {reason}".strip()
                ),
                remedy=(
                    f"Serve the model “{self._specs[policy].model}” itself, whole and not "
                    "quantised. Then resume the training."
                ),
            )

    def _apart(
        self, policy: str, tensors: Mapping[str, Tensor], ids: Ids, scores: tuple[float, ...]
    ) -> float:
        said = Sample(ids[:1], ids[1:], scores, version=-1, finish="length")
        with other_weights(self._policies[policy].policy, tensors):
            (own,) = self.logprobs(policy, [said])
        return fmean(abs(here - there) for here, there in zip(own, scores, strict=True))

    async def _unloaded(self) -> None:
        self._published.clear()

        async def unloaded(server: Server) -> None:
            with suppress(Lost, EngineError):
                async with _within(self._servers.limits.leaving, server.url):
                    await self._unload_others(server, await server.cards())

        async with self._connected() as servers:
            await all_or_first_error(map(unloaded, servers))

    def _keeps_stopping(self, published: _Published) -> EngineError:
        return EngineError(
            code="vllm_keeps_stopping",
            message=f"A vLLM server was lost {TRIES} times while {published.name} was in use.",
            remedy=RESUME,
        )


async def _answering(server: Server) -> dict[str, Card]:
    while True:
        try:
            return await server.cards()
        except Lost:
            await asyncio.sleep(LOOK_SECONDS)


def _require_base(server: Server, cards: Mapping[str, Card], model: str, longest: int) -> None:
    for card in cards.values():
        names = {card.id, card.root or "", Path(card.root or card.id).name}
        if card.parent is None and {model, model.rsplit("/", maxsplit=1)[-1]} & names:
            break
    else:
        served = ", ".join(name for name, card in cards.items() if card.parent is None)
        raise EngineError(
            code="vllm_other_model",
            message=f"The vLLM server {server.url} serves {served}, not “{model}”.",
            remedy=(
                "Choose that model for the training, or serve this one. A folder of local models "
                "needs --served-model-name with its name."
            ),
        )
    if card.max_model_len is not None and longest > card.max_model_len:
        raise EngineError(
            code="vllm_too_short",
            message=(
                f"Prompt and answer may have {longest} tokens together, and the vLLM server "
                f"{server.url} takes {card.max_model_len}."
            ),
            remedy="Serve with a larger --max-model-len, or choose fewer tokens an answer.",
        )


@asynccontextmanager
async def _within(seconds: float, what: str) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise EngineError(
            code="vllm_silent", message=f"{what} did not come within {seconds:g} s.", remedy=RESUME
        ) from error
