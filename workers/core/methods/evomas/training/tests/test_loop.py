"""A whole training on scripted models: what is learned, told, kept and gone on with; what stops
it."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from workers.core.checkpoints import load, read_info, save
from workers.core.errors import MethodError
from workers.core.events import (
    CheckpointSaved,
    Event,
    LayerSampled,
    TrainingEnded,
    TrainingMetric,
    TrainingSample,
)
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded, ChatRequest
from workers.core.mas.tests.support import Script, ScriptedClient, collect, down, endpoint
from workers.core.methods.evomas.config import METHOD_KEY
from workers.core.methods.evomas.method import EvoMas
from workers.core.methods.evomas.tests.support import TASK, of, solved, who
from workers.core.methods.evomas.training.config import PRESETS, SWEEPS, EvoMasTrainingConfig
from workers.core.methods.evomas.training.metric_names import METRICS
from workers.core.methods.evomas.training.state import Progress
from workers.core.methods.evomas.weights import load_adapter
from workers.core.methods.tests.support import HashEmbedder
from workers.core.specs import TaskSpec
from workers.core.training.context import StopSwitch, TrainingContext
from workers.core.training.resumable import STATE_FOLDER, state_info

TASKS = tuple(
    TASK.model_copy(update={"query": f"{TASK.query} ({n})", "metadata": {"level": n % 2 + 1}})
    for n in range(6)
)
SMALL: dict[str, Any] = {
    "agents": "4",
    "steps": 4,
    "tasks_per_step": 2,
    "rollouts_per_task": 2,
    "stages": 2,
    "max_subtasks": 1,
    "checkpoint_every": 2,
    "samples_per_step": 1,
}


def reads_the_web(request: ChatRequest) -> Any:
    """The final word is right if it comes from a web search."""
    return {
        "web_search": "Answer: Elbe",
        "evaluator": "Confidence: 0.9\nAnswer: success",
        "ensemble": "Answer: A",
    }.get(who(request), "Answer: Loire")


def training(folder: Path, script: Script = reads_the_web, **changes: Any) -> TrainingContext:
    config = {**SMALL, **changes.pop("config", {})}
    given = {"embedder": HashEmbedder(), **changes}
    return TrainingContext(
        llm=ScriptedClient(script),
        endpoint=endpoint(),
        seed=3,
        folder=folder,
        config=config,
        **given,
    )


async def learned(
    given: TrainingContext, tasks: Sequence[TaskSpec] = TASKS, into: list[Event] | None = None
) -> list[Event]:
    return await collect(EvoMas().train(tasks, given), into)


def values(events: Sequence[Event]) -> list[dict[str, float]]:
    """But what depends on the clock, and on which answers this process has kept."""
    timed = {"seconds", "endpoint_utilisation", "cache_hits", "tokens_total", "cost_total"}
    return [
        {name: value for name, value in event.values.items() if name not in timed}
        for event in of(events, TrainingMetric)
    ]


def weights(folder: Path, step: int) -> dict[str, torch.Tensor]:
    return dict(load_adapter(folder / "checkpoints" / f"step-{step:06d}").state_dict())


async def test_a_step_tells_what_it_was_like(tmp_path: Path) -> None:
    events = await learned(training(tmp_path))
    steps = values(events)
    assert [event.step for event in of(events, TrainingMetric)] == [1, 2, 3, 4]
    assert {"accuracy", "reward", "stages", "calls", "loss", "entropy_1"} <= steps[0].keys()
    assert any(name.startswith("accuracy_level_") for name in steps[0])
    chances = [v for name, v in steps[0].items() if name.startswith("probability_1_")]
    assert sum(chances) == pytest.approx(1.0)
    told = of(events, TrainingMetric)[0].selections
    assert {each.layer for each in told} <= {1, 2, 3}
    assert sum(each.count for each in told if each.place == "first" and each.layer == 1) == 4
    assert sum(told[0].probabilities.values()) == pytest.approx(1.0, abs=1e-3)
    named = {spec.name for spec in METRICS}
    bounds = ("/low", "/high", "/n")
    assert {name for step in steps for name in step if not name.endswith(bounds)} <= named
    assert of(events, TrainingEnded)[0].reason == "completed"
    (first, *_) = of(events, TrainingSample)
    kinds = {event["event"] for event in first.trace}
    assert {"stage_planned", "layer_sampled", "stage_assessed", "stage_ended"} <= kinds


async def test_agents_of_a_training_have_the_tools_of_their_task(tmp_path: Path) -> None:
    """As in a run: the files of the question are named and can be opened."""
    file = {"name": "elbe.txt", "text": "The Elbe has 1094 km."}
    tasks = [
        task.model_copy(update={"metadata": {**task.metadata, "files": [file]}}) for task in TASKS
    ]
    read: list[str] = []

    def opens_it(request: ChatRequest) -> Any:
        last = request.messages[-1].content
        if who(request) != "web_search":
            return "Answer: success"
        if "The result of the tool" in last or "The error of the tool" in last:
            read.append(last)
            return "Answer: Elbe"
        assert "elbe.txt" in last
        return '```tool\n{"tool": "read_file", "arguments": {"name": "elbe.txt"}}\n```'

    await learned(training(tmp_path, opens_it, config={"steps": 1}), tasks)
    assert read
    assert all("The Elbe has 1094 km." in said for said in read)


async def test_it_learns_who_is_right(tmp_path: Path) -> None:
    config = {"steps": 20, "rollouts_per_task": 8, "learning_rate": 0.005, "checkpoint_every": 20}
    events = await learned(training(tmp_path, config=config))
    steps = values(events)
    first, last = steps[:5], steps[-5:]
    assert sum(s["accuracy"] for s in last) > sum(s["accuracy"] for s in first) + 1
    checkpoint = tmp_path / "checkpoints" / "step-000020"
    run = await solved(
        reads_the_web, checkpoint=checkpoint, config={**read_info(checkpoint).run, "greedy": True}
    )
    assert any(c.role == "web_search" and c.rank for c in of(run, LayerSampled)[0].candidates)


async def test_a_training_that_was_cut_off_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    config = {"baseline": "moving"}
    whole = await learned(training(tmp_path / "whole", config=config))
    parts: list[Event] = []
    async for event in EvoMas().train(TASKS, training(tmp_path / "cut", config=config)):
        parts.append(event)
        if isinstance(event, TrainingMetric) and event.step == 2:
            break  # killed: nothing after the metric was stored
    again = await learned(training(tmp_path / "cut", config=config))
    assert values(parts) == values(whole)[:2]
    assert values(again) == values(whole)[1:]
    one, other = weights(tmp_path / "whole", 4), weights(tmp_path / "cut", 4)
    assert all(torch.equal(one[name], other[name]) for name in one)


async def test_a_pause_comes_after_the_step(tmp_path: Path) -> None:
    (ended,) = await learned(training(tmp_path, stop=StopSwitch(wanted="paused")))
    assert ended == TrainingEnded(at=ended.at, step=0, reason="paused")


async def test_what_is_held_out_is_answered_as_runs_do_and_never_learned_from(
    tmp_path: Path,
) -> None:
    events = await learned(training(tmp_path, config={"held_out": 2}))
    saved = of(events, CheckpointSaved)
    assert [event.step for event in saved] == [2, 4]
    assert {"held_out_accuracy", "held_out_reward", "held_out_stages"} <= saved[-1].metrics.keys()
    info = read_info(tmp_path / "checkpoints" / "step-000004", method="evomas")
    assert (len(info.trained_on), len(info.held_out)) == (6, 2)
    assert (info.run["agents"], info.run["greedy"]) == ("4", True)


async def test_a_later_training_begins_with_what_is_known(tmp_path: Path) -> None:
    await learned(training(tmp_path / "first"))
    begun = tmp_path / "first" / "checkpoints" / "step-000004"
    config = {"steps": 1, "learning_rate": 1e-9, "checkpoint_every": 1}
    await learned(training(tmp_path / "second", start_from=begun, config=config))
    one, other = weights(tmp_path / "first", 4), weights(tmp_path / "second", 1)
    assert all(torch.allclose(one[name], other[name], atol=1e-6) for name in one)


def test_presets_and_sweeps_are_valid() -> None:
    for preset in PRESETS.values():
        EvoMasTrainingConfig.model_validate(preset)
    for sweep in SWEEPS.values():
        for changes in sweep.values.values():
            EvoMasTrainingConfig.model_validate({**PRESETS[sweep.preset], **changes})
    paper = EvoMasTrainingConfig.model_validate(PRESETS["paper"])
    assert (paper.baseline, paper.process_reward, paper.layers) == ("none", 0.0, 3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"workflow": "io"},
        {"baseline": "group", "rollouts_per_task": 1},
        {"process_reward": 0.5, "state": False},
        {"temperature": 1e-40},
    ],
)
def test_settings_that_contradict_each_other_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"workflow|rollouts_per_task|process_reward|temperature"):
        EvoMasTrainingConfig.model_validate(wrong)


class TestBadInput:
    async def test_a_dead_endpoint_teaches_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(MethodError, match=r"The server is down\.") as caught:
            await learned(training(tmp_path, lambda _: down()))
        assert caught.value.code == "endpoint_failing"

    async def test_a_spent_budget_of_the_job_leaves_a_checkpoint(self, tmp_path: Path) -> None:
        calls = 0

        def spent(request: ChatRequest) -> Any:
            nonlocal calls
            calls += 1
            return (
                BudgetExceeded(limit=JOB, message="spent") if calls > 40 else reads_the_web(request)
            )

        events: list[Event] = []
        config = {"checkpoint_every": 50, "steps": 50}
        tasks = tuple(TASK.model_copy(update={"query": f"{TASK.query} ({n})"}) for n in range(100))
        with pytest.raises(BudgetExceeded):
            await learned(training(tmp_path, spent, config=config), tasks, events)
        assert of(events, CheckpointSaved)[-1].step == of(events, TrainingMetric)[-1].step

    async def test_other_settings_in_the_same_folder_are_refused(self, tmp_path: Path) -> None:
        await learned(training(tmp_path))
        with pytest.raises(MethodError, match="learning_rate"):
            await learned(training(tmp_path, config={"learning_rate": 0.5}))

    async def test_a_training_from_before_the_heads_does_not_go_on_with_eight(
        self, tmp_path: Path
    ) -> None:
        await learned(training(tmp_path))
        info, tensors = load(tmp_path / STATE_FOLDER, method=METHOD_KEY)
        progress = Progress.model_validate(info.recipe)
        del progress.config["heads"]
        old = state_info(METHOD_KEY, progress, seed=0)
        shutil.rmtree(tmp_path / STATE_FOLDER)
        save(tmp_path / STATE_FOLDER, tensors, old)
        with pytest.raises(MethodError, match="different values of: heads"):
            await learned(training(tmp_path))

    async def test_what_it_cannot_learn_from_is_said_first(self, tmp_path: Path) -> None:
        with pytest.raises(MethodError, match="no tasks"):
            await learned(training(tmp_path), ())
        with pytest.raises(MethodError, match="no embedder"):
            await learned(replace(training(tmp_path), embedder=None))
        unjudged = [task.model_copy(update={"verifier": None}) for task in TASKS]
        with pytest.raises(MethodError, match="no verifier"):
            await learned(training(tmp_path), unjudged)
