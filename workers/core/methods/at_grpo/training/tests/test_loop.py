"""A whole training on small boards: what is learned, told, kept and gone on with; what stops it."""

import asyncio
import shutil
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import torch
from pyarrow.parquet import ParquetWriter

from workers.core.benchmarks.sameness import task_hashes
from workers.core.checkpoints import load, read_info
from workers.core.environments.cells import named
from workers.core.errors import MethodError
from workers.core.events import (
    EVENT_ADAPTER,
    CheckpointSaved,
    EpisodeMoved,
    Event,
    TrainingEnded,
    TrainingMetric,
    TrainingSample,
)
from workers.core.methods.at_grpo.config import METHOD_KEY
from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.methods.at_grpo.training import loop
from workers.core.methods.at_grpo.training.config import AtGrpoTrainingConfig
from workers.core.methods.at_grpo.training.loop import _Training
from workers.core.methods.at_grpo.training.metric_names import METRICS
from workers.core.methods.at_grpo.training.tests.small import (
    ADAPTERS,
    SMALL,
    TASKS,
    of,
    quick,
    same,
    trained,
    training,
    weights,
)
from workers.core.rollouts import memory
from workers.core.rollouts.base import BrokenOff, EngineError, not_finite
from workers.core.rollouts.branches import (
    GroupFilter,
    group_of,
    groups_of,
    steps_kept,
    write_branches,
)
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.kept import kept_in, weights_for
from workers.core.rollouts.tests.taught import TAUGHT
from workers.core.rollouts.vllm.tests.served import served
from workers.core.specs import TaskSpec
from workers.core.training.context import StopSwitch
from workers.core.training.resumable import has_state
from workers.core.weights.nano import NAME, NanoConfig, make_nano

pytestmark = pytest.mark.usefixtures("nano")


