"""The server's process, asked as any other endpoint."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from workers.core.checkpoints import CheckpointInfo, save
from workers.core.llm.client import OpenAIClient
from workers.core.llm.types import ChatMessage, ChatRequest, ChatResult, LLMError
from workers.core.mas.tests.support import endpoint
from workers.core.rollouts.base import LossOptions, Weighted, demonstration
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.kept import Kept, named
from workers.core.rollouts.policies import PolicySpec
from workers.core.rollouts.serving.__main__ import serve
from workers.core.rollouts.serving.batching import Call
from workers.core.rollouts.tests.taught import TAUGHT
from workers.core.specs import EndpointSpec

BY_HEART = {"proposer": "bacacbcc", "planner": "abbbbc"}
QUESTION = (ChatMessage(role="user", content="AaaSab.ac#ba.bb#bc.ca.cb.ccG|"),)
REQUEST = ChatRequest(messages=QUESTION, max_tokens=6, temperature=0.0)


@pytest.fixture(scope="module")
def served(nano_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server of a base model, and of a checkpoint with two policies that each learned
    an answer by heart."""
    checkpoints = tmp_path_factory.mktemp("checkpoints")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDIO_MODELS_DIR", str(nano_folder))
        engine = InProcessEngine(dict.fromkeys(BY_HEART, PolicySpec("nano")), seed=0)
        for policy, text in BY_HEART.items():
            prompt = engine.prompt(policy, [{"role": "user", "content": QUESTION[0].content}])
            lesson = Weighted(demonstration(prompt, engine.answer(policy, text)), 1.0)
            for _ in range(30):
                engine.forward_backward(policy, [lesson], LossOptions())
                engine.optim_step(policy, 1e-2)
        tensors = named({policy: engine.tensors(policy) for policy in BY_HEART})
        kept = Kept(
            environment="plan_path",
            model="nano",
            rank=0,
            alpha=0,
            agents=tuple(BY_HEART),
        )
        info = CheckpointInfo(
            method="at_grpo",
            label="two",
            trained=True,
            seed=0,
            code_version="1",
            config=kept.model_dump(mode="json"),
        )
        save(checkpoints / "two", tensors, info)
        save(checkpoints / "other", {"a": torch.zeros(1)}, info.model_copy(update={"config": {}}))
        command = [sys.executable, "-m", "workers.core.rollouts.serving", "--port", "0"]
        process = subprocess.Popen(
            [*command, "--checkpoints", str(checkpoints), "--threads", "1"],
            stdout=subprocess.PIPE,
            text=True,
        )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("ready ").strip()
    finally:
        process.terminate()
        assert process.wait(timeout=20) == 0


def of(url: str, model: str) -> EndpointSpec:
    return endpoint(url, model=model, allow_private_address=True, timeout_seconds=60)


async def asked(
    url: str, model: str, request: ChatRequest = REQUEST, *, stream: bool = True
) -> ChatResult:
    client = OpenAIClient()
    pieces: list[str] = []
    try:
        result = await client.chat(of(url, model), request, pieces.append if stream else None)
    finally:
        await client.close()
    assert not stream or "".join(pieces) == result.text
    return result


def test_all_models_are_listed(served: str) -> None:
    with urllib.request.urlopen(f"{served}/models") as response:  # noqa: S310  our own server
        listed = [each["id"] for each in json.load(response)["data"]]
    assert listed == ["nano", TAUGHT, "two:proposer", "two:planner"]


@pytest.mark.parametrize("stream", [False, True])
async def test_each_policy_answers_with_its_weights(served: str, stream: bool) -> None:
    for policy, text in BY_HEART.items():
        result = await asked(served, f"two:{policy}", stream=stream)
        assert (result.text, result.cut) == (text, False)
        assert result.usage.completion_tokens == len(text) / 2 + 1
        assert result.usage.prompt_tokens == 1 + len("A|") + 9
    short = replace(REQUEST, max_tokens=2)
    result = await asked(served, "two:planner", short, stream=stream)
    assert (result.text, result.cut) == ("abbb", True)


async def test_a_seed_gives_the_same_answer(served: str) -> None:
    drawn = replace(REQUEST, temperature=1.0, max_tokens=20)
    first, second, other = [
        (await asked(served, "nano", replace(drawn, seed=seed))).text for seed in (1, 1, 2)
    ]
    assert first == second != other


@pytest.mark.parametrize(
    ("model", "fields", "code"),
    [
        ("none", {}, "model_not_found"),
        ("two:none", {}, "model_not_found"),
        ("nano", {"max_tokens": 5_000}, "context_length_exceeded"),
    ],
)
async def test_errors_have_the_codes_of_any_endpoint(
    served: str, model: str, fields: dict[str, Any], code: str
) -> None:
    with pytest.raises(LLMError) as raised:
        await asked(served, model, replace(REQUEST, **fields))
    assert raised.value.code == code


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"model": "nano", "messages": []}',
        b'{"model": "nano", "messages": [{"role": "user"}], "temperature": 9}',
        b'{"model": "nano", "messages": [{"role": "user"}], "logit_bias": {}}',
        b'{"model": "nano", "messages": [{"role": "user", "content": "A"}], "n": 2}',
    ],
)
def test_a_body_that_is_none_is_refused(served: str, body: bytes) -> None:
    address = f"{served}/chat/completions"
    request = urllib.request.Request(address, data=body, method="POST")  # noqa: S310  our own
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(request)  # noqa: S310  our own
    assert raised.value.code == 400
    assert json.load(raised.value)["error"]["message"]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_caller_who_leaves_is_answered_no_more(
    stream: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Else the answer goes on to the end of the model's context."""
    asked: asyncio.Queue[Call] = asyncio.Queue()

    class Silent:
        def __init__(self, *_: object, **__: object) -> None:
            """It answers nobody."""

        def ask(self, call: Call) -> None:
            asked.put_nowait(call)

    monkeypatch.setattr("workers.core.rollouts.serving.__main__.Answering", Silent)
    serving = asyncio.create_task(serve("127.0.0.1", 0, tmp_path))
    said = ""
    while "ready" not in said:
        await asyncio.sleep(0.01)
        said += capsys.readouterr().out
    port = int(said.split(":")[2].split("/")[0])
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    told = {"model": "nano", "messages": [{"role": "user", "content": "A"}], "stream": stream}
    body = json.dumps(told).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    call = await asked.get()
    writer.close()
    has_left = await asyncio.to_thread(call.gone.wait, 5)
    os.kill(os.getpid(), signal.SIGTERM)
    await serving
    assert has_left
