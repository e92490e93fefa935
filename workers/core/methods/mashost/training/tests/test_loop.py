"""A whole training over HTTP: the real client and embedder, a stub LLM that calculates."""

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
from workers.core.errors import MethodError
from workers.core.events import (
    CheckpointSaved,
    Event,
    TrainingEnded,
    TrainingSample,
)
from workers.core.llm.types import ChatClient, ChatRequest, ChatResult, OnDelta
from workers.core.methods.mashost.method import MasHost
from workers.core.methods.mashost.training import loop
from workers.core.methods.mashost.training.rollouts import Rollouts, Sample
from workers.core.methods.mashost.training.state import save_state
from workers.core.methods.mashost.training.tests.conftest import Whole
from workers.core.methods.mashost.training.tests.over_http import TASKS, Trainer, metrics
from workers.core.plain_text import REFUSED
from workers.core.specs import EndpointSpec, SystemBudget, TaskSpec
from workers.core.testing.disk import full_disk
from workers.core.testing.stub_process import running_stub
from workers.core.training.context import Pulse, StopSwitch
from workers.core.training.resumable import STATE_FOLDER

OTHER_SEED = 9


def test_a_training_tells_of_every_step_and_leaves_checkpoints(whole: Whole) -> None:
    assert sorted(metrics(whole.events)) == [1, 2, 3, 4]
    assert [e.step for e in whole.events if isinstance(e, CheckpointSaved)] == [1, 2, 3, 4]
    assert whole.events[-1] == TrainingEnded(at=whole.events[-1].at, step=4, reason="completed")
    values = metrics(whole.events)[1]
    assert 0 < values["accuracy"] <= 1
    assert -1 <= values["reward"] <= 1
    assert values["agents"] >= 1
    assert sum(v for k, v in values.items() if k.startswith("role/")) == pytest.approx(1)
    sample = next(e for e in whole.events if isinstance(e, TrainingSample))
    assert len(sample.advantages) == len(sample.action_rewards) > 0
    kinds = [event["event"] for event in sample.trace]
    assert kinds[0] == "node_sampled"
    assert kinds[-1] == "intermediate_answer"
    info, tensors = load(whole.checkpoint(4), method="mashost")
    assert set(info.trained_on) <= {query_hash(task.query) for task in TASKS}
    assert info.trained_on
    assert info.trained
    assert info.recipe["training"]["systems_per_query"] == 3
    first = whole.weights(2)
    assert any(not torch.equal(first[name], tensors[name]) for name in tensors)


async def test_a_training_that_was_killed_goes_on_as_if_it_had_not_been(
    train: Trainer, whole: Whole
) -> None:
    heard = await train(config={"checkpoint_every": 1}, stop_after=5)
    rest = await train(config={"checkpoint_every": 1})
    assert sorted(metrics(heard)) == [1, 2]
    # The last step that was saved is told again, since nobody may have stored it, and no other.
    assert rest[:2] == heard[3:]
    assert isinstance(rest[2], CheckpointSaved)
    assert sorted(metrics(rest)) == [2, 3, 4]
    assert metrics(heard) | metrics(rest) == metrics(whole.events)
    cut = train.weights("job", 4)
    assert all(torch.equal(cut[name], tensor) for name, tensor in whole.weights(4).items())


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
async def test_what_databases_refuse_is_kept_as_they_take_it(train: Trainer, said: str) -> None:
    alone = {"steps": 2, "max_agents": 1, "samples_per_step": 6}  # nobody is asked with it again
    heard: list[list[Event]] = []
    for _ in range(2):
        async with train.context(config=alone) as context:
            hostile = replace(context, llm=Saying(context.llm, said))
            heard.append([event async for event in MasHost().train(TASKS, hostile)])
    last = [event for event in heard[0] if isinstance(event, TrainingSample) and event.step == 2]
    messages = [told["message"] for event in last for told in event.trace if "message" in told]
    assert messages
    assert all(message.endswith(REFUSED.sub("\ufffd", said)) for message in messages)
    assert [event for event in heard[1] if isinstance(event, TrainingSample)] == last


