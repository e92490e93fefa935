"""Scripts as drawings and drawings as scripts: the same agents read the same messages."""

from collections import Counter
from hashlib import blake2b

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.designs.problems import SCRIPT_TOOLS
from workers.core.designs.scripts import StaysScript, design_of_script, design_of_team
from workers.core.designs.spec import DesignAgent, DesignSpec, DraftRole, graph_of
from workers.core.designs.teams import (
    StaysDrawing,
    changes,
    script_of_design,
    team_of_design,
)
from workers.core.designs.tests.support import design, drawn
from workers.core.graph import predecessors
from workers.core.methods.design import speaking_order
from workers.core.scripts.blocks import (
    Block,
    Message,
    Playing,
    agent,
    debate,
    ensemble,
    graph,
    sequence,
)
from workers.core.scripts.meaning import meaning_of
from workers.core.scripts.shapes import shape_of
from workers.core.specs import Edge

HEAD = "from workflow import agent, conditional, debate, deliver, ensemble, graph, loop\n"
HEAD += "from workflow import reflection, router, sequence\n"
A, B, C = (f'{name} = agent("{name.upper()}", "You are {name}.")\n' for name in "abc")
BRANCH = """said = a()
if "no" in said.text:
    said = b(said)
deliver(said)"""

Call = tuple[str, str, tuple[str, ...], float, tuple[str, ...]]


def said_by(call: Call) -> tuple[str, str]:
    """A text that depends on all that the agent is and reads, and one of three answers."""
    drawn = int.from_bytes(blake2b(repr(call).encode(), digest_size=6).digest(), "big")
    return f"{call[0]} says {drawn}", str(drawn % 3)


def played(team: Block) -> tuple[Counter[Call], tuple[str, str | None]]:
    """All calls, and the message that is delivered."""
    playing, calls = Playing(team), Counter[Call]()
    while playing.result is None:
        for number, asked in playing.waiting().items():
            one = asked.agent
            reads = tuple(message.text for message in asked.reads)
            call = (one.name, one.prompt, one.tools, one.temperature, reads)
            calls[call] += 1
            text, answer = said_by(call)
            playing.answer(number, Message(one.name, text, answer))
    return calls, (playing.result.text, playing.result.answer)


def run(spec: DesignSpec) -> tuple[Counter[Call], tuple[str, str | None]]:
    """The same of a drawing, as the method `design` plays it."""
    drawing = graph_of(spec)
    reads, agents = predecessors(drawing), {each.id: each for each in spec.agents}
    said: dict[str, tuple[str, str]] = {}
    calls = Counter[Call]()
    order = speaking_order(drawing, last=spec.answer_from)
    for agent_id in speaking_order(drawing, last=None):
        one, role = agents[agent_id], agents[agent_id].role
        heard = tuple(said[source][0] for source in reads[agent_id])
        call = (role.name, role.prompt, role.tools, one.temperature, heard)
        calls[call] += 1
        said[agent_id] = said_by(call)
    votes = Counter(said[voter][1] for voter in spec.vote)
    best = [voter for voter in spec.vote if votes[said[voter][1]] == max(votes.values())]
    return calls, said[best[0] if best else order[-1]]


_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=200)
NAMES = st.sampled_from(["Solver", "Ärztin 2", 'say "no"', "for", "1st"]) | st.text(
    st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters=_BLANK),
    min_size=1,
    max_size=20,
)
TEMPERATURES = st.sampled_from([0.0, 0.0, 0.7])


@st.composite
def roles(draw: st.DrawFn) -> DraftRole:
    tools = draw(st.lists(st.sampled_from(sorted(SCRIPT_TOOLS)), max_size=2, unique=True))
    name = draw(NAMES.filter(str.strip))
    prompt = draw(TEXT.filter(str.strip))
    return DraftRole(key="r", name=name, prompt=prompt, tools=tuple(tools))


@st.composite
def designs(draw: st.DrawFn) -> DesignSpec:
    count = draw(st.integers(1, 7))
    kept = draw(st.lists(roles(), min_size=1, max_size=3))
    ids = [f"n{number}" for number in range(count)]
    agents = [
        DesignAgent(id=each, role=draw(st.sampled_from(kept)), temperature=draw(TEMPERATURES))
        for each in draw(st.permutations(ids))
    ]
    pairs = [(a, b) for number, a in enumerate(ids) for b in ids[number + 1 :]]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    vote = draw(st.lists(st.sampled_from(ids), unique=True))
    answering = draw(st.none() | st.sampled_from(ids)) if not vote else None
    return DesignSpec(
        agents=tuple(agents),
        edges=tuple(Edge(source=a, target=b) for a, b in edges),
        vote=tuple(vote),
        answer_from=answering,
    )


