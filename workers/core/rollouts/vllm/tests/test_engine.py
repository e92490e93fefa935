"""Publications, and servers that fail: over real sockets, by vLLM's protocol."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from workers.core.rollouts.base import (
    BrokenOff,
    EngineError,
    LossOptions,
    Sample,
    Sampling,
    Weighted,
)
from workers.core.rollouts.policies import PolicySpec
from workers.core.rollouts.vllm.engine import Limits, Servers, VllmEngine
from workers.core.rollouts.vllm.tests.served import Served, served

SAMPLING = Sampling(max_tokens=6, seed=5)
LONG = Limits()
QUICK = Limits(answering=0.3, loading=0.3, canary=0.3, sampling=0.3)
SPEC = PolicySpec("nano", rank=8)

pytestmark = pytest.mark.usefixtures("nano")


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as server:
        yield server


def engine_on(folder: Path, *servers: Served, limits: Limits = LONG) -> VllmEngine:
    urls = tuple(server.url for server in servers)
    return VllmEngine({"tool": SPEC}, seed=3, servers=Servers(urls, folder, "job", limits))


def sampled(engine: VllmEngine, prompts: int = 2) -> list[Sample]:
    asked = [
        engine.prompt("tool", [{"role": "user", "content": text}])
        for text in ("AaaSab.ac#ba.bb#bc.ca.cb.ccG|", "BaaSab.acG|abac|", "B|", "AaaG|")[:prompts]
    ]
    return [each for group in engine.sample("tool", asked, 2, SAMPLING) for each in group]


def learned(engine: VllmEngine, samples: list[Sample], rate: float = 1e-2) -> None:
    batch = [Weighted(each, (-1.0) ** at) for at, each in enumerate(samples)]
    engine.forward_backward("tool", batch, LossOptions())
    engine.optim_step("tool", rate)
    engine.publish("tool")


def test_a_version_has_a_name_of_its_own_and_the_one_before_goes(
    server: Served, tmp_path: Path
) -> None:
    engine = engine_on(tmp_path / "ads", server)
    learned(engine, sampled(engine))
    assert {each.version for each in sampled(engine)} == {1}
    engine.save(tmp_path / "state")
    engine.load(tmp_path / "state")
    assert {each.version for each in sampled(engine)} == {1}
    assert len(set(server.loads)) == 3
    assert [name.rsplit("-", 1)[1] for name in server.loads] == ["v0", "v1", "v1"]
    assert server.unloads == server.loads[:2]
    assert [each.name for each in (tmp_path / "ads").iterdir()] == server.loads[2:]
    engine.close()
    assert not server.adapters
    assert not (tmp_path / "ads").exists()


def test_what_is_not_sampled_is_not_published(server: Served, tmp_path: Path) -> None:
    engine = engine_on(tmp_path, server)
    for _ in range(3):
        engine.publish("tool")
    assert not server.loads
    sampled(engine)
    assert [name.rsplit("-", 1)[1] for name in server.loads] == ["v3"]
    assert engine.seconds_publishing > 0


def test_adapters_of_an_attempt_that_broke_off_go(server: Served, tmp_path: Path) -> None:
    sampled(engine_on(tmp_path, server))
    server.adapters["another-job-tool-v1"] = tmp_path
    sampled(engine_on(tmp_path, server))
    assert server.unloads == server.loads[:1]
    assert "another-job-tool-v1" in server.adapters


def test_prompts_take_turns_on_all_servers(server: Served, tmp_path: Path) -> None:
    alone = sampled(engine_on(tmp_path / "alone", server), prompts=4)
    with served() as second:
        together = sampled(engine_on(tmp_path / "both", server, second), prompts=4)
        assert second.samples == 2
    assert [each.tokens for each in together] == [each.tokens for each in alone]


def test_a_server_that_starts_again_changes_nothing(server: Served, tmp_path: Path) -> None:
    whole, broken = (engine_on(tmp_path / name, server) for name in ("whole", "broken"))
    for _ in range(2):
        learned(whole, sampled(whole))
    server.samples = 0
    for at in (2, 6):  # in the middle of a step, of the first and of a later version
        server.faults.dies_at = at
        learned(broken, sampled(broken))
    assert len(server.loads) > 4, "adapters were loaded again"
    tensors = broken.tensors("tool")
    assert all(torch.equal(tensors[key], each) for key, each in whole.tensors("tool").items())


def test_a_server_that_was_away_in_between_gets_its_adapter_again(
    server: Served, tmp_path: Path
) -> None:
    engine = engine_on(tmp_path, server)
    before = sampled(engine)
    server.stop()
    server.start()
    assert sampled(engine) == before


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/v1/models", "An answer of the vLLM server http://[^ ]* did not come within 0.3 s"),
        ("/v1/load_lora_adapter", "The adapter job-[^ ]*-tool-v0 at http://[^ ]* did not come"),
        ("/inference/v1/generate", "A first answer of job-[^ ]*-tool-v0 did not come"),
    ],
)
def test_each_state_has_a_limit_and_says_what_it_waits_for(
    server: Served, tmp_path: Path, path: str, said: str
) -> None:
    server.faults.silent = {path}
    with pytest.raises(EngineError, match=said) as raised:
        sampled(engine_on(tmp_path, server, limits=QUICK))
    assert "resume" in raised.value.remedy


def test_samples_have_a_limit(server: Served, tmp_path: Path) -> None:
    engine = engine_on(tmp_path, server)
    sampled(engine)
    server.faults.silent = {"/inference/v1/generate"}
    engine._servers = replace(engine._servers, limits=QUICK)
    with pytest.raises(EngineError, match=r"All samples of job-[^ ]*-tool-v0 did not come"):
        sampled(engine)


@pytest.mark.parametrize(
    ("path", "has_sampled"),
    [
        ("/v1/models", False),
        ("/v1/load_lora_adapter", False),
        ("/inference/v1/generate", False),  # the canary
        ("/inference/v1/generate", True),
    ],
)
def test_what_is_broken_off_waits_for_no_server(
    server: Served, tmp_path: Path, path: str, has_sampled: bool
) -> None:
    broken_off = threading.Event()
    servers = Servers((server.url,), tmp_path / "ads", "job")
    engine = VllmEngine({"tool": SPEC}, seed=3, servers=servers, broken_off=broken_off)
    if has_sampled:
        sampled(engine)
    server.faults.silent = {path}
    threading.Timer(0.3, broken_off.set).start()
    began = time.monotonic()
    with pytest.raises(BrokenOff):
        sampled(engine)
    with pytest.raises(BrokenOff):
        sampled(engine)
    server.faults.silent = {"/v1/models", "/v1/unload_lora_adapter"}
    engine.close()
    assert time.monotonic() - began < 5
    assert not (tmp_path / "ads").exists(), "no adapter stays behind, not even half of one"


def test_closing_waits_for_no_server(server: Served, tmp_path: Path) -> None:
    engine = engine_on(tmp_path / "ads", server)
    sampled(engine)
    server.faults.silent = {"/v1/models"}
    began = time.monotonic()
    engine.close()
    assert time.monotonic() - began < 5


def test_a_version_that_does_not_arrive_is_told(server: Served, tmp_path: Path) -> None:
    engine = engine_on(tmp_path, server)
    server.faults.ignores_adapters = True
    samples = sampled(engine)  # an adapter that has learned nothing changes nothing
    learned(engine, samples, rate=3e-2)
    with pytest.raises(EngineError, match="It seems to ignore the adapter") as raised:
        sampled(engine)
    assert raised.value.code == "vllm_other_weights"


def test_a_version_that_is_lost_again_and_again_is_told(server: Served, tmp_path: Path) -> None:
    server.faults.loses = {"tool-v0"}
    with pytest.raises(EngineError, match="lost 5 times while job-"):
        sampled(engine_on(tmp_path, server))


def test_wrong_logprobs_stop_the_training(server: Served, tmp_path: Path) -> None:
    engine = engine_on(tmp_path, server)
    server.faults.shift = -0.2
    before = engine.tensors("tool")
    with pytest.raises(EngineError, match=r"differ by 0.2 a token. The limit is 0.1"):
        learned(engine, sampled(engine))
    assert engine.optim_step("tool", 1e-2) == 0, "its gradient is gone"
    assert all(torch.equal(engine.tensors("tool")[key], each) for key, each in before.items())


def test_importance_weights_are_truncated(server: Served, tmp_path: Path) -> None:
    """What the server thought three times less probable than the trainer counts twice, and what it
    thought twice as probable counts half."""
    engine = engine_on(tmp_path, server)
    (sample, *_) = sampled(engine)
    engine.publish("tool")  # so that the samples are older, and no mismatch

    def gradient(shift: float) -> torch.Tensor:
        told = tuple(each + shift for each in sample.logprobs)
        batch = [Weighted(replace(sample, logprobs=told), 1.0)]
        engine.forward_backward("tool", batch, LossOptions())
        learned = engine.learning("tool").policy.learned.values()
        grads = [each.grad.clone().flatten() for each in learned if each.grad is not None]
        engine.learning("tool").optimiser.forget()
        return torch.cat(grads)

    plain = gradient(0.0)
    assert plain.abs().max() > 0
    assert torch.allclose(gradient(-1.0986), 2 * plain, rtol=1e-3)
    assert torch.allclose(gradient(0.6931), plain / 2, rtol=1e-3)


def test_later_updates_are_relative_to_the_weights_that_sampled(
    server: Served, tmp_path: Path
) -> None:
    engine = engine_on(tmp_path, server)
    batch = [Weighted(each, (-1.0) ** at) for at, each in enumerate(sampled(engine))]
    for _ in range(4):
        engine.forward_backward("tool", batch, LossOptions())
        engine.optim_step("tool", 1e-1)
    told = engine.forward_backward("tool", batch, LossOptions())
    assert told.clipped > 0
    assert told.mismatch < 1e-4, "the weights moved, but the engines still agree"


def test_a_group_that_is_not_whole_is_refused(server: Served, tmp_path: Path) -> None:
    server.faults.drops = 1
    with pytest.raises(EngineError, match="of 2 answers to a prompt it has 1"):
        sampled(engine_on(tmp_path, server))


def test_another_model_is_refused(server: Served, tmp_path: Path) -> None:
    server.faults.other_model = "other"
    with pytest.raises(EngineError, match="serves other, not “nano”"):
        sampled(engine_on(tmp_path, server))


def test_a_context_that_is_too_short_is_told(server: Served, tmp_path: Path) -> None:
    engine = engine_on(tmp_path, server)
    with pytest.raises(EngineError, match=r"603 tokens together, and .* takes 512"):
        engine.sample("tool", [(1, 3, 4)], 1, Sampling(600, seed=0))


@pytest.mark.parametrize("fault", ["runtime_adapters", "scale_out"])
def test_flags_that_are_missing_are_named(server: Served, tmp_path: Path, fault: str) -> None:
    server.stop()
    setattr(server.faults, fault, False)
    server.start()
    with pytest.raises(EngineError) as raised:
        sampled(engine_on(tmp_path, server))
    assert "--enable-lora --enable-scale-out" in raised.value.remedy


def test_a_folder_that_takes_no_adapter_is_told(server: Served, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EngineError, match=r"tool-v0 could not be written: .*Not a dir") as raised:
        sampled(engine_on(tmp_path / "file" / "folder", server))
    assert "disk space" in raised.value.remedy


def test_a_folder_that_the_server_cannot_see_is_told(
    server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(tmp_path, server)
    monkeypatch.setattr(engine, "_write", lambda policy: None)
    with pytest.raises(EngineError, match="can't read the adapter") as raised:
        sampled(engine)
    assert "under the same path" in raised.value.remedy