@pytest.fixture(scope="module")
def whole(
    nano_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, list[Event]]]:
    """A training that nothing broke off."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDIO_MODELS_DIR", str(nano_folder))
        with ThreadPoolExecutor(1) as thread:  # a loop may run in this one
            events = thread.submit(lambda: asyncio.run(trained(training(folder)))).result()
        yield folder, events


async def test_supervised_steps_come_first_and_then_sampled_ones(
    whole: tuple[Path, list[Event]],
) -> None:
    _, events = whole
    steps = of(events, TrainingMetric)
    assert [step.step for step in steps] == [1, 2, 3, 4, 5, 6]
    assert ["reward" in step.values for step in steps] == [False] * 3 + [True] * 3
    assert steps[0].values["loss"] > steps[2].values["loss"], "it learns the form"
    assert all(step.values["mismatch_shared"] < 1e-5 for step in steps[3:])
    assert [saved.step for saved in of(events, CheckpointSaved)] == [2, 3, 4, 6]
    assert all("held_out_accuracy" in saved.metrics for saved in of(events, CheckpointSaved))
    assert of(events, TrainingEnded)[-1].reason == "completed"


async def test_in_process_sampler_and_trainer_agree_however_many_updates_a_step_has(
    tmp_path: Path,
) -> None:
    config = {"updates": 2, "learning_rate": 1e-2, "held_out": 0}
    steps = of(await trained(training(tmp_path, config=config)), TrainingMetric)
    assert all(step.values["mismatch_shared"] < 1e-5 for step in steps[3:])


@pytest.mark.parametrize(("steps", "first"), [(2, 3), (0, 0)])
def test_supervised_steps_are_of_another_kind_unless_there_are_no_others(
    steps: int, first: int
) -> None:
    assert AtGrpoTrainingConfig(rank=0, cold_steps=3, steps=steps).first_steps() == first


async def test_the_learning_rate_of_each_kind_of_step_falls_to_a_tenth(
    whole: tuple[Path, list[Event]],
) -> None:
    rates = [metric.values["learning_rate"] for metric in of(whole[1], TrainingMetric)]
    assert rates == pytest.approx([0.1, 0.07, 0.04, 5e-4, 3.5e-4, 2e-4])


async def test_supervised_steps_are_not_held_to_where_they_began(
    tmp_path: Path, whole: tuple[Path, list[Event]]
) -> None:
    await trained(training(tmp_path, config={"kl": 100.0, "steps": 1}))
    assert same(weights(tmp_path, "step-000003"), weights(whole[0], "step-000003"))


async def test_a_sample_is_an_episode_as_a_run_tells_it(whole: tuple[Path, list[Event]]) -> None:
    sample = of(whole[1], TrainingSample)[0]
    trace = [EVENT_ADAPTER.validate_python(event) for event in sample.trace]
    moves = of(trace, EpisodeMoved)
    assert len(moves) == len(sample.advantages) == len(sample.graph.nodes)
    assert [move.agent_id for move in moves[:2]] == ["proposer-1", "planner-1"]
    assert sample.reward == pytest.approx(
        sum(sum(move.team.values()) + sum(move.local.values()) for move in moves)
    )
    assert (moves[-1].ended == "solved") is sample.correct


@pytest.mark.parametrize(
    ("config", "policies"),
    [
        (ADAPTERS | {"level": "adapters"}, {"proposer", "planner"}),
        ({"level": "models"}, {"proposer", "planner"}),
        (ADAPTERS, {"shared"}),
        ({"plays": "planner", "level": "models"}, {"planner"}),
    ],
)
async def test_each_level_keeps_what_its_policies_learned(
    tmp_path: Path, config: dict[str, Any], policies: set[str]
) -> None:
    await trained(training(tmp_path, config=config))
    first, last = weights(tmp_path, "step-000003"), weights(tmp_path)
    assert {name.split(":")[0] for name in last} == policies
    for policy in policies:
        own = [name for name in last if name.startswith(f"{policy}:")]
        assert any(not torch.equal(first[name], last[name]) for name in own), policy


async def test_every_branch_is_kept(whole: tuple[Path, list[Event]]) -> None:
    folder, events = whole
    assert steps_kept(folder) == [4, 5, 6]
    page = groups_of(folder, 5, GroupFilter(), offset=0, limit=1_000)
    groups = page.results
    assert page.count == len(groups)
    metric = of(events, TrainingMetric)[4].values
    assert mean_reward(groups) == pytest.approx(metric["reward"], abs=1e-6)
    of_turn = [group for group in groups if (group["agent"], group["turn"]) == ("planner", 1)]
    assert mean_reward(of_turn) == pytest.approx(metric["reward_planner_turn_1"], abs=1e-6)
    assert {group["version"] for group in groups} == {4}, "as many updates came before"
    first = group_of(folder, 5, episode=0, agent="proposer", turn=1)
    assert [row["branch"] for row in first] == [1, 2, 3, 4]
    assert sum(row["taken"] for row in first) == 1
    assert sum(row["advantage"] for row in first) == pytest.approx(0, abs=1e-5)
    for row in first:
        assert "".join(row["pieces"]).removesuffix("</s>") == row["message"]
        assert len(row["tokens"]) == len(row["logprobs"]) == len(row["after"])
        assert sum(row["team"].values()) + sum(row["local"].values()) == pytest.approx(
            row["reward"], abs=1e-5
        )
    sample = of(events, TrainingSample)[1]
    assert sample.step == 5
    board = TASKS[first[0]["task"]].metadata["board"]
    assert first[0]["messages"][1]["content"] == f"A{named(board.splitlines())}||"
    assert sample.query == TASKS[first[0]["task"]].query


def mean_reward(groups: Sequence[dict[str, Any]]) -> float:
    return fmean(reward for group in groups for reward in group["rewards"])


async def test_the_parts_of_a_reward_sum_to_it(whole: tuple[Path, list[Event]]) -> None:
    values = of(whole[1], TrainingMetric)[-1].values
    for agent in ("proposer", "planner"):
        parts = [
            value
            for name, value in values.items()
            if name.startswith("part_") and name.endswith(agent)
        ]
        assert sum(parts) == pytest.approx(values[f"reward_{agent}"], abs=1e-6)


@pytest.mark.parametrize(("ratios", "episodes"), [("samples", 1), ("all", 6)])
async def test_ratios_are_kept_of_as_many_branches_as_was_asked(
    tmp_path: Path, ratios: str, episodes: int
) -> None:
    """The ratio of a token is that of the weights after the step and before it."""
    config = {"ratios": ratios, "steps": 1, "cold_steps": 1, "held_out": 0}
    await trained(training(tmp_path, config=config))
    (step,) = steps_kept(tmp_path)
    groups = groups_of(tmp_path, step, GroupFilter(), offset=0, limit=1_000).results
    rows = [
        row
        for group in groups
        for row in group_of(
            tmp_path, step, **{name: group[name] for name in ("episode", "agent", "turn")}
        )
    ]
    assert {row["episode"] for row in rows} == set(range(6))
    assert {row["episode"] for row in rows if row["after"]} == set(range(episodes))
    told = [row for row in rows if row["episode"] < episodes]
    assert all(len(row["after"]) == len(row["tokens"]) for row in told)
    assert any(row["after"] != row["logprobs"] for row in told)
    said: dict[tuple[str, tuple[int, ...]], list[float]] = {}
    for row in told:
        key = row["prompt_hash"], tuple(row["tokens"])
        assert said.setdefault(key, row["after"]) == row["after"], "of equal answers the same"


@pytest.mark.parametrize("weight", [0.0, 0.1])
async def test_how_far_the_policy_has_gone_has_a_curve_with_a_weight_and_without(
    tmp_path: Path, weight: float
) -> None:
    """The first sampled step is taken where the divergence is measured from."""
    config = {"kl": weight, "learning_rate": 1e-2, "held_out": 0}
    steps = of(await trained(training(tmp_path, config=config)), TrainingMetric)[3:]
    titled = {metric.name for metric in METRICS}
    for name in ("kl_shared", "kl_proposer_turn_1", "kl_planner_turn_1"):
        first, *later = (step.values[name] for step in steps)
        assert first == pytest.approx(0, abs=1e-6)
        assert min(later) > 1e-4
        assert name in titled


@pytest.mark.parametrize("shift", [0.0, 0.004])
async def test_the_difference_of_sampler_and_trainer_has_a_curve_of_each_agent_and_turn(
    tmp_path: Path, shift: float
) -> None:
    """It is that of the weights that sampled: before the update, however far that goes."""
    config = VLLM | {"learning_rate": 1e-2, "cold_steps": 1, "steps": 2, "held_out": 0}
    with served(TAUGHT) as server:
        server.faults.shift = shift
        events = await trained(training(tmp_path, config=config, vllm_urls=(server.url,)))
    titled = {metric.name for metric in METRICS}
    sampled = of(events, TrainingMetric)[1:]
    assert len(sampled) == 2
    for step in sampled:
        told = {name: each for name, each in step.values.items() if "_turn_" in name}
        mismatches = {name: each for name, each in told.items() if name.startswith("mismatch_")}
        assert mismatches.keys() == {
            name.replace("reward", "mismatch") for name in told if name.startswith("reward_")
        }
        assert list(mismatches.values()) == pytest.approx([shift] * len(mismatches), abs=1e-4)
        assert told.keys() <= titled


async def test_the_parts_of_each_turn_sum_to_its_reward(whole: tuple[Path, list[Event]]) -> None:
    for step in of(whole[1], TrainingMetric)[3:]:
        for name, reward in step.values.items():
            if name.startswith("reward_") and "_turn_" in name:
                place = name.removeprefix("reward")
                parts = [
                    value
                    for part, value in step.values.items()
                    if part.startswith("part_") and part.endswith(place)
                ]
                assert sum(parts) == pytest.approx(reward, abs=1e-6)


async def test_the_sampled_tokens_tell_the_entropy(whole: tuple[Path, list[Event]]) -> None:
    """Beside what the update computes of those that teach something."""
    for step in of(whole[1], TrainingMetric)[3:]:
        told = [value for name, value in step.values.items() if name.startswith("entropy_p")]
        assert fmean(told) == pytest.approx(step.values["entropy_shared"], rel=0.3)


@pytest.mark.parametrize(("step", "kept"), [(4, []), (6, [4, 5])])
async def test_nothing_stays_of_a_step_that_breaks_off_and_it_is_repeated(
    tmp_path: Path,
    whole: tuple[Path, list[Event]],
    monkeypatch: pytest.MonkeyPatch,
    step: int,
    kept: list[int],
) -> None:
    """After its branches were written, while held-out tasks are played."""
    played = _Training._held_out_played

    async def breaks_off(training: _Training) -> dict[str, float]:
        if training.progress.step == step - 1:
            raise BrokenOff
        return await played(training)

    monkeypatch.setattr(_Training, "_held_out_played", breaks_off)
    with pytest.raises(BrokenOff):
        await trained(training(tmp_path))
    assert steps_kept(tmp_path) == kept
    monkeypatch.setattr(_Training, "_held_out_played", played)
    assert of(await trained(training(tmp_path)), TrainingEnded)
    assert steps_kept(tmp_path) == [4, 5, 6]
    assert same(weights(tmp_path), weights(whole[0]))


async def test_a_step_goes_on_while_its_branches_are_written_and_then_waits_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved, real = threading.Event(), InProcessEngine.save

    def writes(*args: Any, **kwargs: Any) -> None:
        assert saved.wait(20), "the step waits before it has done all else"
        time.sleep(0.1)
        assert not has_state(tmp_path), "the step counts before they are there"
        write_branches(*args, **kwargs)

    def save(self: InProcessEngine, folder: Path) -> None:
        real(self, folder)
        saved.set()

    monkeypatch.setattr(loop, "write_branches", writes)
    monkeypatch.setattr(InProcessEngine, "save", save)
    await trained(training(tmp_path, config={"cold_steps": 0, "steps": 1}))
    assert steps_kept(tmp_path) == [1]


async def test_an_update_that_fails_leaves_no_branches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those with ratios would wait for its end for ever."""
    real = _Training._updated

    async def fails(*args: Any, sampled: bool, **kwargs: Any) -> dict[str, float]:
        if sampled:
            raise not_finite("loss")
        return await real(*args, sampled=sampled, **kwargs)

    monkeypatch.setattr(_Training, "_updated", fails)
    with pytest.raises(EngineError, match="not a finite number"):
        await trained(training(tmp_path, config={"cold_steps": 1, "ratios": "all"}))
    assert files_of_branches(tmp_path) == []


