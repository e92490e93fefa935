"""A whole training over HTTP: the real client and embedder, a stub LLM that calculates."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from workers.core.benchmarks.sameness import query_hash
from workers.core.checkpoints import load
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.errors import MethodError
from workers.core.events import (
    CheckpointSaved,
    Event,
    TrainingEnded,
    TrainingMetric,
    TrainingSample,
)
from workers.core.llm.types import ChatClient, ChatRequest, ChatResult, OnDelta
from workers.core.methods.mashost.method import MasHost
from workers.core.methods.mashost.training import loop
from workers.core.methods.mashost.training.rollouts import Rollouts, Sample
from workers.core.methods.mashost.training.state import save_state
from workers.core.methods.mashost.training.tests.over_http import (
    TASKS,
    context_in,
    metrics,
    trained,
)
from workers.core.plain_text import REFUSED
from workers.core.specs import EndpointSpec, SystemBudget, TaskSpec
from workers.core.testing.disk import full_disk
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.training.context import Pulse, StopSwitch
from workers.core.training.resumable import STATE_FOLDER

OTHER_SEED = 9


async def test_a_training_tells_of_every_step_and_leaves_checkpoints(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
) -> None:
    events = await trained(tmp_path, stub.url, embedder)
    assert sorted(metrics(events)) == [1, 2, 3, 4]
    assert [e.step for e in events if isinstance(e, CheckpointSaved)] == [2, 4]
    assert events[-1] == TrainingEnded(at=events[-1].at, step=4, reason="completed")
    values = metrics(events)[1]
    assert 0 < values["accuracy"] <= 1
    assert -1 <= values["reward"] <= 1
    assert values["agents"] >= 1
    assert sum(v for k, v in values.items() if k.startswith("role/")) == pytest.approx(1)
    sample = next(e for e in events if isinstance(e, TrainingSample))
    assert len(sample.advantages) == len(sample.action_rewards) > 0
    kinds = [event["event"] for event in sample.trace]
    assert kinds[0] == "node_sampled"
    assert kinds[-1] == "intermediate_answer"
    info, tensors = load(tmp_path / "checkpoints" / "step-000004", method="mashost")
    assert set(info.trained_on) <= {query_hash(task.query) for task in TASKS}
    assert info.trained_on
    assert info.trained
    assert info.recipe["training"]["systems_per_query"] == 3
    first = load(tmp_path / "checkpoints" / "step-000002", method="mashost")[1]
    assert any(not torch.equal(first[name], tensors[name]) for name in tensors)


@pytest.mark.parametrize("lag", [0, 1])
async def test_a_training_that_was_killed_goes_on_as_if_it_had_not_been(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder, lag: int
) -> None:
    config = {"lag": lag}
    whole = await trained(tmp_path / "whole", stub.url, embedder, config=config)
    first = await trained(tmp_path / "cut", stub.url, embedder, config=config, stop_after=5)
    rest = await trained(tmp_path / "cut", stub.url, embedder, config=config)
    assert 0 < len(metrics(first)) < 4
    together = metrics(first) | metrics(rest)
    expected = metrics(whole)
    assert sorted(together) == [1, 2, 3, 4]
    # The last step that was saved is told again, since nobody may have stored it, and no other.
    assert min(metrics(rest)) in {max(metrics(first)), max(metrics(first)) + 1}
    for step, values in expected.items():
        assert together[step] == pytest.approx(values, rel=1e-6, abs=1e-9), step
    cut = load(tmp_path / "cut" / "checkpoints" / "step-000004", method="mashost")[1]
    for name, tensor in load(tmp_path / "whole" / "checkpoints" / "step-000004", method="mashost")[
        1
    ].items():
        assert torch.equal(cut[name], tensor), name


async def test_events_that_were_saved_and_never_heard_are_told_on_resumption(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
) -> None:
    heard = await trained(tmp_path, stub.url, embedder, stop_after=1)
    assert isinstance(heard[-1], TrainingMetric)
    rest = await trained(tmp_path, stub.url, embedder)
    assert isinstance(rest[0], TrainingMetric)
    assert rest[0] == heard[0]
    assert isinstance(rest[1], TrainingSample)
    assert rest[1].step == rest[0].step


@dataclass
class Saying:
    """A client whose every answer ends with `said`."""

    client: ChatClient
    said: str

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        result = await self.client.chat(endpoint, request, on_delta)
        return replace(result, text=f"{result.text} {self.said}")


@pytest.mark.parametrize("said", ["nul \x00", "half \ud83d"])
async def test_what_databases_refuse_is_kept_as_they_take_it(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder, said: str
) -> None:
    alone = {"steps": 2, "max_agents": 1, "samples_per_step": 6}  # nobody is asked with it again
    heard: list[list[Event]] = []
    for _ in range(2):
        async with context_in(tmp_path, stub.url, embedder, config=alone) as context:
            hostile = replace(context, llm=Saying(context.llm, said))
            heard.append([event async for event in MasHost().train(TASKS, hostile)])
    last = [event for event in heard[0] if isinstance(event, TrainingSample) and event.step == 2]
    messages = [told["message"] for event in last for told in event.trace if "message" in told]
    assert messages
    assert all(message.endswith(REFUSED.sub("\ufffd", said)) for message in messages)
    assert [event for event in heard[1] if isinstance(event, TrainingSample)] == last


@pytest.mark.parametrize(("redraws", "distinct"), [(0, False), (16, True)])
async def test_a_system_that_its_group_has_is_drawn_anew(
    stub: RunningStub, embedder: MiniLMEmbedder, tmp_path: Path, redraws: int, distinct: bool
) -> None:
    few = {"steps": 1, "max_agents": 1, "samples_per_step": 6, "redraws": redraws}
    events = await trained(tmp_path, stub.url, embedder, config=few)
    built = [
        [told["choice"] for told in event.trace if told["event"] == "node_sampled"]
        for event in events
        if isinstance(event, TrainingSample)
    ]
    groups = [built[:3], built[3:]]
    assert all(len({*map(tuple, group)}) == 3 for group in groups) is distinct


async def test_a_step_tells_how_much_of_it_is_done(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
) -> None:
    class Recorded(Pulse):
        def __setattr__(self, name: str, value: float) -> None:
            told.append(value)

    told: list[float] = []
    pulse = Recorded()
    told.clear()
    await trained(tmp_path, stub.url, embedder, config={"steps": 2, "lag": 0}, pulse=pulse)
    step = [pytest.approx(systems / 6) for systems in range(1, 7)]
    assert told == [*step, 0, *step, 0]


async def test_asked_to_pause_it_stops_after_its_step(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
) -> None:
    stop = StopSwitch()
    events: list[Event] = []
    async with context_in(tmp_path, stub.url, embedder, stop=stop) as context:
        async for event in MasHost().train(TASKS, context):
            events.append(event)
            stop.wanted = "paused"
    assert sorted(metrics(events)) == [1]
    assert isinstance(events[-1], TrainingEnded)
    assert (events[-1].step, events[-1].reason) == (1, "paused")


async def test_cut_off_while_it_writes_it_ends_with_what_it_writes(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever cuts it off may give up the folder's lock next, or delete the folder."""
    begun, may_end = threading.Event(), threading.Event()

    def slow(*told: Any) -> None:
        begun.set()
        may_end.wait(30)
        save_state(*told)

    monkeypatch.setattr(loop, "save_state", slow)
    training = asyncio.create_task(trained(tmp_path, stub.url, embedder, config={"steps": 1}))
    await asyncio.to_thread(begun.wait, 30)
    training.cancel()
    await asyncio.wait([training], timeout=0.1)
    assert not training.done()
    may_end.set()
    await asyncio.wait([training], timeout=30)
    assert training.cancelled()
    assert (tmp_path / STATE_FOLDER).is_dir()