def place_free(spec: DesignSpec) -> DesignSpec:
    """Its agents by number instead of by id, in their order."""
    ids = {each.id: f"a{number}" for number, each in enumerate(spec.agents)}
    return DesignSpec(
        agents=tuple(
            each.model_copy(
                update={"id": ids[each.id], "role": each.role.model_copy(update={"key": "r"})}
            )
            for each in spec.agents
        ),
        edges=tuple(
            sorted(
                (Edge(source=ids[e.source], target=ids[e.target]) for e in spec.edges),
                key=lambda edge: (edge.target, edge.source),
            )
        ),
        vote=tuple(ids[voter] for voter in spec.vote),
        answer_from=ids[spec.answer_from] if spec.answer_from else None,
    )


@given(designs())
@settings(max_examples=150, deadline=None)
def test_a_drawing_as_a_script_and_drawn_again_asks_the_same_and_answers_the_same(
    spec: DesignSpec,
) -> None:
    script = _script_or_reasons(spec)
    if not isinstance(script, str):
        assert script <= {"voters_differ", "voter_is_read"}
        return
    meaning = meaning_of(script, SCRIPT_TOOLS).required()
    assert meaning.team is not None
    assert played(meaning.team) == run(spec)
    assert meaning.shape == shape_of(team_of_design(spec))
    again = design_of_script(script, SCRIPT_TOOLS)
    assert run(again) == run(spec)
    twice = script_of_design(again)
    assert meaning_of(twice).shape == meaning.shape
    assert place_free(design_of_script(twice, SCRIPT_TOOLS)) == place_free(again)


AGENTS = st.builds(
    lambda role, heat: agent(role.name, role.prompt, role.tools, heat, line=1),
    roles(),
    TEMPERATURES,
)


def _several(blocks: st.SearchStrategy[Block]) -> st.SearchStrategy[list[Block]]:
    return st.lists(blocks, min_size=1, max_size=3)


@st.composite
def graphs(draw: st.DrawFn, blocks: st.SearchStrategy[Block]) -> Block:
    nodes = {f"x{number}": block for number, block in enumerate(draw(_several(blocks)))}
    names = draw(st.permutations(list(nodes)))
    pairs = [(a, b) for number, a in enumerate(names) for b in names[number + 1 :]]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return graph(nodes, edges, draw(st.sampled_from(names)), line=1)