async def test_a_disk_too_full_for_branches_is_told_and_loses_no_step(
    tmp_path: Path, whole: tuple[Path, list[Event]], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = ParquetWriter.write_table, 0

    def full(*args: Any, **kwargs: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 4:  # two a step: of those without ratios, and of those with them
            raise OSError(28, "No space left on device")
        real(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(ParquetWriter, "write_table", full)
        with pytest.raises(MethodError, match="No space left on device") as raised:
            await trained(training(tmp_path))
    assert raised.value.code == "state_not_written"
    assert "Free some disk space and resume" in raised.value.remedy
    assert files_of_branches(tmp_path) == ["step-000004.parquet"]
    events = await trained(training(tmp_path))
    assert [event.step for event in of(events, TrainingMetric)] == [4, 5, 6]
    assert same(weights(tmp_path), weights(whole[0]))


def files_of_branches(folder: Path) -> list[str]:
    return [each.name for each in folder.glob("branches/*")]


async def test_only_the_latest_branches_stay(tmp_path: Path) -> None:
    config = {"branches_kept": 1, "cold_steps": 1, "steps": 2, "held_out": 0}
    await trained(training(tmp_path, config=config))
    assert steps_kept(tmp_path) == [3]


class Broken(Exception):
    pass


@pytest.mark.parametrize(
    ("method", "call"),
    [("forward_backward", 2), ("sample", 2), ("publish", 5), ("save", 1), ("save", 2), ("save", 5)],
)
async def test_a_training_that_breaks_off_goes_on_as_if_it_had_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    whole: tuple[Path, list[Event]],
    method: str,
    call: int,
) -> None:
    real, calls = getattr(InProcessEngine, method), 0

    def breaks(self: InProcessEngine, *args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            if method == "save":
                real(self, *args, **kwargs)  # the files are there; what names them is not
            raise Broken
        return real(self, *args, **kwargs)

    monkeypatch.setattr(InProcessEngine, method, breaks)
    told: list[Event] = []
    with pytest.raises(Broken):
        await into(told, AtGrpo().train(TASKS, training(tmp_path)))
    monkeypatch.setattr(InProcessEngine, method, real)
    told += await trained(training(tmp_path))
    assert same(weights(tmp_path), weights(whole[0]))
    values = {event.step: quick(event) for event in of(told, TrainingMetric)}
    assert values == {event.step: quick(event) for event in of(whole[1], TrainingMetric)}


async def into(told: list[Event], events: AsyncIterator[Event]) -> None:
    async for event in events:
        told.append(event)


async def test_a_paused_training_ends_after_its_step(tmp_path: Path) -> None:
    events = await trained(training(tmp_path, stop=StopSwitch(wanted="paused")))
    assert [event.reason for event in of(events, TrainingEnded)] == ["paused"]
    assert not of(events, TrainingMetric)


async def test_a_training_can_start_from_another_ones_checkpoint(
    tmp_path: Path, whole: tuple[Path, list[Event]]
) -> None:
    start = whole[0] / "checkpoints" / "step-000006"
    before = weights_for(start, "shared", kept_in(start))
    config = {"cold_steps": 0, "steps": 1, "learning_rate": 1e-9, "level": "models", "held_out": 0}
    await trained(training(tmp_path / "next", start_from=start, config=config))
    after = weights(tmp_path / "next", "step-000001")
    for policy in ("proposer", "planner"):
        assert all(
            torch.allclose(after[f"{policy}:{name}"], tensor, atol=1e-6)
            for name, tensor in before.items()
        ), "both begin as the one model"


async def test_without_steps_a_team_stays_untrained_to_be_compared_with(tmp_path: Path) -> None:
    config = {"cold_steps": 0, "steps": 0}
    events = await trained(training(tmp_path, config=config))
    assert [event.step for event in of(events, CheckpointSaved)] == [1]
    info = read_info(tmp_path / "checkpoints" / "step-000001")
    assert not info.trained
    assert set(info.held_out) == set(info.trained_on), "it has learned from none of its tasks"


async def test_agents_that_were_trained_alone_are_joined(tmp_path: Path) -> None:
    alone = {"level": "models", "cold_steps": 1, "steps": 1, "held_out": 0}
    checkpoints = tmp_path / "all"
    for name, tasks in (("proposer", TASKS[:8]), ("planner", TASKS[8:16])):
        await trained(training(tmp_path / name, config=alone | {"plays": name}), tasks)
        made = tmp_path / name / "checkpoints" / "step-000002"
        checkpoints.mkdir(exist_ok=True)
        made.rename(checkpoints / name)
    config = {"level": "models", "cold_steps": 0, "steps": 0, "joined": "planner", "held_out": 8}
    context = training(
        tmp_path / "joined",
        start_from=checkpoints / "proposer",
        checkpoints=checkpoints,
        config=config,
    )
    events = await trained(context, TASKS[8:])
    assert [event.step for event in of(events, CheckpointSaved)] == [1]
    info = read_info(tmp_path / "joined" / "checkpoints" / "step-000001")
    assert set(info.trained_on) == {digest for each in TASKS for digest in task_hashes(each)}
    unseen = {digest for each in TASKS[16:] for digest in task_hashes(each)}
    assert set(info.held_out) == unseen, "neither agent has learned from them"
    both = weights(tmp_path / "joined", "step-000001")
    for name in ("proposer", "planner"):
        own = load(checkpoints / name, method=METHOD_KEY)[1]
        assert same({key: both[key] for key in own}, own)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"config": {"model": "nowhere"}}, "model_missing"),
        ({"config": {"model": ""}}, "no_model"),
        ({"config": {"level": "adapters", "rank": 0}}, "invalid_config"),
        ({"config": {"held_out": 24}}, "no_tasks"),
        ({"config": {"max_tokens": 600}}, "model_too_short"),
        ({"config": {"learning_rate": 1.0, "warmup": 0, "cold_rate": 1.0}}, None),
    ],
)
async def test_what_cannot_be_is_told(
    tmp_path: Path, changes: dict[str, Any], code: str | None
) -> None:
    if code is None:  # it learns nothing, but nothing is lost
        await trained(training(tmp_path, **changes))
        return
    with pytest.raises(MethodError) as raised:
        await trained(training(tmp_path, **changes))
    assert raised.value.code == code
    assert raised.value.remedy


