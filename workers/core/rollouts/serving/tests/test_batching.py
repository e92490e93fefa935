"""Calls that are answered side by side, token by token."""

import queue
import threading
from pathlib import Path
from typing import Any

import pytest

from workers.core.errors import MethodError
from workers.core.rollouts.base import Sampling
from workers.core.rollouts.generating import generate
from workers.core.rollouts.policies import Policy, PolicySpec, load_policies
from workers.core.rollouts.serving.batching import Answering, Batch, Call, Ended
from workers.core.rollouts.serving.models import Models

BOARDS = ["AaaSab.ac#ba.bb#bc.ca.cb.ccG|", "BaaSab.acG|abac|", "Aaa.abSbaGbb.|", "B|"]


class Asked:
    """A call whose answer is collected."""

    def __init__(self, text: str, **fields: Any) -> None:
        given = {"model": "nano", "max_tokens": 12, "temperature": 0.0, "seed": 0, **fields}
        self.said: queue.SimpleQueue[Ended | MethodError] = queue.SimpleQueue()
        self.pieces: list[str] = []
        self.call = Call(
            messages=[{"role": "user", "content": text}],
            tell=self.pieces.append,
            end=self.said.put,
            **given,
        )

    def end(self) -> Ended | MethodError:
        return self.said.get(timeout=30)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@pytest.fixture
def policy(nano: Path) -> Policy:
    return load_policies({"one": PolicySpec("nano")}, seed=0)["one"]


def alone(policy: Policy, text: str) -> str:
    """The answer as a training would sample it."""
    prompt = policy.prompt([{"role": "user", "content": text}])
    sampling = Sampling(max_tokens=12, seed=0, temperature=0)
    ((sample,),) = generate(policy.model, [prompt], 1, sampling, stop=policy.stops, pad=policy.pad)
    return policy.text(sample.tokens)


def test_whoever_joins_gets_the_answer_that_it_would_get_alone(policy: Policy) -> None:
    batch, asked = Batch(policy), [Asked(text) for text in BOARDS]
    for each in asked:  # one more with every token
        each.call.prepare(policy)
        batch.take(each.call)
        batch.step()
    while not batch.is_idle:
        batch.step()
    assert [each.text for each in asked] == [alone(policy, text) for text in BOARDS]
    for each in asked:
        ended = each.end()
        assert isinstance(ended, Ended)
        assert ended.completion_tokens == len(each.call.tokens)
        assert (ended.finish == "length") is (ended.completion_tokens == 12)


def test_a_seed_decides_whoever_else_asks(policy: Policy) -> None:
    def answers(*seeds: int) -> list[str]:
        asked = [Asked(BOARDS[0], temperature=1.0, seed=seed) for seed in seeds]
        batch = Batch(policy)
        for each in asked:
            each.call.prepare(policy)
            batch.take(each.call)
        while not batch.is_idle:
            batch.step()
        return [each.text for each in asked]

    assert answers(1)[0] == answers(1, 2, 3)[0]
    assert len(set(answers(*range(8)))) > 4


def test_who_has_left_is_answered_no_more(policy: Policy) -> None:
    batch, (gone, stays) = Batch(policy), (Asked(BOARDS[0]), Asked(BOARDS[1]))
    for each in (gone, stays):
        each.call.prepare(policy)
        batch.take(each.call)
    batch.step()
    gone.call.gone.set()
    while not batch.is_idle:
        batch.step()
    assert len(gone.call.tokens) == 2
    assert stays.text == alone(policy, BOARDS[1])


@pytest.fixture
def answering(nano: Path, tmp_path: Path) -> Any:
    made = Answering(Models(tmp_path, most=2))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"model": "nowhere"}, "model_missing"),
        ({"model": "../../etc:shared"}, "checkpoint_missing"),
        ({"model": "none:shared"}, "checkpoint_missing"),
        ({"text": "A" * 600}, "context_length_exceeded"),
        ({"text": "A" * 600, "max_tokens": None}, "context_length_exceeded"),
        ({"max_tokens": 5_000}, "context_length_exceeded"),
    ],
)
def test_what_cannot_be_answered_is_told(
    answering: Answering, fields: dict[str, Any], code: str
) -> None:
    asked, well = Asked(**({"text": BOARDS[0]} | fields)), Asked(BOARDS[0])
    for each in (asked, well):
        answering.ask(each.call)
    ended = asked.end()
    assert isinstance(ended, MethodError)
    assert ended.code == code
    assert isinstance(well.end(), Ended), "others are answered"


def test_a_model_that_breaks_ends_its_calls_and_no_others(
    answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> list[int]:
        raise RuntimeError("out of memory")

    with monkeypatch.context() as patch:
        patch.setattr(Batch, "_drawn", breaks)
        asked = Asked(BOARDS[0])
        answering.ask(asked.call)
        ended = asked.end()
    assert isinstance(ended, MethodError)
    assert ended.code == "internal_error"
    well = Asked(BOARDS[0])
    answering.ask(well.call)
    assert isinstance(well.end(), Ended)


def test_models_are_loaded_by_one_thread_and_a_failed_start_stops_no_call(
    nano: Path, tmp_path: Path
) -> None:
    """Two threads that load at once get models without some of their weights."""
    threads: list[int] = []

    class Watched(Models):
        def of(self, name: str) -> Policy:
            threads.append(threading.get_ident())
            return super().of(name)

    def first(models: Models) -> None:
        models.of("nano")
        raise RuntimeError("the start fails")

    answering = Answering(Watched(tmp_path, most=2), first=first)
    asked = Asked(BOARDS[0])
    answering.ask(asked.call)
    assert isinstance(asked.end(), Ended)
    answering.close()
    assert len(threads) == 2
    assert len({*threads, threading.get_ident()}) == 2
