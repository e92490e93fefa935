"""A whole training on letters: what is learned, told, kept and gone on with; what stops it."""

import asyncio
import math
import random
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
import torch
from safetensors.torch import load_file, save_file

from workers.core.checkpoints import load
from workers.core.errors import MethodError
from workers.core.events import (
    EVENT_ADAPTER,
    BlockCalled,
    CheckpointSaved,
    Event,
    ScriptRead,
    TrainingEnded,
    TrainingMetric,
    TrainingSample,
)
from workers.core.mas.tests.support import ScriptedClient, endpoint
from workers.core.methods.metaagent_x.config import METHOD_KEY
from workers.core.methods.metaagent_x.training import loop
from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.loop import train
from workers.core.methods.metaagent_x.training.metric_names import METRICS
from workers.core.methods.metaagent_x.training.tests.toy import (
    NAME,
    TASKS,
    Letters,
    make_letters,
)
from workers.core.methods.metaagent_x.training.worlds import Shown, World
from workers.core.rollouts import designs
from workers.core.rollouts.base import EngineError, LossOptions, Weighted
from workers.core.rollouts.branches import GroupFilter, group_of, groups_of, steps_kept
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.kept import kept_in
from workers.core.scripts.meaning import Meaning
from workers.core.specs import TaskSpec
from workers.core.training.context import StopSwitch, TrainingContext
from workers.core.training.resumable import has_state

E = TypeVar("E", bound=Event)

SMALL: dict[str, Any] = {
    "model": NAME,
    "rank": 0,
    "optimiser": "muon",
    "cold_steps": 10,
    "cold_questions": 12,
    "cold_rate": 0.1,
    "steps": 4,
    "questions_per_step": 6,
    "designs": 4,
    "executions": 2,
    "design_tokens": 4,
    "max_tokens": 3,
    "stage_steps": 1,
    "learning_rate": 1e-3,
    "warmup": 0,
    "checkpoint_every": 5,
    "held_out": 3,
    "samples_per_step": 1,
}


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of local models."""
    folder = tmp_path_factory.mktemp("models")
    make_letters(folder / NAME)
    return folder


@pytest.fixture(autouse=True)
def _models(letters: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(letters))


def training(folder: Path, **changes: Any) -> TrainingContext:
    return TrainingContext(
        llm=ScriptedClient(lambda _: ""),
        endpoint=endpoint(),
        seed=changes.pop("seed", 7),
        folder=folder,
        config=SMALL | changes.pop("config", {}),
        **changes,
    )


async def trained(
    context: TrainingContext,
    tasks: Sequence[TaskSpec] = TASKS,
    world: World = Letters(),  # noqa: B008  frozen
) -> list[Event]:
    config = MetaAgentXTrainingConfig.model_validate(context.config)
    return [event async for event in train(tasks, context, config, world)]


@pytest.fixture(scope="module")
def whole(
    letters: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, list[Event]]]:
    """A training that nothing broke off."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDIO_MODELS_DIR", str(letters))
        with ThreadPoolExecutor(1) as thread:  # a loop may run in this one
            events = thread.submit(lambda: asyncio.run(trained(training(folder)))).result()
        yield folder, events


