"""Every problem a design can have, where it is shown, and its way out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from workers.core.designs.problems import Problem, find_problems, has_errors
from workers.core.designs.spec import DesignSpec, graph_of
from workers.core.designs.tests.support import design, drawn
from workers.core.specs import Edge

TOOLS = ("calculator", "vote", "examples", "person", "program")


def problems(spec: DesignSpec) -> tuple[Problem, ...]:
    return find_problems(spec, endpoints=("large",), tools=TOOLS)


def told(spec: DesignSpec) -> list[tuple[str, str, str | None]]:
    return [(p.severity, p.code, p.agent_id) for p in problems(spec)]


def test_nothing_is_wrong_with_a_chain() -> None:
    assert told(design("abc", "ab bc")) == []


def test_an_empty_one() -> None:
    assert told(DesignSpec()) == [("error", "empty", None)]


@pytest.mark.parametrize(
    ("role", "code"),
    [
        ({"name": " "}, "no_name"),
        ({"prompt": "\n"}, "no_prompt"),
        ({"tools": ("calculator", "shell")}, "unknown_tool"),
    ],
)
def test_what_is_missing_is_told_at_the_agent(role: dict[str, object], code: str) -> None:
    spec = DesignSpec(agents=(drawn("a", **role),))
    assert told(spec) == [("error", code, "a")]
    assert all(problem.remedy for problem in problems(spec))


def test_an_agent_with_the_id_of_the_summary_agent() -> None:
    spec = DesignSpec(agents=(drawn("summary"),), summary=True)
    assert told(spec) == [("error", "taken_id", "summary")]
    assert told(spec.model_copy(update={"summary": False})) == []


def test_an_endpoint_that_is_away() -> None:
    gone = drawn("a").model_copy(update={"endpoint": "gone"})
    there = drawn("a").model_copy(update={"endpoint": "large"})
    assert told(DesignSpec(agents=(gone,))) == [("error", "unknown_endpoint", "a")]
    assert "one of: large" in problems(DesignSpec(agents=(gone,)))[0].remedy
    assert told(DesignSpec(agents=(there,))) == []


def test_a_cycle_is_told_at_each_of_its_agents_and_at_no_other() -> None:
    assert told(design("abcd", "ab bc cb cd")) == [("error", "cycle", "b"), ("error", "cycle", "c")]
    assert told(design("a", "aa")) == [("error", "cycle", "a")]


def test_a_cycle_hides_no_other_problem() -> None:
    unheard = design("abcd", "ab ba ac", answer_from="c")
    assert told(unheard)[2:] == [("warning", "unheard", "d")]
    several = design("abcd", "ab ba ac ad")
    assert [code for _, code, _ in told(several)[2:]] == ["several_answers", "several_answers"]


def test_several_could_answer() -> None:
    spec = design("abc", "ab ac")
    assert told(spec) == [("warning", "several_answers", "b"), ("warning", "several_answers", "c")]
    assert "No agent reads “B”" in problems(spec)[0].message
    assert told(spec.model_copy(update={"summary": True})) == []


def test_an_agent_that_nobody_hears() -> None:
    spec = design("abcd", "ab ac cd", answer_from="b")
    assert told(spec) == [("warning", "unheard", "c"), ("warning", "unheard", "d")]
    assert not has_errors(problems(spec))


def test_everybody_is_heard_who_votes_or_is_read_by_who_does() -> None:
    spec = design("abcde", "ab cd", vote=("b", "c"))
    assert told(spec) == [("warning", "unheard", "d"), ("warning", "unheard", "e")]
    assert "never reaches an agent that votes" in problems(spec)[0].message


@pytest.mark.parametrize("tool", ["vote", "examples"])
def test_a_count_of_nobody(tool: str) -> None:
    counter = drawn("v", tools=(tool,))
    alone = DesignSpec(agents=(counter,))
    assert told(alone) == [("error", "reads_nobody", "v")]
    reads = DesignSpec(agents=(drawn("a"), counter), edges=(Edge(source="a", target="v"),))
    assert told(reads) == []


def test_tools_that_are_never_used() -> None:
    person = drawn("p", tools=("calculator", "person", "vote"))
    assert told(DesignSpec(agents=(person,))) == [("warning", "idle_tools", "p")]
    [problem] = problems(DesignSpec(agents=(person,)))
    assert "never uses “calculator”, “vote”, because the tool “person”" in problem.message
    both = (drawn("a"), drawn("v", tools=("examples", "vote")))
    spec = DesignSpec(agents=both, edges=(Edge(source="a", target="v"),))
    assert "never uses “vote”" in problems(spec)[0].message
    assert told(DesignSpec(agents=(drawn("a", tools=("calculator", "program")),))) == []


def test_agents_of_one_name_are_told_apart() -> None:
    spec = design("abc").model_copy(
        update={"agents": (drawn("a", name="Solver"), drawn("b", name="Solver"), drawn("c"))}
    )
    said = [problem.message.split(",")[0] for problem in problems(spec)]
    assert said == [
        "No agent reads “Solver” (a)",
        "No agent reads “Solver” (b)",
        "No agent reads “C”",
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), unique=True, max_size=12
    )
)
def test_without_errors_it_runs_and_with_a_cycle_it_does_not(pairs: list[tuple[str, str]]) -> None:
    edges = tuple(Edge(source=source, target=target) for source, target in pairs)
    spec = design("abcde").model_copy(update={"edges": edges})
    if has_errors(problems(spec)):
        with pytest.raises(ValidationError, match="cycle"):
            graph_of(spec)
    else:
        assert len(graph_of(spec).nodes) == 5


def test_the_mistakes_of_a_script_are_named_with_line_and_remedy() -> None:
    script = "from workflow import agent, deliver\na = agnt('A', 'You are a.')\ndeliver(a)\n"
    [problem] = find_problems(DesignSpec(script=script), endpoints=(), tools=TOOLS)
    assert (problem.severity, problem.line, problem.agent_id) == ("error", 2, None)
    assert problem.placed.startswith("Line 2: ")
    assert problem.remedy
    fixed = DesignSpec(script=script.replace("agnt", "agent"))
    assert find_problems(fixed, endpoints=(), tools=TOOLS) == ()


@pytest.mark.parametrize("tool", ["person", "vote", "examples", "no_such_tool"])
def test_a_script_has_tools_for_models_alone(tool: str) -> None:
    script = f"from workflow import agent, deliver\ndeliver(agent('A', 'Go.', tools=['{tool}']))"
    [problem] = find_problems(DesignSpec(script=script), endpoints=(), tools=TOOLS)
    assert problem.line == 2
    assert tool in problem.message


def test_an_empty_script_says_how_one_ends() -> None:
    [problem] = find_problems(DesignSpec(script=" \n"), endpoints=(), tools=TOOLS)
    assert (problem.code, problem.severity) == ("empty", "error")
    assert "deliver(team)" in problem.remedy
