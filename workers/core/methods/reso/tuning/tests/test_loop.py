"""A tuning from its examples to a checkpoint, also when it is stopped or killed in between."""

import asyncio
import math
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from workers.core.benchmarks.sameness import query_hash
from workers.core.checkpoints import load, read_info, save
from workers.core.errors import MethodError
from workers.core.events import CheckpointSaved, TrainingEnded, TrainingMetric
from workers.core.methods.reso.tuning import scorer
from workers.core.methods.reso.tuning.config import ADAPTERS, TuningKind
from workers.core.methods.reso.tuning.gathering import EXAMPLES
from workers.core.methods.reso.tuning.loop import tune
from workers.core.methods.reso.tuning.tests.support import (
    TASKS,
    context_in,
    metrics,
    tuned,
    tuning_of,
)
from workers.core.rollouts import memory, policies
from workers.core.rollouts.base import LossOptions, Told, Weighted
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.testing.disk import full_disk
from workers.core.training.resumable import STATE_FOLDER
from workers.core.weights.adapters import adapted
from workers.core.weights.models import Head, find_model, load_model
from workers.core.weights.tests.tiny import save_tiny

pytestmark = pytest.mark.usefixtures("models")
KINDS: list[TuningKind] = ["planner", "reward_model"]


@pytest.mark.parametrize("kind", KINDS)
async def test_the_loss_falls_and_checkpoints_are_left(tmp_path: Path, kind: TuningKind) -> None:
    events = await tuned(kind, tmp_path, held_out=2, epochs=6)
    told = metrics(events)
    last = max(told)
    assert sorted(told) == list(range(1, last + 1))
    assert told[last]["loss"] < 0.95 * told[1]["loss"]
    assert 0 < told[last]["held_out_reward"] == math.exp(-told[last]["held_out_loss"]) < 1
    assert told[1]["examples"] == last * 2 / 6
    saved = [event for event in events if isinstance(event, CheckpointSaved)]
    assert [each.step for each in saved] == sorted({*range(4, last + 1, 4), last})
    assert events[-1] == TrainingEnded(at=events[-1].at, step=last, reason="completed")
    info = read_info(tmp_path / "checkpoints" / saved[-1].name, method="reso")
    assert info.config["kind"] == kind
    assert {query_hash(task.query) for task in TASKS} <= set(info.trained_on)
    assert len(set(info.held_out) & {query_hash(task.query) for task in TASKS}) == 2


@pytest.mark.parametrize("kind", KINDS)
async def test_one_that_was_killed_goes_on_as_if_it_had_not_been(
    tmp_path: Path, kind: TuningKind
) -> None:
    whole = await tuned(kind, tmp_path / "whole", epochs=2)
    first = await tuned(kind, tmp_path / "cut", epochs=2, stop_after=2)
    context = context_in(tmp_path / "cut", script=lambda _: pytest.fail("asked again"))
    rest = await tuned(kind, tmp_path / "cut", context=context, epochs=2)
    assert metrics(first) | metrics(rest) == metrics(whole)
    assert min(metrics(rest)) == 2  # told again, since nobody may have stored it
    (name,) = (event.name for event in whole[-2:] if isinstance(event, CheckpointSaved))
    cut, expected = (
        load(tmp_path / folder / "checkpoints" / name, method="reso")[1]
        for folder in ("cut", "whole")
    )
    assert cut.keys() == expected.keys()
    assert all(torch.equal(cut[key], expected[key]) for key in cut)


@pytest.mark.parametrize("kind", KINDS)
async def test_one_that_an_older_version_began_goes_on(tmp_path: Path, kind: TuningKind) -> None:
    """Its state numbers the parameters, as torch does."""
    whole = await tuned(kind, tmp_path / "whole", epochs=2)
    await tuned(kind, tmp_path / "cut", epochs=2, stop_after=2)
    state = tmp_path / "cut" / STATE_FOLDER
    info, tensors = load(state, method="reso")
    head: Head = "language" if kind == "planner" else "sequence"
    model = adapted(
        load_model(find_model("tiny"), head), tuning_of(kind).config.adapter(kind), ADAPTERS[kind]
    )
    names = [name for name, each in model.named_parameters() if each.requires_grad]
    if kind == "planner":
        names = [name.replace(".default.", ".") for name in names]
    before = {}
    for key, tensor in tensors.items():
        family, moment, name = (*key.split(".", 2),)
        old = f"adam.{names.index(name)}.{moment}" if family == "adam" else key
        before[old] = tensor
    assert "adam.0.exp_avg" in before
    save(state, before, info)
    rest = await tuned(kind, tmp_path / "cut", epochs=2)
    assert metrics(rest) == {step: told for step, told in metrics(whole).items() if step > 1}


