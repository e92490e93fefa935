"""Tasks that a training holds out: tried, never learned from, and unseen also where it goes on from
another training's checkpoint."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from workers.core.benchmarks.compositional import compose, problems_of
from workers.core.benchmarks.sameness import query_hash
from workers.core.checkpoints import load, read_info, save
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.errors import MethodError
from workers.core.events import TrainingSample
from workers.core.methods.mashost.method import MasHost
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.preparing import prepare
from workers.core.methods.mashost.training.tests.conftest import Whole
from workers.core.methods.mashost.training.tests.over_http import SEED, TASKS, Trainer, metrics
from workers.core.specs import TaskSpec
from workers.core.testing.checkpoints import trained_info
from workers.core.training.resumable import STATE_FOLDER
from workers.core.training.tasks import (
    indices_of,
    known_hashes,
    learned_from,
    split_tasks,
    trained_on,
)

OTHER_SEED = 9
HELD_OUT, HELD_OUT_OTHERWISE = (
    split_tasks(len(TASKS), 2, seed=seed)[1] for seed in (SEED, OTHER_SEED)
)
CONFIG = {"steps": 2, "held_out": 2, "samples_per_step": 6}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLMEmbedder) -> Path:
    """The checkpoint of a training that held out two tasks."""
    return Whole.of(tmp_path_factory.mktemp("first"), embedder, **CONFIG).checkpoint(2)


async def test_tasks_held_out_are_tried_at_checkpoints_and_never_sampled(train: Trainer) -> None:
    config = {"held_out": 2, "samples_per_step": 6, "steps": 4}
    events = await train(config=config)
    told = {step: values.get("held_out_accuracy") for step, values in metrics(events).items()}
    assert (told[1], told[3]) == (None, None)
    assert told[2] is not None
    values = metrics(events)[4]
    assert 0 <= values["held_out_accuracy"] <= 1
    assert -1 <= values["held_out_reward"] <= 1
    assert values["held_out_tokens"] > 0
    sampled = {event.query for event in events if isinstance(event, TrainingSample)}
    assert sampled == {task.query for i, task in enumerate(TASKS) if i not in HELD_OUT}


def test_a_checkpoint_knows_what_the_one_it_began_with_was_trained_on(tmp_path: Path) -> None:
    save(tmp_path, {}, trained_info("mashost", trained_on=(query_hash("of long ago"),)))
    tasks = [TaskSpec(query="of today")]
    assert set(trained_on(tasks, None)) == {query_hash("of today")}
    assert set(trained_on(tasks, tmp_path)) == {query_hash("of today"), query_hash("of long ago")}


def test_a_checkpoint_knows_the_problems_that_its_tasks_are_composed_of(tmp_path: Path) -> None:
    base = [
        TaskSpec(query=f"{who} has {n} eggs?", reference=str(n), verifier="numeric")
        for n, who in enumerate(("Ann", "Bo", "Cy", "Di"), start=2)
    ]
    tasks = list(compose(problems_of(base), count=2, nodes=3, seed=0))
    known, held_out = known_hashes(tasks, [0], None)
    assert {query_hash(task.query) for task in [*tasks, *base]} == set(known)
    assert {query_hash(tasks[1].query)} <= set(held_out) < set(known)
    save(tmp_path, {}, trained_info("mashost", trained_on=known, held_out=held_out))
    learned = learned_from(tmp_path)
    assert len(indices_of(base, learned)) == 3
    assert indices_of(tasks, learned) == {0}  # problems in common make no task a known one


async def test_what_is_held_out_was_not_learned_from_before_either(
    train: Trainer, first: Path
) -> None:
    """The same tasks and another seed: only those that the first training held out are left."""
    assert HELD_OUT != HELD_OUT_OTHERWISE
    unseen = {TASKS[index].query for index in HELD_OUT}
    assert set(read_info(first).held_out) == {query_hash(query) for query in unseen}
    async with train.context(config=CONFIG, start_from=first) as context:
        other = replace(context, seed=OTHER_SEED)
        events = [event async for event in MasHost().train(TASKS, other)]
    sampled = {event.query for event in events if isinstance(event, TrainingSample)}
    assert sampled == {task.query for task in TASKS} - unseen
    info = read_info(train.checkpoint("job", 2))
    assert info.held_out == read_info(first).held_out
    assert info.trained_on == read_info(first).trained_on


async def test_a_training_that_began_before_that_was_looked_at_keeps_its_tasks(
    train: Trainer, first: Path
) -> None:
    async with train.context(config=CONFIG, start_from=first) as context:
        other = replace(context, seed=OTHER_SEED)
        settings = MasHostTrainingConfig.model_validate(other.config)
        async for _ in MasHost().train(TASKS, other):
            pass
        assert (await prepare(TASKS, other, settings)).rollouts.held_out == HELD_OUT
        stored = context.folder / STATE_FOLDER / "checkpoint.json"
        told = json.loads(stored.read_text())
        del told["recipe"]["unseen"]
        stored.write_text(json.dumps(told))
        parts = await prepare(TASKS, other, settings)
    assert parts.rollouts.held_out == HELD_OUT_OTHERWISE
    assert not parts.unseen
    assert set(parts.held_out) < {query_hash(TASKS[index].query) for index in HELD_OUT}


async def test_where_nobody_knows_what_was_learned_nothing_is_said_to_be_unseen(
    train: Trainer, first: Path
) -> None:
    info, tensors = load(first, method="mashost")
    brought = train.folder / "brought"
    save(brought, tensors, info.model_copy(update={"trained_on": (), "held_out": ()}))
    await train(config=CONFIG, start_from=brought)
    made = read_info(train.checkpoint("job", 2))
    assert made.trained_on
    assert made.held_out == ()


async def test_a_training_that_can_hold_out_nothing_unseen_does_not_begin(
    train: Trainer, first: Path
) -> None:
    config = CONFIG | {"held_out": 3}
    with pytest.raises(MethodError, match="all but 2 of the 5") as caught:
        await train(config=config, start_from=first)
    assert caught.value.code == "too_few_unseen"
    assert "held_out to 2 or less" in caught.value.remedy


def test_every_task_is_trained_on_or_held_out_and_none_that_was_learned_from_is_held_out() -> None:
    for seen in ((), range(6)):
        training, held_out = split_tasks(10, 3, seed=1, seen=seen)
        assert sorted(training + held_out) == list(range(10))
        assert len(held_out) == 3
        assert not set(held_out) & set(seen)
    assert split_tasks(10, 3, seed=1) == split_tasks(10, 3, seed=1)
    assert split_tasks(10, 3, seed=2) != split_tasks(10, 3, seed=1)
    assert split_tasks(10, 0, seed=1) == (tuple(range(10)), ())
