"""Two processes over gloo learn as one does."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import pytest
import torch
from torch import distributed

from workers.core.rollouts.base import (
    BrokenOff,
    EngineError,
    LossOptions,
    PolicyEngine,
    Sample,
    Sampling,
    Weighted,
    demonstration,
)
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec
from workers.core.rollouts.ranks import member
from workers.core.rollouts.ranks.engine import RankedEngine
from workers.core.rollouts.ranks.tests.idle import Idle

POLICIES = {"tool": PolicySpec("nano", rank=4)}
MAKE = partial(InProcessEngine, POLICIES, seed=3)


class Doomed(InProcessEngine):
    """On rank 1 it ends in the middle of an update, as by `kill -9`, once there is a file."""

    def __init__(self, at: Path) -> None:
        super().__init__(POLICIES, seed=3)
        self._at = at

    def _loss(self, *args: Any) -> Any:
        found = super()._loss(*args)
        if distributed.get_rank() == 1 and self._at.exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return found


@dataclass(frozen=True, slots=True)
class Started:
    """`doom`: the file that ends a rank."""

    engine: RankedEngine
    doom: Path
    own: Path
    broken_off: threading.Event

    @classmethod
    def below(cls, folder: Path, make: Callable[[], Any] | None = None) -> Self:
        doom, own, broken_off = folder / "doom", folder / "published", threading.Event()
        own.mkdir()
        make = make or partial(Doomed, doom)
        engine = RankedEngine(make, ranks=2, own=own, broken_off=broken_off)
        return cls(engine, doom, own, broken_off)


@pytest.fixture(scope="module")
def first(nano_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    yield from started(nano_folder, tmp_path_factory.mktemp("first"))


@pytest.fixture(scope="module")
def second(nano_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    yield from started(nano_folder, tmp_path_factory.mktemp("second"))


def started(models: Path, folder: Path) -> Iterator[Started]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDIO_MODELS_DIR", str(models))
        made = Started.below(folder)
    yield made
    made.engine.close()


@pytest.fixture
def two(first: Started) -> RankedEngine:
    return first.engine


def sampled(engine: PolicyEngine) -> list[Sample]:
    prompts = [
        engine.prompt("tool", [{"role": "user", "content": text}])
        for text in ("AaaSab.ac#ba.bb#bc.ca.cb.ccG|", "BaaSab.acG|abac|", "B|")
    ]
    groups = engine.sample("tool", prompts, 3, Sampling(9, seed=5))
    return [each for group in groups for each in group]


def same(one: PolicyEngine, other: PolicyEngine, atol: float) -> bool:
    pairs = zip(one.tensors("tool").values(), other.tensors("tool").values(), strict=True)
    return all(torch.allclose(*pair, atol=atol) for pair in pairs)


@pytest.mark.usefixtures("nano")
def test_two_ranks_learn_as_one(two: RankedEngine, tmp_path: Path) -> None:
    one = MAKE()
    samples = sampled(one)
    assert sampled(two) == samples
    shown = demonstration(samples[0].prompt, samples[0].tokens)
    batches = [
        [Weighted(each, (-1.0) ** at) for at, each in enumerate(samples)],
        [Weighted(shown, 1.0)],  # one rank has nothing to do
        [Weighted(each, (-1.0) ** at) for at, each in enumerate(samples)],
    ]
    for batch in batches:
        for options in (LossOptions(kl=0.1), LossOptions(normaliser="tokens")):
            told, expected = (each.forward_backward("tool", batch, options) for each in (two, one))
            assert told.tokens == expected.tokens
            for name in ("loss", "entropy", "clipped", "kl", "mismatch"):
                assert getattr(told, name) == pytest.approx(getattr(expected, name), abs=1e-5)
        assert two.optim_step("tool", 1e-3) == pytest.approx(one.optim_step("tool", 1e-3), rel=1e-3)
        assert len(set(two.digests("tool"))) == 1, "bit for bit"
        assert same(two, one, atol=2e-5)
    assert two.publish("tool") == 1
    two.save(tmp_path)
    one.load(tmp_path)
    assert same(two, one, atol=0)


def test_an_error_is_told_and_changes_nothing(two: RankedEngine, tmp_path: Path) -> None:
    before = two.digests("tool")
    batch = [Weighted(each, float("nan")) for each in sampled(two)]
    with pytest.raises(EngineError, match="loss of the policy “tool” is nan") as raised:
        two.forward_backward("tool", batch, LossOptions())
    assert "lower learning rate" in raised.value.remedy
    with pytest.raises(OSError, match=r"engine\.json"):
        two.load(tmp_path)
    assert two.digests("tool") == before


def test_a_sample_too_long_for_one_rank_is_told_by_both(two: RankedEngine) -> None:
    """Each rank learns from one of the two. The one that can learn must not wait for the other."""
    before = two.digests("tool")
    (short, *_) = sampled(two)
    batch = [Weighted(demonstration((99,), (5,) * 5_000), 1.0), Weighted(short, 1.0)]
    # A rank that waits answers nothing: it is killed, and the call then tells another error.
    late = threading.Timer(20, two._kill_ranks)
    late.start()
    with pytest.raises(EngineError, match="5001 tokens together"):
        two.forward_backward("tool", batch, LossOptions())
    late.cancel()
    assert two.digests("tool") == before, "both answer again"


def test_a_rank_that_is_killed_in_an_update_ends_the_engine_and_the_next_one_ends_alike(
    first: Started, second: Started, tmp_path: Path
) -> None:
    """The same weights, bit for bit, as if the first one had gone on."""
    one, next_one = first.engine, second.engine
    updated(one)
    one.save(tmp_path)
    expected = updated(one)
    one.load(tmp_path)
    first.doom.touch()
    with pytest.raises(EngineError, match="has ended") as raised:
        updated(one)
    assert "resume" in raised.value.remedy
    assert one.process.poll() is not None
    next_one.load(tmp_path)
    assert updated(next_one) == expected


def updated(engine: RankedEngine) -> list[str]:
    """Of each rank's weights, once it has learned from what it samples."""
    batch = [Weighted(each, (-1.0) ** at) for at, each in enumerate(sampled(engine))]
    engine.forward_backward("tool", batch, LossOptions())
    engine.optim_step("tool", 1e-2)
    engine.publish("tool")
    return engine.digests("tool")


