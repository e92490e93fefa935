"""The stub speaks the protocol that clients meet in the wild."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from workers.core.testing.stub_llm import RunningStub, parse_arguments, running_stub
from workers.core.testing.stub_replies import arithmetic, default_reply
from workers.core.testing.stub_settings import Fault, Rule, StubSettings

RULES = (
    Rule("capital of France", reply="Paris"),
    Rule("busy twice", reply="at last", fault=Fault("429", times=2, retry_after=0.5)),
)


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    with running_stub(rules=RULES, models=("stub", "other")) as running:
        yield running


def post(stub: RunningStub, text: str, **fields: Any) -> tuple[int, dict[str, str], str]:
    body = {"model": "stub", "messages": [{"role": "user", "content": text}], **fields}
    request = urllib.request.Request(  # noqa: S310 our own process
        f"{stub.url}/chat/completions", json.dumps(body).encode(), method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310
            return response.status, dict(response.headers), response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read().decode()


def test_a_rule_speaks_for_its_substring(stub: RunningStub) -> None:
    status, _, body = post(stub, "What is the capital of France?")
    reply = json.loads(body)
    assert status == 200
    assert reply["choices"][0]["message"]["content"] == "Paris"
    assert reply["choices"][0]["finish_reason"] == "stop"
    assert reply["usage"]["prompt_tokens"] == 7


def test_a_stream_ends_in_usage_and_done(stub: RunningStub) -> None:
    _, headers, body = post(
        stub, "capital of France", stream=True, stream_options={"include_usage": True}
    )
    events = [line.removeprefix("data: ") for line in body.split("\n\n") if line]
    assert headers["Content-Type"] == "text/event-stream"
    assert events[-1] == "[DONE]"
    assert json.loads(events[-2])["usage"]["completion_tokens"] == 1
    chunks = [json.loads(event)["choices"] for event in events[:-2]]
    assert "".join(c[0]["delta"].get("content", "") for c in chunks) == "Paris"


def test_a_stream_has_no_usage_unless_asked(stub: RunningStub) -> None:
    assert "usage" not in post(stub, "capital of France", stream=True)[2]


def test_an_unlisted_model_is_a_404(stub: RunningStub) -> None:
    assert post(stub, "hello", model="gpt-9")[0] == 404
    assert post(stub, "hello", model="other")[0] == 200


def test_the_log_keeps_every_request(stub: RunningStub) -> None:
    stub.clear()
    post(stub, "remember me")
    log = stub.log()
    assert log["total"] == log["peak"] == 1
    assert log["active"] == log["dropped"] == 0
    assert log["requests"][0]["messages"][0]["content"] == "remember me"


def test_max_tokens_cuts_the_reply(stub: RunningStub) -> None:
    choice = json.loads(post(stub, "anything", max_tokens=2)[2])["choices"][0]
    assert len(choice["message"]["content"]) == 8
    assert choice["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("What is 12 * 3 + 4?", 40),
        ("A baker sells 14 loaves at 3 dollars and 5 cakes at 12 dollars. How much?", 102),
        ("6 × 7.", 42),
        ("10 / 0", None),
        ("no numbers here", None),
        ("9" * 300 + "." * 50 + " * 2", None),
    ],
)
def test_arithmetic(text: str, value: float | None) -> None:
    assert arithmetic(text) == value


def test_a_reply_is_deterministic_and_ends_in_an_answer() -> None:
    assert default_reply("why?") == default_reply("why?")
    assert default_reply("2 + 2").splitlines()[-1] == "Answer: 4"


def test_settings_travel_as_json() -> None:
    settings = StubSettings(rules=RULES, faults={"m": Fault("500", times=1)}, latency=0.5)
    told, port = parse_arguments(["--port", "9", "--settings", json.dumps(settings.to_json())])
    assert (told, port) == (settings, 9)
    assert parse_arguments(["--latency", "1.5"])[0].latency == 1.5