async def test_tasks_that_the_model_cannot_read_are_refused(tmp_path: Path) -> None:
    sums = TaskSpec(query="1 + 1", reference="2", verifier="numeric")
    which = TaskSpec(query="A or B?", reference="A", verifier="choice")
    cases: list[tuple[list[TaskSpec], dict[str, Any], str]] = [
        ([sums], {}, "“letters” is for games"),
        ([sums], {"wording": "sentences"}, "reads the letters of games, and no words"),
        ([*TASKS, sums], {"wording": "sentences"}, "have different agents"),
        ([*TASKS, which], {}, "no episode of a game"),
    ]
    for tasks, config, said in cases:
        with pytest.raises(MethodError, match=said):
            await trained(training(tmp_path, config={"held_out": 0} | config), tasks)


async def test_a_checkpoint_of_another_model_is_refused(
    tmp_path: Path, whole: tuple[Path, list[Event]]
) -> None:
    start = whole[0] / "checkpoints" / "step-000006"
    context = training(tmp_path / "next", start_from=start, config=ADAPTERS | {"held_out": 0})
    with pytest.raises(MethodError, match="rank 0, not to “taught” with rank 8"):
        await trained(context)


async def test_other_settings_are_another_training(
    tmp_path: Path, whole: tuple[Path, list[Event]]
) -> None:
    shutil.copytree(whole[0], tmp_path / "job")
    with pytest.raises(MethodError, match="different values of: alpha"):
        await trained(replace(training(tmp_path / "job"), config=SMALL | {"alpha": 0.5}))