async def test_one_told_to_stop_stops_between_steps_and_goes_on(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    heard = []
    async for event in tune(TASKS, context, tuning_of("planner", epochs=1)):
        heard.append(event)
        context.stop.wanted = "paused"
    assert heard[-1] == TrainingEnded(at=heard[-1].at, step=1, reason="paused")
    assert max(metrics(await tuned("planner", tmp_path, epochs=1))) == 3


async def test_one_that_is_stopped_while_it_asks_keeps_what_it_has(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    context.stop.wanted = "paused"
    (ended,) = await tuned("reward_model", tmp_path, context=context)
    assert ended == TrainingEnded(at=ended.at, step=0, reason="paused")


async def test_one_that_begins_with_a_checkpoint_goes_on_from_its_loss(tmp_path: Path) -> None:
    first = metrics(await tuned("planner", tmp_path / "first"))
    start = next((tmp_path / "first" / "checkpoints").iterdir()).with_name("step-000012")
    context = replace(context_in(tmp_path / "second"), start_from=start)
    second = metrics(await tuned("planner", tmp_path / "second", context=context, epochs=1))
    assert second[1]["loss"] < 0.95 * first[1]["loss"]
    context = replace(context_in(tmp_path / "third"), start_from=start)
    with pytest.raises(MethodError, match="has no tuned reward model") as caught:
        await tuned("reward_model", tmp_path / "third", context=context)
    assert caught.value.code == "checkpoint_wrong_kind"


async def test_another_s_folder_is_refused(tmp_path: Path) -> None:
    await tuned("planner", tmp_path, epochs=1, stop_after=1)
    with pytest.raises(MethodError, match="different values of: learning_rate") as caught:
        await tuned("planner", tmp_path, epochs=1, learning_rate=0.5)
    assert caught.value.code == "other_training"


async def test_settings_that_came_later_hinder_no_resumption(tmp_path: Path) -> None:
    begun = replace(tuning_of("planner", epochs=1), settings={"batch_size": 2})
    async for _ in tune(TASKS, context_in(tmp_path), begun):
        break
    later = replace(begun, settings={"batch_size": 2, "new": "auto"})
    events = [event async for event in tune(TASKS, context_in(tmp_path), later)]
    assert sorted(metrics(events)) == [1, 2, 3]


async def test_a_model_that_cannot_plan_is_refused_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    save_tiny(tmp_path / "classifier", "sequence")
    save_tiny(tmp_path / "plain")
    (tmp_path / "plain" / "chat_template.jinja").unlink()
    for model, code in [
        ("classifier", "no_language_model"),
        ("plain", "no_chat_template"),
        ("absent", "model_missing"),
    ]:
        with pytest.raises(MethodError) as caught:
            await tuned("planner", tmp_path / "job", model=model)
        assert caught.value.code == code
    assert not (tmp_path / "job").exists()


async def test_what_is_too_long_is_left_out_and_counted(tmp_path: Path) -> None:
    with pytest.raises(MethodError, match="longer than 64 tokens") as caught:
        await tuned("planner", tmp_path, max_tokens=64)
    assert caught.value.code == "no_examples"


async def test_a_full_disk_is_told_and_loses_no_step(tmp_path: Path) -> None:
    begun = await tuned("planner", tmp_path, epochs=1, stop_after=1)
    with full_disk(), pytest.raises(MethodError, match="could not be written"):
        await tuned("planner", tmp_path, epochs=1)
    rest = await tuned("planner", tmp_path, epochs=1)
    assert sorted(metrics(begun) | metrics(rest)) == [1, 2, 3]


async def test_a_loss_that_is_no_number_ends_it_before_it_is_learned_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    save_tiny(tmp_path / "tiny-nan", nan=True)
    with pytest.raises(MethodError, match="loss of the policy “planner” is nan") as caught:
        await tuned("planner", tmp_path, learning_rate=1.0, model="tiny-nan")
    assert caught.value.code == "not_finite"
    assert not (tmp_path / "state").exists()
    assert (tmp_path / EXAMPLES).exists()


async def test_a_step_needs_the_memory_of_one_example_in_one_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each thread of a pool keeps what a step once needed: a few gigabytes of a small model."""
    threads: set[int] = set()
    sizes: set[int] = set()
    forward_backward = InProcessEngine.forward_backward

    def watched(
        self: InProcessEngine, policy: str, batch: Sequence[Weighted], options: LossOptions
    ) -> Told:
        threads.add(threading.get_ident())
        sizes.add(len(batch))
        return forward_backward(self, policy, batch, options)

    monkeypatch.setattr(InProcessEngine, "forward_backward", watched)
    async for _ in tune(TASKS, context_in(tmp_path), tuning_of("planner", epochs=3)):
        await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.01) for _ in range(4)))
    assert len(threads) == 1
    assert threads != {threading.get_ident()}
    assert sizes == {1}


@pytest.mark.parametrize("kind", KINDS)
async def test_one_that_does_not_fit_is_refused_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: TuningKind
) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 100_000)
    context = context_in(tmp_path / "job", script=lambda _: pytest.fail("asked"))
    with pytest.raises(MethodError, match=r"0\.0 GB is free") as caught:
        await tuned(kind, tmp_path / "job", context=context)
    assert caught.value.code == "not_enough_memory"
    assert "branches" not in caught.value.remedy
    assert not (tmp_path / "job").exists()


@pytest.mark.parametrize("kind", KINDS)
async def test_one_whose_examples_do_not_fit_is_refused_before_the_model_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: TuningKind
) -> None:
    free = iter((10**12, 100_000))  # before anything is asked, and once the examples are there
    monkeypatch.setattr(memory, "free_memory", lambda: next(free))
    for module in (policies, scorer):
        monkeypatch.setattr(module, "load_model", lambda *_, **__: pytest.fail("loaded"))
    with pytest.raises(MethodError, match=r"0\.0 GB is free"):
        await tuned(kind, tmp_path)
    assert (tmp_path / EXAMPLES).exists()


async def test_steps_leave_the_event_loop_free(tmp_path: Path) -> None:
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0)
            beats += 1

    beating = asyncio.create_task(beat())
    async for event in tune(TASKS, context_in(tmp_path), tuning_of("planner", epochs=1)):
        if isinstance(event, TrainingMetric):
            assert beats > 10
            beats = 0
    beating.cancel()