async def test_systems_that_run_out_of_time_stop_it_instead_of_counting_as_wrong(
    tmp_path: Path, embedder: MiniLMEmbedder
) -> None:
    with running_stub(latency=0.3) as slow, pytest.raises(MethodError) as late:
        await trained(tmp_path, slow.url, embedder, per_system=SystemBudget(max_seconds=0.2))
    assert late.value.code == "out_of_time"
    assert "of 6 systems" in late.value.message
    assert not (tmp_path / "state").exists()


async def test_a_pause_ends_what_was_begun_ahead_before_it_is_told(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else its calls would be paid for by no attempt."""
    ended = []
    sample = Rollouts.sample

    async def hangs_ahead(self: Rollouts, step: int, *args: Any, **kwargs: Any) -> Sample:
        try:
            if step > 1:
                await asyncio.Event().wait()
            return await sample(self, step, *args, **kwargs)
        finally:
            ended.append(step)

    monkeypatch.setattr(Rollouts, "sample", hangs_ahead)
    stop = StopSwitch()
    ended_when_told = []
    async with context_in(tmp_path, stub.url, embedder, stop=stop) as context:
        async for event in MasHost().train(TASKS, context):
            stop.wanted = "paused"
            if isinstance(event, TrainingEnded):
                ended_when_told.append(list(ended))
    assert ended_when_told == [[1, 2]]


class TestBadInput:
    async def test_no_tasks(
        self, tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
    ) -> None:
        async with context_in(tmp_path, stub.url, embedder) as context:
            with pytest.raises(MethodError) as caught:
                await anext(MasHost().train((), context))
        assert caught.value.code == "no_tasks"

    async def test_no_task_left_to_train_on(
        self, tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
    ) -> None:
        with pytest.raises(MethodError, match="held out") as caught:
            await trained(tmp_path, stub.url, embedder, config={"held_out": 5})
        assert caught.value.code == "no_tasks"

    async def test_a_task_without_a_verifier(
        self, tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
    ) -> None:
        async with context_in(tmp_path, stub.url, embedder) as context:
            with pytest.raises(MethodError) as caught:
                await anext(MasHost().train((TaskSpec(query="Why?"),), context))
        assert caught.value.code == "no_verifier"

    async def test_a_setting_out_of_bounds_is_named(
        self, tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
    ) -> None:
        with pytest.raises(MethodError, match="systems_per_query"):
            await trained(tmp_path, stub.url, embedder, config={"systems_per_query": 1})

    async def test_an_endpoint_that_dies_loses_no_finished_step(
        self, tmp_path: Path, embedder: MiniLMEmbedder
    ) -> None:
        with running_stub(models=()) as mortal:
            first = await trained(tmp_path, mortal.url, embedder, stop_after=2)
        done = max(metrics(first))
        with pytest.raises(MethodError) as caught:
            await trained(tmp_path, mortal.url, embedder)
        assert caught.value.code == "endpoint_failing"
        assert caught.value.remedy
        with running_stub(models=()) as mended:
            rest = await trained(tmp_path, mended.url, embedder)
        assert sorted(metrics(rest)) == list(range(done, 5))

    async def test_the_state_of_another_training_is_not_gone_on_with(
        self, tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
    ) -> None:
        await trained(tmp_path, stub.url, embedder, stop_after=2)
        with pytest.raises(MethodError) as caught:
            await trained(tmp_path, stub.url, embedder, config={"beta": 1e-5})
        assert caught.value.code == "other_training"
        assert "beta" in caught.value.message

    async def test_what_began_before_a_setting_existed_does_not_get_it_on_the_way(
        self, tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
    ) -> None:
        await trained(tmp_path, stub.url, embedder, stop_after=2)
        file = tmp_path / STATE_FOLDER / "checkpoint.json"
        info = json.loads(file.read_text())
        assert info["recipe"]["config"].pop("count_draws") is True
        file.write_text(json.dumps(info))
        with pytest.raises(MethodError, match="count_draws"):
            await trained(tmp_path, stub.url, embedder)

    async def test_a_disk_that_is_full_at_a_checkpoint_is_told_and_what_was_saved_stays(
        self, tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
    ) -> None:
        once: dict[str, Any] = {"config": {"checkpoint_every": 1}}
        whole = await trained(tmp_path / "whole", stub.url, embedder, **once)
        folder = tmp_path / "cut"
        begun = await trained(folder, stub.url, embedder, stop_after=2, **once)
        saved = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
        with full_disk(after_bytes=4_096), pytest.raises(MethodError) as caught:
            await trained(folder, stub.url, embedder, **once)
        assert caught.value.code == "checkpoint_not_written"
        assert "disk space" in caught.value.remedy
        assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == saved
        rest = await trained(folder, stub.url, embedder, **once)
        assert metrics(begun) | metrics(rest) == metrics(whole)

    async def test_a_disk_that_is_full_at_a_steps_state_costs_that_step_alone(
        self, tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
    ) -> None:
        once: dict[str, Any] = {"config": {"checkpoint_every": 4}}
        whole = await trained(tmp_path / "whole", stub.url, embedder, **once)
        begun = await trained(tmp_path / "cut", stub.url, embedder, stop_after=2, **once)
        with full_disk(after_bytes=4_096), pytest.raises(MethodError) as caught:
            await trained(tmp_path / "cut", stub.url, embedder, **once)
        assert caught.value.code == "state_not_written"
        assert "disk space" in caught.value.remedy
        rest = await trained(tmp_path / "cut", stub.url, embedder, **once)
        assert metrics(begun) | metrics(rest) == metrics(whole)