async def test_a_step_tells_how_much_of_it_is_done(train: Trainer) -> None:
    class Recorded(Pulse):
        def __setattr__(self, name: str, value: float) -> None:
            told.append(value)

    told: list[float] = []
    pulse = Recorded()
    told.clear()
    await train(config={"steps": 2, "lag": 0}, pulse=pulse)
    step = [pytest.approx(systems / 6) for systems in range(1, 7)]
    assert told == [*step, 0, *step, 0]


async def test_cut_off_while_it_writes_it_ends_with_what_it_writes(
    train: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever cuts it off may give up the folder's lock next, or delete the folder."""
    begun, may_end = threading.Event(), threading.Event()

    def slow(*told: Any) -> None:
        begun.set()
        may_end.wait(30)
        save_state(*told)

    monkeypatch.setattr(loop, "save_state", slow)
    training = asyncio.create_task(train(config={"steps": 1}))
    await asyncio.to_thread(begun.wait, 30)
    training.cancel()
    await asyncio.wait([training], timeout=0.1)
    assert not training.done()
    may_end.set()
    await asyncio.wait([training], timeout=30)
    assert training.cancelled()
    assert (train.folder / "job" / STATE_FOLDER).is_dir()


async def test_systems_that_run_out_of_time_stop_it_instead_of_counting_as_wrong(
    train: Trainer,
) -> None:
    with running_stub(latency=0.3) as slow, pytest.raises(MethodError) as late:
        await train(url=slow.url, per_system=SystemBudget(max_seconds=0.2))
    assert late.value.code == "out_of_time"
    assert "of 6 systems" in late.value.message
    assert not (train.folder / "job" / STATE_FOLDER).exists()


async def test_asked_to_pause_it_stops_after_its_step_and_ends_what_was_begun_ahead(
    train: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is told: else its calls would be paid for by no attempt."""
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

    def pause(event: Event) -> None:
        stop.wanted = "paused"
        if isinstance(event, TrainingEnded):
            ended_when_told.append(list(ended))

    events = await train(stop=stop, heard=pause)
    assert sorted(metrics(events)) == [1]
    assert events[-1] == TrainingEnded(at=events[-1].at, step=1, reason="paused")
    assert ended_when_told == [[1, 2]]


class TestBadInput:
    @pytest.mark.parametrize(
        ("tasks", "held_out", "code"),
        [
            ((), 0, "no_tasks"),
            (TASKS, 5, "no_tasks"),
            ((TaskSpec(query="Why?"),), 0, "no_verifier"),
        ],
    )
    async def test_tasks_that_nothing_can_be_learned_from(
        self, tasks: tuple[TaskSpec, ...], held_out: int, code: str, train: Trainer
    ) -> None:
        with pytest.raises(MethodError) as caught:
            await train(tasks=tasks, config={"held_out": held_out})
        assert caught.value.code == code

    async def test_a_setting_out_of_bounds_is_named(self, train: Trainer) -> None:
        with pytest.raises(MethodError, match="systems_per_query"):
            await train(config={"systems_per_query": 1})

    async def test_the_state_of_another_training_is_not_gone_on_with(self, train: Trainer) -> None:
        await train(stop_after=2)
        with pytest.raises(MethodError, match="beta") as caught:
            await train(config={"beta": 1e-5})
        assert caught.value.code == "other_training"
        # Nor does what began before a setting existed get it on the way.
        file = train.folder / "job" / STATE_FOLDER / "checkpoint.json"
        info = json.loads(file.read_text())
        assert info["recipe"]["config"].pop("count_draws") is True
        file.write_text(json.dumps(info))
        with pytest.raises(MethodError, match="count_draws"):
            await train()

    @pytest.mark.parametrize(
        ("checkpoint_every", "code"), [(1, "checkpoint_not_written"), (4, "state_not_written")]
    )
    async def test_a_disk_that_is_full_is_told_and_costs_the_step_alone(
        self, train: Trainer, whole: Whole, checkpoint_every: int, code: str
    ) -> None:
        config = {"checkpoint_every": checkpoint_every}
        begun = await train(config=config, stop_after=2)
        saved = files_in(train.folder)
        with full_disk(after_bytes=4_096), pytest.raises(MethodError) as caught:
            await train(config=config)
        assert caught.value.code == code
        assert "disk space" in caught.value.remedy
        assert files_in(train.folder) == saved
        rest = await train(config=config)
        assert metrics(begun) | metrics(rest) == metrics(whole.events)


def files_in(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
