"""A whole training: what is learned, told, kept and gone on with; what stops it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workers.core.agents.database import AgentKey
from workers.core.agents.kept import load_profiles
from workers.core.benchmarks.compositional import TASK_GRAPH
from workers.core.errors import MethodError
from workers.core.events import (
    AgentReward,
    AgentsRewarded,
    CandidatesScored,
    CheckpointSaved,
    Event,
    TrainingEnded,
    TrainingMetric,
    TrainingSample,
)
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded, ChatRequest, LLMError
from workers.core.mas.tests.support import Script, ScriptedClient, collect, down, endpoint
from workers.core.methods.reso.method import ReSo
from workers.core.methods.reso.tests.support import (
    GRAPH,
    POOL,
    TASK,
    OneDirection,
    by_role,
    numbered,
    of,
    right,
    wrong,
)
from workers.core.specs import TaskGraphSpec, TaskSpec
from workers.core.training.context import StopSwitch, TrainingContext

TASKS = tuple(numbered(TASK, number) for number in range(6))
SMALL: dict[str, Any] = {
    "steps": 6,
    "queries_per_step": 2,
    "k": 1,
    "exploration": "log",
    "checkpoint_every": 3,
    "samples_per_step": 1,
}
ADDER_IS_RIGHT = by_role(right, wrong)


def training(folder: Path, script: Script = ADDER_IS_RIGHT, **changes: Any) -> TrainingContext:
    config = {**SMALL, **changes.pop("config", {})}
    given = {"pool": POOL, "embedder": OneDirection(), **changes}
    return TrainingContext(
        llm=ScriptedClient(script),
        endpoint=endpoint(prompt_price=100.0, completion_price=0.0),
        seed=3,
        folder=folder,
        config=config,
        **given,
    )


async def learned(
    given: TrainingContext, tasks: Sequence[TaskSpec] = TASKS, into: list[Event] | None = None
) -> list[Event]:
    told: list[Event] = into if into is not None else []
    await collect(ReSo().train(tasks, given), told)
    return told


def values(events: Sequence[Event]) -> list[dict[str, float]]:
    """But what depends on the clock, and on which answers this process has kept."""
    timed = {"seconds", "endpoint_utilisation", "cache_hits", "tokens_total", "cost_total"}
    return [
        {name: value for name, value in event.values.items() if name not in timed}
        for event in of(events, TrainingMetric)
    ]


def rewards_of(events: Sequence[Event]) -> list[AgentReward]:
    return [reward for event in of(events, AgentsRewarded) for reward in event.rewards]


async def test_who_answers_right_is_chosen_more_and_more(tmp_path: Path) -> None:
    events = await learned(training(tmp_path, config={"steps": 20}))
    steps = values(events)
    assert [event.step for event in of(events, TrainingMetric)] == [*range(1, 21)]
    assert steps[0]["accuracy"] == 0.0 or steps[0]["agents_known"] == 1
    assert sum(step["accuracy"] for step in steps[-5:]) > sum(s["accuracy"] for s in steps[:5])
    _, profiles = load_profiles(tmp_path / "checkpoints" / "step-000020", method="reso")
    adder = profiles[AgentKey("adder", "stub")]
    assert adder.reward == 1.0
    assert adder.count > max(profiles[AgentKey(role, "stub")].count for role in ("poet", "lawyer"))


async def test_a_query_is_solved_where_every_subtask_is_right_too(tmp_path: Path) -> None:
    """With one lucky number at its end it is right, and not solved."""

    def lucky(request: ChatRequest) -> str:
        return right(request) if "both bring" in request.messages[-1].content else wrong(request)

    def judges(request: ChatRequest) -> str:
        return '{"score": 1, "reason": "x"}' if request.response_schema else lucky(request)

    given = training(tmp_path / "lucky", judges, config={"reward": "judge"})
    steps = values(await learned(given))
    assert {(step["accuracy"], step["solved"]) for step in steps} == {(1.0, 0.0)}
    steps = values(await learned(training(tmp_path / "right", right)))
    assert {(step["accuracy"], step["solved"]) for step in steps} == {(1.0, 1.0)}
    assert all(step["solved/low"] < 1.0 for step in steps)


async def test_the_rewards_told_are_those_learned(tmp_path: Path) -> None:
    events = await learned(training(tmp_path))
    told = rewards_of(events)
    _, profiles = load_profiles(tmp_path / "checkpoints" / "step-000006", method="reso")
    for role in POOL.roles:
        mine = [reward for reward in told if reward.role_key == role.key]
        known = profiles[AgentKey(role.key, "stub")]
        assert known.count == len(mine)
        if mine:
            assert known.reward == pytest.approx(sum(r.reward for r in mine) / len(mine), abs=1e-6)
            assert known.cost == pytest.approx(0.001)


async def test_a_training_that_was_cut_off_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole = await learned(training(tmp_path / "whole"))
    parts: list[Event] = []
    stop = StopSwitch()
    cut = training(tmp_path / "cut", stop=stop)
    async for event in ReSo().train(TASKS, cut):
        parts.append(event)
        if isinstance(event, TrainingMetric) and event.step == 2:
            break  # killed: nothing after the metric was stored
    again = await learned(training(tmp_path / "cut"))
    assert isinstance(again[0], TrainingMetric)
    assert again[0].step == 2  # told again: nobody may have stored it
    assert values(parts) == values(whole)[:2]
    assert values(again) == values(whole)[1:]
    rewards = [event.rewards for event in of(again, AgentsRewarded)]
    assert rewards == [event.rewards for event in of(whole, AgentsRewarded)][1:]


async def test_a_pause_comes_after_the_step(tmp_path: Path) -> None:
    stop = StopSwitch(wanted="paused")
    (ended,) = await learned(training(tmp_path, stop=stop))
    assert ended == TrainingEnded(at=ended.at, step=0, reason="paused")


async def test_what_is_held_out_is_answered_as_runs_do_and_never_learned_from(
    tmp_path: Path,
) -> None:
    events = await learned(training(tmp_path, config={"held_out": 2, "held_out_k": 1}))
    saved = of(events, CheckpointSaved)
    assert [event.step for event in saved] == [3, 6]
    assert saved[-1].metrics["held_out_accuracy"] == 1.0
    assert saved[-1].metrics["held_out_accuracy/low"] == pytest.approx(0.342, abs=1e-3)
    assert saved[-1].metrics["held_out_accuracy/high"] == 1.0
    assert saved[-1].metrics["accuracy/low"] < saved[-1].metrics["accuracy"]
    info, _ = load_profiles(tmp_path / "checkpoints" / "step-000006", method="reso")
    assert (len(info.trained_on), len(info.held_out)) == (6, 2)
    assert info.run["k"] == 1
    assert info.run["exploration_weight"] == 0.0


async def test_a_later_training_begins_with_what_is_known(tmp_path: Path) -> None:
    await learned(training(tmp_path / "first"))
    begun = tmp_path / "first" / "checkpoints" / "step-000006"
    later = training(tmp_path / "second", start_from=begun, config={"steps": 1})
    (first,) = values(await learned(later))
    _, before = load_profiles(begun, method="reso")
    assert first["selections"] > sum(each.count for each in before.values())


async def test_a_sample_shows_who_was_found_and_why(tmp_path: Path) -> None:
    events = await learned(training(tmp_path, config={"steps": 1}))
    (sample,) = of(events, TrainingSample)
    assert {"subtasks_planned", "candidates_scored", "subtask_answered"} <= {
        event["event"] for event in sample.trace
    }
    scored = next(event for event in sample.trace if event["event"] == "candidates_scored")
    assert CandidatesScored.model_validate(scored).candidates


class TestBadInput:
    @pytest.mark.parametrize("part", ["", "14 loaves"])
    async def test_an_endpoint_that_died_teaches_nothing(self, tmp_path: Path, part: str) -> None:
        """Nor one that dies in every query, though most agents spoke: of the rest of each query
        nothing is known."""

        def dies(request: ChatRequest) -> Any:
            return down() if part in request.messages[-1].content else right(request)

        with pytest.raises(MethodError, match=r"The server is down\.") as caught:
            await learned(training(tmp_path, dies))
        assert caught.value.code == "endpoint_failing"
        assert not (tmp_path / "state").exists()

    async def test_an_agent_whose_endpoint_died_loses_nothing(self, tmp_path: Path) -> None:
        dead = endpoint("http://127.0.0.1:2/v1", key="dead")

        class OneIsDead(ScriptedClient):
            async def chat(self, endpoint: Any, request: ChatRequest, on_delta: Any = None) -> Any:
                if endpoint.key == "dead":
                    raise down()
                return await super().chat(endpoint, request, on_delta)

        given = training(tmp_path, config={"k": 6, "endpoints": ["dead"]})
        given = replace(given, llm=OneIsDead(ADDER_IS_RIGHT), endpoints={"dead": dead})
        steps = values(await learned(given))
        assert any(step["endpoint_failures"] for step in steps)
        assert all(0 <= step["endpoint_failures"] <= 0.5 for step in steps)
        _, profiles = load_profiles(tmp_path / "checkpoints" / "step-000006", method="reso")
        assert {key.endpoint for key, known in profiles.items() if known.count} == {"stub"}

    async def test_a_query_that_an_endpoint_stopped_counts_neither_right_nor_wrong(
        self, tmp_path: Path
    ) -> None:
        def dies_today(request: ChatRequest) -> Any:
            return down() if "today" in request.messages[-1].content else right(request)

        loaves, *rest = GRAPH.subtasks
        today = loaves.model_copy(update={"text": f"{loaves.text} Say what it is today."})
        graph = TaskGraphSpec(subtasks=(today, *rest)).model_dump(mode="json")
        other = TASK.model_copy(update={"metadata": {TASK_GRAPH: graph}})
        events = await learned(training(tmp_path, dies_today), [TASK, other])
        assert {step["accuracy"] for step in values(events)} == {1.0}
        assert all(step["endpoint_failures"] > 0 for step in values(events))
        rewards = [reward.reward for reward in rewards_of(events)]
        assert set(rewards) == {1.0}

    async def test_a_planner_that_never_plans_stops_it_and_says_why(self, tmp_path: Path) -> None:
        told: list[Event] = []
        planner = {"planner": "llm", "steps": 20}
        given = training(tmp_path, lambda _: "First I add.", config=planner)
        with pytest.raises(MethodError, match="not a JSON object") as caught:
            await learned(given, into=told)
        assert caught.value.code == "nothing_learned"
        assert "16 queries" in caught.value.message
        assert {step["planned"] for step in values(told)} == {0.0}
        traces = [event["event"] for e in of(told, TrainingSample) for event in e.trace]
        assert "plan_rejected" in traces

    async def test_a_planner_whose_endpoint_died_stops_it(self, tmp_path: Path) -> None:
        given = training(tmp_path, lambda _: down(), config={"planner": "llm"})
        with pytest.raises(LLMError, match=r"The server is down\."):
            await learned(given)

    async def test_a_judge_that_never_judges_poisons_nothing_stops_it_and_says_why(
        self, tmp_path: Path
    ) -> None:
        def judges(request: ChatRequest) -> str:
            return '{"score": NaN}' if request.response_schema is not None else right(request)

        told: list[Event] = []
        given = training(tmp_path, judges, config={"reward": "judge", "steps": 20})
        with pytest.raises(MethodError, match="16 queries") as caught:
            await learned(given, into=told)
        assert caught.value.code == "nothing_learned"
        assert "0 of this step's" in caught.value.message
        assert rewards_of(told) == []
        assert {step["judged"] for step in values(told)} == {0.0}

    async def test_a_judge_teaches(self, tmp_path: Path) -> None:
        def judges(request: ChatRequest) -> str:
            if request.response_schema is None:
                return ADDER_IS_RIGHT(request)  # type: ignore[return-value]  # a text here
            told = json.loads(request.messages[-1].content)
            return json.dumps({"score": float(told["answer"] != "7"), "reason": "looked"})

        events = await learned(training(tmp_path, judges, config={"reward": "judge", "k": 3}))
        assert {step["best_reward"] for step in values(events)} == {1.0}

    async def test_nobody_above_the_threshold_is_told_and_tried_all_the_same(
        self, tmp_path: Path
    ) -> None:
        """The gate is closed for all: what is left is exploration."""

        class Strangers(OneDirection):
            async def embed(self, texts: list[str]) -> Any:
                rows = await super().embed(texts)
                return rows * (-1 if "dollars" in texts[0] or "both" in texts[0] else 1)

        events = await learned(training(tmp_path, embedder=Strangers()))
        assert {step["suited"] for step in values(events)} == {0.0}
        assert values(events)[-1]["agents_known"] == 3

    async def test_a_spent_budget_leaves_a_checkpoint_of_what_it_bought(
        self, tmp_path: Path
    ) -> None:
        left = [4]

        def until_spent(request: ChatRequest) -> Any:
            left[0] -= 1
            if left[0] < 0:
                return BudgetExceeded(limit=JOB, message="All spent.")
            return ADDER_IS_RIGHT(request)

        told: list[Event] = []
        with pytest.raises(BudgetExceeded):
            await learned(
                training(tmp_path, until_spent, config={"checkpoint_every": 100}), into=told
            )
        assert isinstance(told[-1], CheckpointSaved)
        load_profiles(tmp_path / "checkpoints" / told[-1].name, method="reso")

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({"pool": None}, "empty_pool"),
            ({"embedder": None}, "no_embedder"),
            ({"config": {"endpoints": ["gone"]}}, "unknown_endpoint"),
            ({"config": {"planner": "llm", "planner_endpoint": "gone"}}, "unknown_endpoint"),
            ({"config": {"reward": "judge", "judge_endpoint": "gone"}}, "unknown_endpoint"),
            ({"config": {"judge_endpoint": "gone"}}, "invalid_config"),
            ({"config": {"reward": "model"}}, "invalid_config"),
            ({"config": {"reward_model": "m"}}, "invalid_config"),
            ({"config": {"reward_form": "step_tag"}}, "invalid_config"),
            ({"config": {"reward": "model", "reward_model": "gone"}}, "model_missing"),
            ({"config": {"learns": "planner"}}, "no_model"),
            ({"config": {"learns": "reward_model", "model": "gone"}}, "model_missing"),
            ({"config": {"held_out": 6}}, "no_tasks"),
        ],
    )
    async def test_what_cannot_begin_is_told(
        self, tmp_path: Path, change: dict[str, Any], code: str
    ) -> None:
        with pytest.raises(MethodError) as caught:
            await learned(training(tmp_path, **change))
        assert caught.value.code == code

    async def test_without_tasks_nothing_begins(self, tmp_path: Path) -> None:
        with pytest.raises(MethodError, match="no tasks"):
            await learned(training(tmp_path), ())

    async def test_another_training_s_state_is_not_gone_on_with(self, tmp_path: Path) -> None:
        await learned(training(tmp_path, config={"steps": 1}))
        with pytest.raises(MethodError, match="steps") as caught:
            await learned(training(tmp_path, config={"steps": 2}))
        assert caught.value.code == "other_training"
        with pytest.raises(MethodError, match="the tasks"):
            await learned(training(tmp_path, config={"steps": 1}), TASKS[:3])
