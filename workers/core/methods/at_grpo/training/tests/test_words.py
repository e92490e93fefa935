"""Trainings on mathematics and code: a tiny model, which writes nonsense, goes through them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from workers.core.benchmarks.gsm8k import GSM8K
from workers.core.benchmarks.mbpp import MBPP
from workers.core.errors import MethodError
from workers.core.events import (
    EVENT_ADAPTER,
    CheckpointSaved,
    EpisodeStarted,
    Event,
    TrainingMetric,
    TrainingSample,
)
from workers.core.mas.tests.support import ScriptedClient, endpoint
from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.methods.at_grpo.training.config import PRESETS
from workers.core.methods.at_grpo.training.metric_names import METRICS
from workers.core.rollouts import memory
from workers.core.rollouts.branches import group_of
from workers.core.rollouts.kept import kept_in
from workers.core.rollouts.memory import Load
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext

MATH = [
    GSM8K.task({"question": f"What is {n} + {n}?", "answer": f"<<{n}+{n}={2 * n}>>\n#### {2 * n}"})
    for n in (3, 4)
]
CODE = [
    MBPP.task(
        {
            "text": f"Multiply by {n}.",
            "test_list": [f"assert times(2) == {2 * n}", f"assert times(3) == {3 * n}"],
            "code": f"def times(x):\n    return {n} * x",
        }
    )
    for n in (3, 4)
]
SMALL: dict[str, Any] = {
    "model": "tiny",
    "rank": 4,
    "cold_steps": 1,
    "cold_episodes": 2,
    "steps": 1,
    "episodes_per_step": 2,
    "branches": 2,
    "max_tokens": 48,
}

pytestmark = pytest.mark.usefixtures("models", "sandbox")


async def trained(folder: Path, tasks: Sequence[TaskSpec], config: dict[str, Any]) -> list[Event]:
    context = TrainingContext(
        llm=ScriptedClient(lambda _: ""), endpoint=endpoint(), seed=1, folder=folder, config=config
    )
    return [event async for event in AtGrpo().train(tasks, context)]


@pytest.mark.parametrize(
    ("key", "tasks", "agents"),
    [("math", MATH, ("reasoner", "tool_user")), ("code", CODE, ("coder", "tester"))],
)
async def test_a_team_is_trained(
    tmp_path: Path, key: str, tasks: list[TaskSpec], agents: tuple[str, ...]
) -> None:
    config = PRESETS[key] | SMALL | {"level": "adapters"}
    events = await trained(tmp_path, tasks, config)
    steps = [event.values for event in events if isinstance(event, TrainingMetric)]
    assert "loss" in steps[0]
    assert {f"reward_{agent}" for agent in agents} <= steps[1].keys()
    titled = {metric.name for metric in METRICS}
    assert {name for name in steps[1] if name.startswith("part_")} <= titled
    (saved,) = [each for each in events if isinstance(each, CheckpointSaved) and each.step == 2]
    kept = kept_in(tmp_path / "checkpoints" / saved.name)
    assert (kept.environment, kept.agents) == (key, agents)
    (sample, *_) = [event for event in events if isinstance(event, TrainingSample)]
    assert not sample.correct
    started = EVENT_ADAPTER.validate_python(sample.trace[0])
    assert isinstance(started, EpisodeStarted)
    assert started.picture["kind"] == key
    rows = group_of(tmp_path, 2, episode=0, agent=agents[1], turn=1)
    assert len(rows) == 2
    for row in rows:
        assert not any("times(3)" in each["content"] for each in row["messages"])


def refused(monkeypatch: pytest.MonkeyPatch) -> list[Load]:
    """What each training needs. All are refused: they need not run."""
    told: list[Load] = []

    def no_room(model: object, load: Load, longest: int) -> None:
        told.append(load)
        raise MethodError(code="no_memory", message="There is no room.", remedy="None.")

    monkeypatch.setattr(memory, "require_room", no_room)
    return told


async def test_the_memory_is_that_of_the_longest_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it stands among the tasks."""
    told = refused(monkeypatch)
    long = MATH[0].model_copy(update={"query": "How much is that in all? " * 40})
    config = PRESETS["math"] | SMALL | {"cold_steps": 0}
    for tasks in (MATH * 20, [long, *MATH * 20], [*MATH * 20, long]):
        with pytest.raises(MethodError, match="no room"):
            await trained(tmp_path / str(len(told)), tasks, config)
    assert told[0].prompt < told[1].prompt == told[2].prompt


@pytest.mark.parametrize(
    ("key", "tasks", "most"),
    # Both messages and what the program printed; program, tests, and why they fail.
    [("math", MATH, (1, 3)), ("code", CODE, (2, 3))],
)
async def test_the_memory_is_that_of_the_last_turn_s_prompts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    tasks: list[TaskSpec],
    most: tuple[int, int],
) -> None:
    """Above that of agents who hear of nothing."""
    told = refused(monkeypatch)
    settings: list[dict[str, Any]] = [
        {"turns": 1, "order": "parallel"},
        {"turns": 1},
        {"turns": 2},
        {"turns": 4},
    ]
    for at, own in enumerate(settings):
        config = PRESETS[key] | SMALL | {"cold_steps": 0, "max_tokens": 100} | own
        with pytest.raises(MethodError, match="no room"):
            await trained(tmp_path / str(at), tasks, config)
    none, first, second, fourth = (load.prompt for load in told)
    assert 100 * most[0] <= first - none <= 116 * most[0]
    assert 100 * most[1] <= second - none <= 116 * most[1]
    assert fourth == second, "no prompt grows further"


@pytest.mark.parametrize(
    ("tasks", "config", "code", "remedy"),
    [
        (MATH, {"model": "nano", "rank": 0}, "model_reads_no_words", "Qwen"),
        ([*MATH, CODE[0]], {}, "several_environments", "one kind"),
        ([TaskSpec(query="1 + 1?")], {}, "not_rewarded", "Leave the task out"),
        (MATH, {"cold_weak": 1.0}, "no_demonstrations", "cold_weak to 0"),
        (CODE, {"plays": "reasoner"}, "no_such_agent", "both, coder"),
        (MATH, {"max_tokens": 6}, "demonstrations_too_long", "Raise max_tokens"),
        (MATH, {"cold_from": "runs"}, "no_right_runs", "Evaluate AT-GRPO on this split"),
        (MATH, {"cold_from": "runs"}, "no_right_runs", "several agents answer each other"),
    ],
)
async def test_what_cannot_be_is_told(
    tmp_path: Path, tasks: list[TaskSpec], config: dict[str, Any], code: str, remedy: str
) -> None:
    with pytest.raises(MethodError) as raised:
        await trained(tmp_path, tasks, PRESETS["math"] | SMALL | config)
    assert raised.value.code == code
    assert remedy in raised.value.remedy