def of(events: Sequence[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def weights(folder: Path, name: str = "step-000014") -> dict[str, torch.Tensor]:
    return load(folder / "checkpoints" / name, method=METHOD_KEY)[1]


def same(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> bool:
    return left.keys() == right.keys() and all(
        torch.equal(left[name], right[name]) for name in left
    )


async def test_supervised_steps_come_first_and_then_the_roles_take_turns(
    whole: tuple[Path, list[Event]],
) -> None:
    _, events = whole
    steps = of(events, TrainingMetric)
    assert [step.step for step in steps] == list(range(1, 15))
    assert ["designer_reward" in step.values for step in steps] == [False] * 10 + [True] * 4
    assert steps[0].values["loss"] > steps[9].values["loss"], "it learns the language"
    assert [step.values.get("stage") for step in steps[10:]] == [1, 0, 1, 0]
    for step in steps[10:]:
        role, other = ("designer", "executor")[:: 1 if step.values["stage"] == 0 else -1]
        assert step.values[f"mismatch_{role}"] < 1e-5
        assert f"entropy_{other}" not in step.values, "only the active role teaches"
    assert [saved.step for saved in of(events, CheckpointSaved)] == [5, 10, 14]
    assert all("held_out_accuracy" in saved.metrics for saved in of(events, CheckpointSaved))
    assert of(events, TrainingEnded)[-1].reason == "completed"


async def test_the_inactive_role_is_held_to_where_it_began_by_its_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rewards count a tenth, and so does its KL term."""
    real, weights_of = InProcessEngine.forward_backward, list[float]()

    def noted(
        self: InProcessEngine, policy: str, batch: Sequence[Weighted], options: LossOptions
    ) -> Any:
        weights_of.append(options.kl)
        return real(self, policy, batch, options)

    monkeypatch.setattr(InProcessEngine, "forward_backward", noted)
    rates = {"freeze": "rates", "inactive_rate": 0.1, "kl": 0.5, "steps": 1, "held_out": 0}
    await trained(training(tmp_path, config=rates))
    assert sorted(weights_of[-2:]) == pytest.approx([0.05, 0.5])


async def test_how_far_the_roles_have_gone_has_a_curve_without_a_weight(
    whole: tuple[Path, list[Event]],
) -> None:
    first, *_, last = (each.values for each in of(whole[1], TrainingMetric)[10:])
    for name in ("kl_designer", "kl_executor"):
        assert first[name] == pytest.approx(0, abs=1e-6)
    assert max(last["kl_designer"], last["kl_executor"]) > 0


async def test_every_metric_has_a_name(whole: tuple[Path, list[Event]]) -> None:
    told = {
        name.partition("/")[0] for event in of(whole[1], TrainingMetric) for name in event.values
    }
    assert told <= {metric.name for metric in METRICS}


async def test_a_sample_is_an_execution_as_a_run_tells_it(whole: tuple[Path, list[Event]]) -> None:
    sample = of(whole[1], TrainingSample)[0]
    trace = [EVENT_ADAPTER.validate_python(event) for event in sample.trace]
    [read] = of(trace, ScriptRead)
    assert read.shape == sample.details["shape"]
    called = of(trace, BlockCalled)
    assert len(sample.graph.nodes) == 1 + len(called)
    assert len(sample.advantages) == 1 + len(called)
    if read.drawing:
        assert {each.block for each in called} <= {block.id for block in read.drawing.blocks}


async def test_the_matrix_of_each_step_is_kept(whole: tuple[Path, list[Event]]) -> None:
    folder, events = whole
    assert designs.steps_kept(folder) == [11, 12, 13, 14]
    page = designs.questions_of(folder, 12, offset=0, limit=100)
    assert page.count == 6
    tried = [each for question in page.results for each in question["designs"]]
    assert len(tried) == 6 * 4
    for design in tried:
        assert len(design["executions"]) == (2 if design["shape"] else 0)
        assert bool(design["shape"]) is not bool(design["problems"])
        rewards = [each["reward"] for each in design["executions"]]
        assert design["reward"] == pytest.approx(sum(rewards) / len(rewards) if rewards else 0)
    values = of(events, TrainingMetric)[11].values
    assert sum(bool(each["shape"]) for each in tried) / 24 == pytest.approx(values["scripts_parse"])
    learns_executor = values["stage"] == 1
    for question in page.results:
        earned = [each["advantage"] for each in question["designs"]]
        cells = [each for design in question["designs"] for each in design["executions"]]
        told = [each["advantage"] for each in cells for _ in range(each["calls"])]
        learned, frozen = (told, earned) if learns_executor else (earned, told)
        assert sum(learned) == pytest.approx(0, abs=1e-4)
        assert set(frozen) <= {None}
        assert question["query"] == TASKS[question["task"]].query


async def test_an_execution_is_found_again(whole: tuple[Path, list[Event]]) -> None:
    folder, _ = whole
    page = designs.questions_of(folder, 12, offset=0, limit=100)
    place, cell = next(
        ((question["question"], design["design"]), cell)
        for question in page.results
        for design in question["designs"]
        for cell in design["executions"]
    )
    found = designs.execution_of(folder, 12, question=place[0], design=place[1], execution=1)
    assert found is not None
    row, execution = found
    assert execution is not None
    assert len(execution.calls) == cell["calls"]
    assert execution.tokens == cell["tokens"]
    assert row.script
    assert designs.execution_of(folder, 12, question=99, design=1, execution=1) is None


async def test_every_token_is_kept_and_a_group_is_one_prompt(
    whole: tuple[Path, list[Event]],
) -> None:
    folder, _ = whole
    assert steps_kept(folder) == [11, 12, 13, 14]
    page = groups_of(folder, 12, GroupFilter(), offset=0, limit=1_000)
    designers = [group for group in page.results if group["agent"] == "designer"]
    assert [len(group["rewards"]) for group in designers] == [4] * 6
    matrix = designs.questions_of(folder, 12, offset=0, limit=100)
    calls = sum(
        cell["calls"]
        for question in matrix.results
        for design in question["designs"]
        for cell in design["executions"]
    )
    executors = [group for group in page.results if group["agent"] == "executor"]
    assert sum(len(group["rewards"]) for group in executors) == calls
    for group in page.results:
        rows = group_of(
            folder, 12, episode=group["episode"], agent=group["agent"], turn=group["turn"]
        )
        assert len({row["prompt_hash"] for row in rows}) == 1
        assert all(len(row["tokens"]) == len(row["logprobs"]) for row in rows)


async def test_only_the_latest_steps_are_kept(tmp_path: Path) -> None:
    quickly = {"cold_steps": 0, "steps": 2, "held_out": 0, "branches_kept": 1}
    await trained(training(tmp_path, config=quickly))
    assert (designs.steps_kept(tmp_path), steps_kept(tmp_path)) == ([2], [2])


class Broken(Exception):
    pass


@pytest.mark.parametrize(
    ("method", "call"),
    [("forward_backward", 22), ("sample", 3), ("save", 13)],
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
    config = MetaAgentXTrainingConfig.model_validate(SMALL)
    with pytest.raises(Broken):
        await into(told, train(TASKS, training(tmp_path), config, Letters()))
    monkeypatch.setattr(InProcessEngine, method, real)
    told += await trained(training(tmp_path))
    assert same(weights(tmp_path), weights(whole[0]))
    values = {event.step: quick(event) for event in of(told, TrainingMetric)}
    assert values == {event.step: quick(event) for event in of(whole[1], TrainingMetric)}


@pytest.mark.parametrize(("call", "done"), [(3, 1), (22, 11)])
async def test_an_update_that_is_no_number_is_refused_and_changes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    whole: tuple[Path, list[Event]],
    call: int,
    done: int,
) -> None:
    """A supervised and a sampled one. What was learned before stays: without the fault the training
    goes on as if there had been none."""
    real, calls = InProcessEngine.forward_backward, 0

    def poisoned(self: InProcessEngine, policy: str, batch: Sequence[Weighted], *more: Any) -> Any:
        nonlocal calls
        calls += 1
        bad = [Weighted(each.sample, math.nan) for each in batch] if calls == call else batch
        return real(self, policy, bad, *more)

    monkeypatch.setattr(InProcessEngine, "forward_backward", poisoned)
    told: list[Event] = []
    config = MetaAgentXTrainingConfig.model_validate(SMALL)
    with pytest.raises(EngineError, match="loss of the policy “shared” is nan") as raised:
        await into(told, train(TASKS, training(tmp_path), config, Letters()))
    assert (raised.value.code, "lower learning rate" in raised.value.remedy) == ("not_finite", True)
    assert [event.step for event in of(told, TrainingMetric)] == list(range(1, done + 1))
    monkeypatch.setattr(InProcessEngine, "forward_backward", real)
    told += await trained(training(tmp_path))
    assert same(weights(tmp_path), weights(whole[0]))


async def test_a_model_whose_probabilities_are_no_numbers_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_letters(tmp_path / NAME)
    file = tmp_path / NAME / "model.safetensors"
    save_file(
        {name: tensor * math.nan for name, tensor in load_file(file).items()},
        file,
        metadata={"format": "pt"},
    )
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    with pytest.raises(EngineError, match="probability of a token is nan"):
        await trained(training(tmp_path / "job", config={"cold_steps": 0}))
    assert not (tmp_path / "job" / "state").exists()


async def into(told: list[Event], events: AsyncIterator[Event]) -> None:
    async for event in events:
        told.append(event)


def quick(event: TrainingMetric) -> dict[str, float]:
    return {name: value for name, value in event.values.items() if "seconds" not in name}


@pytest.mark.parametrize(
    ("config", "moves"),
    [
        ({"first": "executor"}, {"executor"}),
        ({"first": "designer"}, {"designer"}),
        ({"schedule": "joint"}, {"designer", "executor"}),
        ({"schedule": "designer"}, {"designer"}),
        ({"freeze": "rates", "inactive_rate": 0.1}, {"designer", "executor"}),
    ],
)
async def test_with_a_model_for_each_role_only_those_that_learn_move(
    tmp_path: Path, whole: tuple[Path, list[Event]], config: dict[str, Any], moves: set[str]
) -> None:
    start = whole[0] / "checkpoints" / "step-000010"
    alone = {"level": "models", "cold_steps": 0, "steps": 1, "held_out": 0}
    more = alone | {"questions_per_step": 12, "learning_rate": 0.01}
    await trained(training(tmp_path, start_from=start, config=more | config))
    before, after = weights(whole[0], "step-000010"), weights(tmp_path, "step-000001")
    moved = {
        role
        for role, name in (key.split(":") for key in after)
        if not torch.equal(before[f"shared:{name}"], after[f"{role}:{name}"])
    }
    assert moved == moves


@pytest.mark.parametrize(
    ("config", "learns"),
    [
        ({"first": "executor"}, {"executor"}),
        ({"first": "designer"}, {"designer"}),
        ({"schedule": "joint"}, {"designer", "executor"}),
        ({"freeze": "rates", "inactive_rate": 0.1}, {"designer", "executor"}),
    ],
)
async def test_a_frozen_role_has_no_advantages(
    tmp_path: Path, whole: tuple[Path, list[Event]], config: dict[str, Any], learns: set[str]
) -> None:
    start = whole[0] / "checkpoints" / "step-000010"
    one = {"cold_steps": 0, "steps": 1, "held_out": 0}
    events = await trained(training(tmp_path, start_from=start, config=one | config))
    kept: dict[str, set[bool]] = {"designer": set(), "executor": set()}
    page = designs.questions_of(tmp_path, 1, offset=0, limit=100)
    for design in (each for question in page.results for each in question["designs"]):
        kept["designer"].add(design["advantage"] is None)
        kept["executor"] |= {each["advantage"] is None for each in design["executions"]}
    for group in groups_of(tmp_path, 1, GroupFilter(), offset=0, limit=1_000).results:
        place = {name: group[name] for name in ("episode", "agent", "turn")}
        rows = group_of(tmp_path, 1, **place)
        kept[group["agent"]] |= {row["advantage"] is None for row in rows}
    for sample in of(events, TrainingSample):
        designer, *agents = sample.advantages
        kept["designer"].add(designer is None)
        kept["executor"] |= {each is None for each in agents}
    assert kept == {role: {role not in learns} for role in kept}
    [told] = of(events, TrainingMetric)
    assert told.values["flat_executor"] < 1, "what rewards are worth is measured all the same"


async def test_adapters_of_both_roles_are_trained_on_one_model(tmp_path: Path) -> None:
    config = {"level": "adapters", "rank": 8, "optimiser": "adamw", "cold_rate": 0.05}
    await trained(training(tmp_path, config=config | {"cold_steps": 2, "steps": 1, "held_out": 0}))
    saved = tmp_path / "checkpoints" / "step-000003"
    assert kept_in(saved).agents == ("designer", "executor")
    assert {name.split(":")[0] for name in weights(tmp_path, saved.name)} == {
        *("designer", "executor")
    }


class NothingUsable(Letters):
    def meaning(self, task: TaskSpec, script: str) -> Meaning:
        return super().meaning(task, "import os")


async def test_designs_that_all_fail_teach_nothing_and_lose_nothing(tmp_path: Path) -> None:
    config = {"cold_steps": 0, "steps": 2, "checkpoint_every": 1}
    events = await trained(training(tmp_path, config=config), world=NothingUsable())
    for step in of(events, TrainingMetric):
        assert (step.values["scripts_parse"], step.values["designer_reward"]) == (0, 0)
        assert step.values["answers"] == 0
    assert same(weights(tmp_path, "step-000001"), weights(tmp_path, "step-000002"))
    page = designs.questions_of(tmp_path, 2, offset=0, limit=9)
    assert page.results[0]["designs"][0]["problems"]


class Raises(Letters):
    async def correct(self, task: TaskSpec, answer: str | None) -> bool:
        raise MethodError(code="no_judge", message="It is away.", remedy="Start it.")


async def test_a_world_that_raises_loses_no_step(
    tmp_path: Path, whole: tuple[Path, list[Event]]
) -> None:
    context = training(
        tmp_path,
        start_from=whole[0] / "checkpoints" / "step-000010",
        config={"cold_steps": 0, "steps": 1, "held_out": 0},
    )
    with pytest.raises(MethodError, match="It is away"):
        await trained(context, world=Raises())
    events = await trained(context)
    assert [event.step for event in of(events, TrainingMetric)] == [1]


class Speechless(Letters):
    async def demonstrated(self, task: TaskSpec, generator: random.Random) -> Sequence[Shown]:
        return ()


class Unknown(Letters):
    def demonstrates(self, task: TaskSpec) -> bool:
        return False


@pytest.mark.parametrize(
    ("config", "world", "code"),
    [
        ({}, Speechless(), "no_demonstrations"),
        ({}, Unknown(), "no_right_runs"),
        ({"design_tokens": 1, "max_tokens": 1}, Letters(), "demonstrations_too_long"),
        ({"model": "nowhere"}, Letters(), "model_missing"),
        ({"held_out": 16}, Letters(), "no_tasks"),
        ({"engine": "vllm", "rank": 8, "optimiser": "adamw"}, Letters(), "vllm_not_set_up"),
    ],
)
async def test_what_cannot_be_is_told(
    tmp_path: Path, config: dict[str, Any], world: World, code: str
) -> None:
    with pytest.raises(MethodError) as raised:
        await trained(training(tmp_path, config=config), world=world)
    assert raised.value.code == code
    assert raised.value.remedy
    assert ("tools=program" in raised.value.remedy) is (
        code in {"no_demonstrations", "no_right_runs"}
    )


async def test_without_a_cold_start_nothing_needs_to_be_shown(tmp_path: Path) -> None:
    events = await trained(
        training(tmp_path, config={"cold_steps": 0, "steps": 1}), world=Unknown()
    )
    assert of(events, TrainingEnded)[-1].reason == "completed"


async def test_a_paused_training_ends_after_its_step(tmp_path: Path) -> None:
    events = await trained(training(tmp_path, stop=StopSwitch(wanted="paused")))
    assert [event.reason for event in of(events, TrainingEnded)] == ["paused"]
    assert not of(events, TrainingMetric)


async def test_a_training_can_start_from_another_ones_checkpoint(
    tmp_path: Path, whole: tuple[Path, list[Event]]
) -> None:
    start = whole[0] / "checkpoints" / "step-000014"
    config = {"cold_steps": 0, "steps": 1, "learning_rate": 1e-9, "level": "models", "held_out": 0}
    await trained(training(tmp_path, start_from=start, config=config))
    before = weights(whole[0])
    after = weights(tmp_path, "step-000001")
    for role in ("designer", "executor"):
        for name, tensor in before.items():
            own = after[f"{role}:{name.removeprefix('shared:')}"]
            assert torch.allclose(own, tensor, atol=1e-6), "both begin as the one model"


async def test_other_settings_are_another_training(
    tmp_path: Path, whole: tuple[Path, list[Event]]
) -> None:
    quickly = {"cold_steps": 0, "steps": 1, "held_out": 0}
    await trained(training(tmp_path, config=quickly))
    with pytest.raises(MethodError, match="different values of: designs"):
        await trained(training(tmp_path, config=quickly | {"designs": 2}))


async def test_a_step_goes_on_while_its_files_are_written_and_counts_once_they_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved, real = threading.Event(), InProcessEngine.save

    def writes(*args: Any, **kwargs: Any) -> None:
        assert saved.wait(20), "the step waits before it has done all else"
        assert not has_state(tmp_path), "the step counts before they are there"
        designs.write_designs(*args, **kwargs)

    def save(self: InProcessEngine, folder: Path) -> None:
        real(self, folder)
        saved.set()

    monkeypatch.setattr(loop, "write_designs", writes)
    monkeypatch.setattr(InProcessEngine, "save", save)
    await trained(training(tmp_path, config={"cold_steps": 0, "steps": 1}))
    assert (designs.steps_kept(tmp_path), steps_kept(tmp_path)) == ([1], [1])


async def test_a_full_disk_is_told_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quickly = {"cold_steps": 0, "steps": 2, "held_out": 0}

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(loop, "write_designs", full)
        with pytest.raises(MethodError, match="No space left") as raised:
            await trained(training(tmp_path, config=quickly))
        assert raised.value.code == "state_not_written"
    await trained(training(tmp_path, config=quickly))
    await trained(training(tmp_path / "whole", config=quickly))
    assert same(weights(tmp_path, "step-000002"), weights(tmp_path / "whole", "step-000002"))
