"""What a design holds, what it refuses, and what runs of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from workers.core.designs.spec import (
    MAX_AGENTS,
    DesignAgent,
    DesignSpec,
    DraftRole,
    NewerFormat,
    design_of,
    graph_of,
    read_design,
    setup_of,
)
from workers.core.designs.tests.support import design, drawn
from workers.core.methods.registry import METHODS
from workers.core.specs import AgentNode, Edge, GraphSpec, RoleSpec

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.json"))
ANSWERS = {
    "format-1": ("a2", (), 0.0),
    "format-2": (None, ("a2", "a1"), 0.7),
    "format-3": (None, ("a2", "a1"), 0.7),
}


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_every_format_that_was_ever_written_is_read(file: Path) -> None:
    stored = json.loads(file.read_text())
    read = read_design(stored)
    assert read.format == DesignSpec().format
    assert [agent.role.name for agent in read.agents] == ["Solver", "Checker"]
    assert (read.agents[0].y, read.agents[1].x) == (40.5, None)
    assert (read.answer_from, read.vote, read.agents[0].temperature) == ANSWERS[file.stem]
    assert read_design(read.model_dump(mode="json")) == read


def test_the_newest_format_has_its_golden_file_and_is_written_as_it_is_read() -> None:
    newest = GOLDEN[-1]
    assert newest.stem == f"format-{DesignSpec().format}"
    stored = json.loads(newest.read_text())
    assert read_design(stored).model_dump(mode="json") == stored


@pytest.mark.parametrize(
    ("spec", "order"),
    [
        (design("dcba", "ab ac bd cd"), "acbd"),
        (design("dcba", "ab ac bd cd", answer_from="c"), "abdc"),
        (design("ba", "ab ba"), "ba"),
    ],
)
def test_agents_of_format_1_stand_in_the_order_in_which_they_were_read(
    spec: DesignSpec, order: str
) -> None:
    stored = {**spec.model_dump(mode="json"), "format": 1}
    assert "".join(agent.id for agent in read_design(stored).agents) == order
    unchanged = read_design(spec.model_dump(mode="json"))
    assert unchanged == spec


def test_a_newer_format_is_told() -> None:
    with pytest.raises(
        NewerFormat, match=r"format 4, but this studio reads formats up to 3\. Update"
    ):
        read_design({"format": 4, "anything": "else"})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"agents": [{"id": "a", "role": {"key": "a"}}] * 2}, "unique in a design: a"),
        ({"edges": [{"source": "a", "target": "b"}]}, "has no agent a, b"),
        ({"answer_from": "x"}, "has no agent x"),
        ({"agents": [{"id": "a b", "role": {"key": "a"}}]}, "match pattern"),
        ({"agents": [{"id": "a", "role": {"key": "a"}, "x": 1e7}]}, "less than or equal"),
        ({"agents": [{"id": "a", "role": {"key": "a"}, "code": "x"}]}, "Extra inputs"),
        ({"agents": [{"id": "a", "role": {"key": "a", "prompt": "x" * 20_001}}]}, "at most 20000"),
        ({"format": "3"}, "Input should be 3"),
        ({"vote": ["x"]}, "has no agent x"),
        (
            {"agents": [{"id": "a", "role": {"key": "a"}}], "vote": ["a"], "summary": True},
            "with a vote, choose no",
        ),
        (
            {"agents": [{"id": "a", "role": {"key": "a"}}], "script": ""},
            "a drawing or a script",
        ),
        ({"summary": True, "script": ""}, "a drawing or a script"),
        ({"script": "x" * 60_001}, "at most 60000"),
    ],
)
def test_what_is_no_design(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        read_design(values)


def test_too_many_agents_and_a_doubled_edge() -> None:
    many = [DesignAgent(id=f"a{i}", role=DraftRole(key="r")) for i in range(MAX_AGENTS + 1)]
    with pytest.raises(ValidationError, match="at most 500"):
        DesignSpec(agents=tuple(many))
    with pytest.raises(ValidationError, match="connected twice"):
        design("ab", "ab ab")


def test_a_draft_may_be_half_written_and_even_go_in_circles() -> None:
    half = DesignSpec(agents=(DesignAgent(id="a", role=DraftRole(key="new")),))
    assert half.agents[0].role.prompt == ""
    with pytest.raises(ValidationError):
        graph_of(half)
    with pytest.raises(ValidationError, match="cycle"):
        graph_of(design("ab", "ab ba"))


def test_a_script_runs_by_its_own_method_and_a_drawing_by_another() -> None:
    script = DesignSpec(script="deliver(1)")
    assert setup_of(script) == ("metaagent_x", {"script": "deliver(1)", "max_calls": 256})
    METHODS["metaagent_x"].config_schema.model_validate(setup_of(script)[1])
    method, config = setup_of(design("ab", "ab"))
    assert (method, len(config["graph"]["nodes"])) == ("design", 2)
    assert read_design(script.model_dump(mode="json")) == script


def test_a_graph_comes_back_as_it_went_in() -> None:
    role = RoleSpec(
        key="solver", name="Solver", family="maths", description="Solves.", prompt="Solve."
    )
    nodes = (AgentNode(id="a1", role=role), AgentNode(id="a2", role=role, endpoint="large"))
    graph = GraphSpec(nodes=nodes, edges=(Edge(source="a1", target="a2"),))
    taken = design_of(graph, answer_from="a1")
    assert graph_of(taken) == graph
    assert taken.answer_from == "a1"
    assert all(agent.x is None for agent in taken.agents)


def test_a_role_without_description_is_described_by_its_name() -> None:
    assert graph_of(design("a")).nodes[0].role.description == "A"
    assert drawn("a", description="Says A.").role.finished().description == "Says A."