def test_a_rank_ends_with_its_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of a call, too: the resumed training needs the memory that it holds."""
    monkeypatch.setattr(member, "GRACE_SECONDS", 0.0)
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        threading.Thread(target=member._end_after, args=[theirs.fileno()]).start()
        time.sleep(60)
        os._exit(0)
    theirs.close()
    time.sleep(0.1)
    assert os.waitpid(child, os.WNOHANG) == (0, 0), "not before"
    ours.close()  # as the kernel does it for a process that is killed
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


@pytest.mark.parametrize("hangs", [False, True])
def test_what_is_broken_off_ends_with_its_ranks(
    nano: Path, second: Started, tmp_path: Path, hangs: bool
) -> None:
    """In the middle of a call that takes minutes, or that is never answered."""
    started = Started.below(tmp_path, Idle) if hangs else second
    engine = started.engine
    of_torchrun = Path(f"/proc/{engine.process.pid}/task/{engine.process.pid}/children")
    ranks = [Path("/proc", each) for each in of_torchrun.read_text().split()]
    assert len(ranks) == 2
    prompt = engine.prompt("tool", [{"role": "user", "content": "AaaSab.acG|"}])
    if hangs:
        for each in ranks:
            os.kill(int(each.name), signal.SIGSTOP)
    threading.Timer(0.5, started.broken_off.set).start()
    began = time.monotonic()
    with pytest.raises(BrokenOff):
        engine.sample("tool", [prompt] * 20_000, 50, Sampling(300, seed=0))
    engine.close()
    assert time.monotonic() - began < 8
    assert not any(each.exists() for each in ranks), "none goes on by itself"
    assert not started.own.exists()