VLLM = ADAPTERS | {"engine": "vllm"}


async def test_no_training_goes_on_with_another_model_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: tuple[Path, list[Event]]
) -> None:
    """The same shapes, so that nothing else would notice."""
    shutil.copytree(whole[0], tmp_path / "job")
    make_nano(tmp_path / NAME, NanoConfig(layers=2, width=32, heads=4, rows=4), seed=0)
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    with pytest.raises(MethodError, match="The training in this folder was trained on another"):
        await trained(training(tmp_path / "job"))
    start = tmp_path / "job" / "checkpoints" / "step-000006"
    with pytest.raises(MethodError, match="“step-000006” was trained on another"):
        await trained(training(tmp_path / "next", start_from=start, config={"held_out": 0}))
    assert not (tmp_path / "next").exists()


async def test_a_training_that_does_not_fit_is_refused_before_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000_000)
    with pytest.raises(MethodError, match=r"about 0\.\d GB of memory, and 0\.0 GB is free"):
        await trained(training(tmp_path / "job", config={"branches": 64}))
    assert not (tmp_path / "job").exists()


async def test_a_vllm_server_that_starts_again_changes_no_training(tmp_path: Path) -> None:
    with served(TAUGHT) as server:
        folders = [tmp_path / name for name in ("whole", "broken")]
        told: list[list[Event]] = []
        for folder, dies_at in zip(folders, (0, 20), strict=True):
            server.samples, server.faults.dies_at = 0, dies_at
            config = VLLM | {"cold_steps": 1, "steps": 2, "held_out": 2}
            told.append(await trained(training(folder, config=config, vllm_urls=(server.url,))))
        assert not server.adapters, "none stays behind"
        assert server.samples > 20
    whole, broken = (
        {event.step: quick(event) for event in of(events, TrainingMetric)} for events in told
    )
    assert whole == broken
    assert same(*(weights(folder, "step-000003") for folder in folders))
    last = of(told[0], TrainingMetric)[-1].values
    assert last["mismatch_shared"] < 1e-4
    assert 0 < last["seconds_publication"] < last["seconds_sampling"]