def _larger(blocks: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
    return st.one_of(
        st.builds(lambda parts: sequence(*parts, line=1), _several(blocks)),
        st.builds(
            lambda parts, judge: ensemble(
                parts, "majority" if judge is None else "judge", judge=judge, line=1
            ),
            _several(blocks),
            st.none() | blocks,
        ),
        st.builds(
            lambda parts, judge, rounds: debate(parts, judge, rounds, line=1),
            _several(blocks),
            st.none() | blocks,
            st.integers(0, 2),
        ),
        graphs(blocks),
    )


@given(st.recursive(AGENTS, _larger, max_leaves=6))
@settings(max_examples=150, deadline=None)
def test_a_team_that_can_be_drawn_asks_and_answers_as_the_drawing(team: Block) -> None:
    spec = _drawing_or_reasons(team)
    if isinstance(spec, DesignSpec):
        assert run(spec) == played(team)
    else:
        assert spec <= {"majority_inside", "reading_order"}


def _script_or_reasons(spec: DesignSpec) -> str | set[str]:
    try:
        return script_of_design(spec)
    except StaysDrawing as error:
        return {each.code for each in error.reasons}


def _drawing_or_reasons(team: Block) -> DesignSpec | set[str]:
    try:
        return design_of_team(team)
    except StaysScript as error:
        return {each.code for each in error.reasons}


@pytest.mark.parametrize(
    ("spec", "shape"),
    [
        (design("a"), "agent"),
        (design("cba", "ab bc"), "sequence(agent×3)"),
        (design("abc", vote=("a", "b", "c")), "ensemble:majority(agent×3)"),
        (design("abc", "ab ac", vote=("b", "c")), "sequence(agent,ensemble:majority(agent×2))"),
        (design("abcd", "ab cd", vote=("b", "d")), "ensemble:majority(sequence(agent×2)×2)"),
        (design("abc", "ac bc"), "ensemble:judge(agent×2;agent)"),
        (design("abcd", "ab ac bd cd"), "graph(agent×4;1>2,1>3,2>4,3>4)"),
    ],
)
def test_a_drawing_becomes_the_block_that_fits(spec: DesignSpec, shape: str) -> None:
    assert (
        shape_of(team_of_design(spec))
        .replace("agent,agent,agent", "agent×3")
        .replace("agent,agent", "agent×2")
        == shape
    )


def test_a_debate_is_found_in_its_drawing() -> None:
    solo, other = (agent(name, "Argue.", line=1) for name in "AB")
    judge = agent("J", "Decide.", line=1)
    for team in (debate([solo, other], line=1), debate([solo, other], judge, 1, line=1)):
        spec = design_of_team(team)
        assert shape_of(team_of_design(spec)) == shape_of(team)


def test_agents_keep_the_names_of_their_nodes_as_ids() -> None:
    script = (
        HEAD
        + A
        + B
        + C
        + (
            'deliver(graph({"plan": a, "not an id": b, "end": c},'
            ' edges=[("plan", "end"), ("not an id", "end")]))'
        )
    )
    spec = design_of_script(script, SCRIPT_TOOLS)
    assert [each.id for each in spec.agents] == ["plan", "a1", "end"]
    assert [(each.source, each.target) for each in spec.edges] == [("plan", "end"), ("a1", "end")]


@pytest.mark.parametrize(
    ("rest", "line", "code", "told"),
    [
        ("deliver(reflection(a, b))", 6, "reflection", "verdict decides"),
        ('deliver(router(a, {"x": b}))', 6, "router", "decides who answers"),
        ("deliver(conditional(a, b))", 6, "conditional", "decides who answers"),
        ("deliver(loop(a, b))", 6, "loop", "how often"),
        ('deliver(ensemble([a, b], by="consensus"))', 6, "consensus", "agree"),
        ('deliver(ensemble([a, b], by="weighted", weights=[1, 2]))', 6, "weighted", "weights"),
        ("deliver(sequence(ensemble([a, b]), c))", 6, "majority_inside", "not the last block"),
        ('deliver(agent("T", "Use it.", turns=3))', 6, "turns", "limit of 3 turns"),
        (BRANCH, 7, "reply_decides", "an if"),
        ('deliver("It is " + a().text)', None, "not_blocks_alone", "computes"),
    ],
)  # fmt: skip
def test_what_stays_a_script_is_named_with_its_line(
    rest: str, line: int | None, code: str, told: str
) -> None:
    with pytest.raises(StaysScript) as caught:
        design_of_script(HEAD + A + B + C + rest, SCRIPT_TOOLS)
    [reason] = caught.value.reasons
    assert (reason.line, reason.code) == (line, code)
    assert told in reason.message
    assert reason.remedy


def test_all_reasons_are_named_in_the_order_of_their_lines() -> None:
    script = HEAD + A + B + C + "r = reflection(a, b)\nl = loop(c, b)\ndeliver(sequence(l, r))"
    with pytest.raises(StaysScript, match=r"Line 6: .* Line 7: "):
        design_of_script(script, SCRIPT_TOOLS)


def test_a_debate_too_large_to_draw_is_refused_and_not_unrolled_for_ever() -> None:
    team: Block = agent("A", "Argue.", line=1)
    for _ in range(5):
        team = debate([team, team], agent("J", "Decide.", line=1), 10, line=1)
    with pytest.raises(StaysScript, match="more than 500 agents"):
        design_of_team(team)


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        (DesignSpec(), "empty"),
        (design("ab", "ab ba"), "cycle"),
        (DesignSpec(agents=(drawn("a", prompt=""),)), "no_prompt"),
        (DesignSpec(agents=(drawn("a", name="x" * 81),)), "long_name"),
        (DesignSpec(agents=(drawn("a", prompt="x" * 8_001),)), "long_prompt"),
        (DesignSpec(agents=(drawn("a", tools=("person",)),)), "no_such_agent"),
        (
            DesignSpec(
                agents=(drawn("a"), drawn("b", tools=("vote",))),
                edges=(Edge(source="a", target="b"),),
            ),
            "no_such_agent",
        ),
        (
            DesignSpec(agents=(drawn("a").model_copy(update={"endpoint": "large"}),)),
            "own_endpoint",
        ),
        (DesignSpec(agents=tuple(drawn(f"a{n}") for n in range(65))), "too_many_agents"),
        (design("abcd", "ac ad bd", vote=("c", "d")), "voters_differ"),
        (design("abc", "ac", vote=("a", "b")), "voter_is_read"),
        (
            DesignSpec(
                agents=tuple(drawn(f"a{n}", prompt="x" * 7_900) for n in range(3)),
                edges=(Edge(source="a0", target="a1"),),
            ),
            "too_long",
        ),
    ],
)
def test_what_no_script_can_say_is_named(spec: DesignSpec, code: str) -> None:
    with pytest.raises(StaysDrawing) as caught:
        script_of_design(spec)
    assert caught.value.reasons[0].code == code
    assert caught.value.reasons[0].remedy


def test_what_a_script_says_otherwise_is_named_and_still_read_by_the_agent() -> None:
    role = drawn("a", refuse_condition="no number", output_form="One line.", description="D.")
    spec = DesignSpec(agents=(role.model_copy(update={"temperature": 0.5}),), summary=True)
    told = " ".join(changes(spec))
    for part in ("when to refuse", "output form", "“Summary”", "other samples", "Descriptions"):
        assert part in told
    again = design_of_script(script_of_design(spec), SCRIPT_TOOLS)
    assert "Refuse only in this case: no number" in again.agents[0].role.prompt
    assert again.agents[0].role.prompt.endswith("One line.")
    assert [each.role.name for each in again.agents] == ["A", "Summary"]
    assert changes(design("ab", "ab")) == []
