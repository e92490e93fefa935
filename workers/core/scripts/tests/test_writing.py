"""A team that is written as a script and read again is the same team."""

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.scripts import blocks
from workers.core.scripts.blocks import Block, agent, ensemble, loop, sequence
from workers.core.scripts.meaning import meaning_of
from workers.core.scripts.writing import script_of

NAMES = st.one_of(
    st.text(
        st.characters(exclude_categories=["C"], exclude_characters=blocks._BLANK),
        min_size=1,
        max_size=12,
    ).filter(lambda text: bool(text.strip())),
    st.sampled_from(["Solver", "agent", "for", "deliver", "1st", 'a"b\\n', "Größe", "max", "{x}"]),
)
ROUNDS = st.integers(0, 3)


@st.composite
def agents(draw: st.DrawFn) -> Block:
    return agent(
        draw(NAMES),
        draw(NAMES),
        tools=draw(st.lists(st.sampled_from(["python", "search"]), max_size=2)),
        temperature=draw(st.sampled_from([0.0, 0.7, 1.5])),
        turns=draw(st.none() | st.integers(1, 5)),
        line=1,
    )


def containing(parts: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
    several = st.lists(parts, min_size=1, max_size=3)
    maybe = st.none() | parts

    def some_graph(nodes: list[Block], wires: int) -> Block:
        names = [f"node {number}" for number in range(len(nodes))]
        pairs = [(one, other) for one in names for other in names if one < other]
        edges = [pair for place, pair in enumerate(pairs) if wires >> place & 1]
        return blocks.graph(dict(zip(names, nodes, strict=True)), edges, names[0], line=1)

    def some_ensemble(members: list[Block], by: str, judge: Block) -> Block:
        weights = [number + 0.5 for number in range(len(members))] if by == "weighted" else None
        return ensemble(members, by, weights, judge if by == "judge" else None, line=1)

    return st.one_of(
        st.builds(some_ensemble, several, st.sampled_from(blocks.WAYS), parts),
        st.builds(lambda a, b, n: blocks.reflection(a, b, n, line=1), parts, parts, ROUNDS),
        st.builds(lambda m, j, n: blocks.debate(m, j, n, line=1), several, maybe, ROUNDS),
        st.builds(
            lambda by, m, o: blocks.router(
                by, {f"route {n}": each for n, each in enumerate(m)}, o, line=1
            ),
            parts,
            several,
            maybe,
        ),
        st.builds(lambda m: sequence(*m, line=1), several),
        st.builds(lambda t, a, o: blocks.conditional(t, a, o, line=1), parts, parts, maybe),
        st.builds(lambda a, t, n: loop(a, t, n + 1, line=1), parts, parts, ROUNDS),
        st.builds(some_graph, several, st.integers(0, 7)),
        st.builds(lambda one: ensemble([one, one], line=1), parts),
    )


TEAMS = st.recursive(agents(), containing, max_leaves=6)


def plain(block: Block) -> object:
    """All of a team but its places; a block that comes again is named by when it first came."""
    known: dict[Block, int] = {}

    def of(value: object) -> object:
        if isinstance(value, Block):
            if value in known:
                return known[value]
            known[value] = len(known)
            left_out = {"line", "place", "number"}
            names = [each.name for each in fields(value) if each.name not in left_out]
            return [value.kind, *((name, of(getattr(value, name))) for name in names)]
        if isinstance(value, dict):
            return [(name, of(each)) for name, each in value.items()]
        return [of(each) for each in value] if isinstance(value, tuple) else value

    return of(block)


@settings(max_examples=200, deadline=2_000)
@given(TEAMS)
def test_what_is_written_means_the_same_team(team: Block) -> None:
    script = script_of(team)
    meaning = meaning_of(script, ["python", "search"])
    assert meaning.problems == ()
    assert meaning.team is not None
    assert plain(meaning.team) == plain(team)
    assert script_of(meaning.team) == script


def test_a_script_is_written_as_a_person_would() -> None:
    solvers = [agent("Solver", "Solve it."), agent("Solver", "Solve it otherwise.")]
    judge = agent("Judge", 'Say "yes".', tools=["python"])
    team = sequence(ensemble(solvers), judge)
    assert script_of(team) == (
        "from workflow import agent, ensemble, sequence, deliver\n"
        "\n"
        'solver = agent("Solver", "Solve it.")\n'
        'solver_2 = agent("Solver", "Solve it otherwise.")\n'
        'ensemble_1 = ensemble([solver, solver_2], by="majority")\n'
        'judge = agent("Judge", "Say \\"yes\\".", tools=["python"])\n'
        "sequence_1 = sequence(ensemble_1, judge)\n"
        "deliver(sequence_1)\n"
    )


def test_long_lines_are_broken() -> None:
    script = script_of(agent("Solver", "Think step by step. " * 10))
    assert script.split("\n")[2:5] == [
        "solver = agent(",
        '    "Solver",',
        '    "' + "Think step by step. " * 10 + '",',
    ]


def test_a_test_that_is_a_function_can_not_be_written() -> None:
    with pytest.raises(ValueError, match="function"):
        script_of(loop(agent("A", "p"), lambda said: True))