@pytest.mark.parametrize(
    ("config", "code"),
    [
        (VLLM, "vllm_not_set_up"),
        (VLLM | {"rank": 4}, "invalid_config"),
        (VLLM | {"level": "models"}, "invalid_config"),
    ],
)
async def test_vllm_needs_servers_and_adapters(
    tmp_path: Path, config: dict[str, Any], code: str
) -> None:
    with pytest.raises(MethodError) as raised:
        await trained(training(tmp_path, config=config))
    assert raised.value.code == code
    assert raised.value.remedy


async def test_two_ranks_train_as_one(tmp_path: Path) -> None:
    """In a supervised step and a sampled one. More steps, or Muon, would make rounding errors
    large, so that other answers are sampled."""
    config = ADAPTERS | {"cold_steps": 1, "steps": 1, "learning_rate": 1e-2, "held_out": 0}
    one, two = (tmp_path / str(ranks) for ranks in (1, 2))
    expected = of(await trained(training(one, config=config)), TrainingMetric)
    told = of(await trained(training(two, config=config, ranks=2)), TrainingMetric)
    assert expected[1].values["gradient_norm"] > 0, "answers differ in what they earn"
    for left, right in zip(told, expected, strict=True):
        assert quick(left) == pytest.approx(quick(right), rel=1e-3, abs=1e-4)
    for step in ("step-000001", "step-000002"):
        learned, same_learned = weights(one, step), weights(two, step)
        assert all(torch.allclose(learned[name], same_learned[name], atol=1e-3) for name in learned)
