"""One vLLM server: samples by token ids, and adapters that come and go while it runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypeVar

import aiohttp
from pydantic import BaseModel, ValidationError

from workers.core.net.guard import AddressRefused
from workers.core.net.outbound import OutboundClient
from workers.core.rollouts.base import EngineError, Ids, Sample, Sampling

MOST_BYTES = 500_000_000
"""Limit of an answer: 256 branches of 16,384 tokens have 400 MB."""
MOST_TEXT = 300
"""Characters of a server's error that people see."""
FLAGS = (
    "Start it with VLLM_ALLOW_RUNTIME_LORA_UPDATING=True and vllm serve MODEL --enable-lora "
    "--enable-scale-out."
)

EVERY_TOKEN = {
    "top_p": 1.0,
    "top_k": 0,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "ignore_eos": True,
    "detokenize": False,
}
"""Nothing is cut off or scaled, and only the ids that a request names end an answer."""

T = TypeVar("T", bound=BaseModel)


class Lost(Exception):
    """The server does not answer, or no longer has the adapter: it may have started again."""


class Card(BaseModel):
    """A model, or an adapter of the model `parent`. `root`: its folder, or its name on the hub."""

    id: str
    root: str | None = None
    parent: str | None = None
    max_model_len: int | None = None


class _Cards(BaseModel):
    data: list[Card]


class _Token(BaseModel):
    token_id: int
    logprob: float


class _Tokens(BaseModel):
    content: list[_Token]


class _Choice(BaseModel):
    index: int
    token_ids: list[int]
    finish_reason: Literal["stop", "length", "abort"]
    logprobs: _Tokens | None = None


class _Logprob(BaseModel):
    logprob: float


class _Generated(BaseModel):
    model: str
    choices: list[_Choice]
    prompt_logprobs: list[dict[str, _Logprob] | None] | None = None


