"""ReSo as a run: what it plans, whom it finds with what it knows, and what it refuses."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from workers.core import checkpoints
from workers.core.agents.database import AgentKey, Statistics
from workers.core.agents.kept import load_profiles, save_profiles
from workers.core.errors import MethodError
from workers.core.events import (
    CandidatesScored,
    Event,
    GraphPlanned,
    IntermediateAnswer,
    SubtasksPlanned,
)
from workers.core.llm.types import ChatRequest
from workers.core.mas.tests.support import Script, ScriptedClient, collect, context, endpoint
from workers.core.methods.reso.method import ReSo
from workers.core.methods.reso.tests.support import POOL, TASK, OneDirection, of, right
from workers.core.specs import PROMPT_MAX_CHARS, OwnProfile, TaskSpec
from workers.core.testing.checkpoints import trained_info

KNOWN = {
    AgentKey("poet", "stub"): Statistics(0.9, 0.001, 12),
    AgentKey("adder", "stub"): Statistics(0.2, 0.001, 12),
}
PLAIN = TaskSpec(query=TASK.query, reference="102", verifier="numeric")
PLAN = (
    '{"subtasks": [{"id": "s1", "text": "What do 14 loaves at 3 dollars bring?"},'
    ' {"id": "s2", "text": "What do both bring?", "depends_on": ["s1"]}]}'
)


async def solved(
    script: Script,
    *,
    task: TaskSpec = TASK,
    config: Mapping[str, Any] | None = None,
    events: list[Event] | None = None,
    **fields: Any,
) -> list[Event]:
    given = {"pool": POOL, "embedder": OneDirection(), "config": dict(config or {}), **fields}
    told: list[Event] = events if events is not None else []
    await collect(ReSo().solve(task, context(ScriptedClient(script), **given)), told)
    return told


async def test_the_data_set_s_own_graph_is_solved_and_answers_the_query() -> None:
    events = await solved(right)
    assert [event.planner for event in of(events, SubtasksPlanned)] == ["own"]
    assert of(events, IntermediateAnswer)[-1].answer == "102"


async def test_a_question_without_a_graph_is_planned_by_a_model() -> None:
    def plans(request: ChatRequest) -> str:
        return PLAN if request.response_schema else right(request)

    events = await solved(plans, task=PLAIN)
    (planned,) = of(events, SubtasksPlanned)
    assert (planned.planner, planned.usage.prompt_tokens) == ("llm", 10)
    assert planned.task_graph.subtasks[-1].reference == "102"
    assert of(events, IntermediateAnswer)[-1].answer == "102"


async def test_who_earned_most_is_asked(tmp_path: Path) -> None:
    save_profiles(tmp_path, KNOWN, trained_info("reso"))
    events = await solved(right, config={"k": 1}, checkpoint=tmp_path)
    chosen = {event.candidates[0].role_key for event in of(events, CandidatesScored)}
    assert chosen == {"poet"}
    assert {event.selections for event in of(events, CandidatesScored)} == {24}


async def test_agents_on_further_endpoints_are_found_and_asked(tmp_path: Path) -> None:
    large = endpoint("http://127.0.0.1:2/v1", key="large")
    known = {**KNOWN, AgentKey("adder", "large"): Statistics(0.95, 0.002, 3)}
    save_profiles(tmp_path, known, trained_info("reso"))
    events = await solved(
        right,
        config={"k": 1, "endpoints": ["large"]},
        endpoints={"large": large},
        checkpoint=tmp_path,
    )
    found = {(c.role_key, c.endpoint) for e in of(events, CandidatesScored) for c in e.candidates}
    assert found == {("adder", "large")}


async def test_an_agent_is_told_what_it_has_of_its_own() -> None:
    own = OwnProfile(role="adder", endpoint="large", prompt="Sum up.", memory="Carry the one.")
    heard: dict[str, str] = {}

    def listens(request: ChatRequest) -> str:
        system = request.messages[0].content
        heard[system.split("\n", 1)[0]] = system
        return right(request)

    events = await solved(
        listens,
        config={"k": 6, "endpoints": ["large"]},
        endpoints={"large": endpoint("http://127.0.0.1:2/v1", key="large")},
        profiles=(own, OwnProfile(role="gone", endpoint="large", prompt="Nobody.")),
    )
    assert "What you remember from earlier tasks:\nCarry the one." in heard["Sum up."]
    assert sorted(heard) == sorted({"Sum up.", *(role.prompt for role in POOL.roles)})
    nodes = [node for event in of(events, GraphPlanned) for node in event.graph.nodes]
    told = {(node.role.key, node.endpoint) for node in nodes if "Sum up." in node.role.prompt}
    assert told == {("adder", "large")}


def test_a_memory_gives_way_to_a_prompt_that_grew() -> None:
    own = OwnProfile(role="adder", endpoint="e", memory="m" * 100)
    adder = POOL.roles[0]
    assert own.played(adder).prompt.endswith("m" * 100)
    grown = adder.model_copy(update={"prompt": "p" * (PROMPT_MAX_CHARS - 60)})
    assert len(own.played(grown).prompt) == PROMPT_MAX_CHARS
    full = adder.model_copy(update={"prompt": "p" * PROMPT_MAX_CHARS})
    assert own.played(full).prompt == full.prompt


def test_profiles_come_back_as_they_were(tmp_path: Path) -> None:
    save_profiles(tmp_path, KNOWN, trained_info("reso"))
    info, found = load_profiles(tmp_path, method="reso")
    assert found == KNOWN
    assert info.trained


@pytest.mark.parametrize(
    ("name", "strange"),
    [
        ("reward", np.zeros((1, 1))),
        ("reward", np.array([math.nan])),
        ("count", np.array([math.inf])),
        ("count", np.array([2**62])),
        ("cost", np.array([1e300])),
        ("reward", np.zeros(2)),
    ],
)
def test_arrays_of_another_shape_or_size_are_refused(
    tmp_path: Path, name: str, strange: NDArray[np.generic]
) -> None:
    arrays: dict[str, NDArray[np.generic]] = {
        **{"reward": np.zeros(1), "cost": np.zeros(1), "count": np.array([1])},
        name: strange,
    }
    info = trained_info("reso", config={"agents": [["poet", "stub"]]})
    checkpoints.save_arrays(tmp_path, arrays, info)
    with pytest.raises(checkpoints.CheckpointError) as caught:
        load_profiles(tmp_path, method="reso")
    assert caught.value.code == "corrupt"


async def test_a_checkpoint_that_holds_no_agents_is_refused(tmp_path: Path) -> None:
    checkpoints.save(tmp_path, {"reward": torch.zeros(2)}, trained_info("reso"))
    with pytest.raises(MethodError, match="not an agent database"):
        await solved(right, checkpoint=tmp_path)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"embedder": None}, "no_embedder"),
        ({"config": {"endpoints": ["gone"]}}, "unknown_endpoint"),
        ({"config": {"planner": "llm", "planner_endpoint": "gone"}}, "unknown_endpoint"),
        ({"config": {"k": 0}}, "invalid_config"),
    ],
)
async def test_what_cannot_be_run_is_told_before_anybody_is_asked(
    fields: dict[str, Any], code: str
) -> None:
    config = fields.pop("config", {})
    client = ScriptedClient(right)
    with pytest.raises(MethodError) as caught:
        await solved(client.script, config=config, **fields)
    assert caught.value.code == code
    assert caught.value.remedy
    assert client.requests == []