class Server:
    """Its methods raise Lost, and EngineError for what waiting does not repair."""

    def __init__(self, client: OutboundClient, url: str) -> None:
        self.url = url
        self._client = client

    async def cards(self) -> dict[str, Card]:
        """The base model and the adapters, by name."""
        status, body = await self._asked("GET", "/v1/models")
        if status >= 500:
            raise Lost(f"{self.url} answered {status}")
        if status != 200:
            raise self._refused(status, body)
        return {card.id: card for card in self._read(_Cards, body).data}

    async def load(self, name: str, folder: Path) -> None:
        wanted = {"lora_name": name, "lora_path": str(folder)}
        status, body = await self._asked("POST", "/v1/load_lora_adapter", wanted)
        if status == 200:
            return
        told = _told(body)
        if str(folder) in told:
            raise EngineError(
                code="vllm_sees_no_adapter",
                message=f"The vLLM server {self.url} can't read the adapter: {told}",
                remedy=(
                    "Give the server the studio's data folder under the same path, readable, then "
                    "resume the training."
                ),
            )
        raise self._refused(status, body, FLAGS if status == 404 else "")

    async def unload(self, name: str) -> None:
        """Also where it is gone already."""
        status, body = await self._asked("POST", "/v1/unload_lora_adapter", {"lora_name": name})
        if status not in (200, 404):
            raise self._refused(status, body)

    async def generate(
        self, name: str, prompt: Ids, n: int, sampling: Sampling, stops: Collection[int]
    ) -> list[Sample]:
        """`n` samples, with version −1. Raises Lost where the adapter is not loaded."""
        greedy = sampling.temperature == 0
        asked = 1 if greedy else n
        wanted = {
            "n": asked,
            "temperature": sampling.temperature,
            "seed": None if greedy else sampling.seed,
            "max_tokens": sampling.max_tokens,
            "logprobs": 0,
            "stop_token_ids": sorted(stops),
        }
        answer = await self._generated(name, prompt, wanted)
        choices = sorted(answer.choices, key=lambda choice: choice.index)
        if len(choices) != asked:
            raise self._unreadable(f"of {asked} answers to a prompt it has {len(choices)}")
        samples = [self._sample(prompt, choice) for choice in choices]
        return samples * n if greedy else samples

    async def score(self, name: str, ids: Ids) -> tuple[float, ...]:
        """The log-probability of each of the ids but the first. Raises Lost as `generate` does."""
        wanted = {"max_tokens": 1, "temperature": 0.0, "prompt_logprobs": 0}
        told = (await self._generated(name, ids, wanted)).prompt_logprobs or []
        if len(told) != len(ids):
            raise self._unreadable("it has no log-probabilities of the prompt")
        pairs = zip(ids[1:], told[1:], strict=True)
        return tuple(each[str(token)].logprob for token, each in pairs if each is not None)

    async def _generated(self, name: str, prompt: Ids, wanted: Mapping[str, Any]) -> _Generated:
        body = {
            "model": name,
            "token_ids": list(prompt),
            "sampling_params": {**EVERY_TOKEN, **wanted},
        }
        status, told = await self._asked("POST", "/inference/v1/generate", body)
        if status >= 500 or (status == 404 and name in _told(told)):
            raise Lost(f"{self.url} answered {status}: {_told(told)}")
        if status != 200:
            raise self._refused(status, told, FLAGS if status in (403, 404) else "")
        answer = self._read(_Generated, told)
        if answer.model != name:
            raise EngineError(
                code="vllm_other_version",
                message=f"The vLLM server {self.url} answered with {answer.model}, not {name}.",
                remedy="Let no router or proxy change the model of a request.",
            )
        return answer

    def _sample(self, prompt: Ids, choice: _Choice) -> Sample:
        if choice.finish_reason == "abort":
            raise Lost(f"{self.url} broke an answer off")
        tokens = tuple(choice.token_ids)
        content = choice.logprobs.content if choice.logprobs else []
        if not tokens or tokens != tuple(each.token_id for each in content):
            raise self._unreadable("its log-probabilities are not those of its tokens")
        told = tuple(each.logprob for each in content)
        return Sample(prompt, tokens, told, version=-1, finish=choice.finish_reason)

    async def _asked(
        self, method: str, path: str, wanted: Mapping[str, Any] | None = None
    ) -> tuple[int, bytes]:
        data = None if wanted is None else json.dumps(wanted).encode()
        try:
            fetched = await self._client.request(
                method,
                self.url + path,
                headers={"Content-Type": "application/json"},
                data=data,
                max_bytes=MOST_BYTES,
            )
        except AddressRefused as error:
            raise EngineError(
                code="address_refused", message=error.message, remedy=error.remedy
            ) from error
        except aiohttp.ClientError as error:
            raise Lost(f"{self.url}: {error or type(error).__name__}") from error
        return fetched.status, fetched.body

    def _read(self, kind: type[T], body: bytes) -> T:
        try:
            return kind.model_validate_json(body)
        except ValidationError as error:
            wrong = error.errors(include_url=False, include_input=False)[0]
            raise self._unreadable(f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}") from error

    def _unreadable(self, why: str) -> EngineError:
        return EngineError(
            code="vllm_unreadable",
            message=f"The answer of the vLLM server {self.url} can't be read: {why}.",
            remedy="Use vLLM 0.32 or a version that answers alike.",
        )

    def _refused(self, status: int, body: bytes, remedy: str = "") -> EngineError:
        return EngineError(
            code="vllm_refused",
            message=f"The vLLM server {self.url} refused with {status}: {_told(body)}",
            remedy=remedy or "Correct what it says, then resume the training.",
        )


def _told(body: bytes) -> str:
    """What an error says, in vLLM's form or another."""
    text = body.decode(errors="replace")
    with suppress(ValueError, KeyError, TypeError):
        text = str(json.loads(text)["error"]["message"])
    return text.strip()[:MOST_TEXT]
