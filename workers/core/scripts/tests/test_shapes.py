"""Teams that are equal but for prompts, names and lines have one shape; others have another."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.scripts.blocks import agent, graph
from workers.core.scripts.meaning import meaning_of
from workers.core.scripts.shapes import shape_of
from workers.core.scripts.tests.test_meaning import IMPORT


def shape(body: str) -> str:
    meaning = meaning_of(IMPORT + body)
    assert meaning.problems == ()
    return meaning.shape


EQUAL = [
    ("deliver(a)", "deliver(agent('Another', 'Another prompt.', temperature=1, turns=3))"),
    ("deliver(a)", "x = a()\ndeliver(x)"),
    ("deliver(ensemble([a, b, c]))", "deliver(ensemble([a] * 3, by='majority', rounds=2))"),
    ("deliver(ensemble([a, debate([b, c])]))", "deliver(ensemble([debate([a, b]), c]))"),
    ("deliver(router(a, {'x': b, 'y': debate([a, c])}))",
     "deliver(router(c, {'u': debate([a, b]), 'v': a}))"),
    ("x = a()\ny = b(x)\ndeliver(y)", "deliver(graph({'u': c, 'v': a}, [('u', 'v')]))"),
    ("x = a()\ny = b()\ndeliver(c(x, y))", "y = b()\nx = a()\ndeliver(c(x, y))"),
    ("deliver(graph({'u': a, 'v': b, 'w': c}, [('u', 'w')], output='w'))",
     "deliver(graph({'w': a, 'v': b, 'u': c}, [('w', 'u')], output='u'))"),
    ("x = a()\nif x.answer:\n    x = b(x)\ndeliver(x)",
     "y = b()\nif 'no' in y.text:\n    y = c()\ndeliver(y)"),
]  # fmt: skip

DIFFERENT = [
    ("deliver(a)", "deliver(agent('A', 'p', tools=['python']))"),
    ("deliver(ensemble([a, b]))", "deliver(ensemble([a, b, c]))"),
    ("deliver(ensemble([a, b]))", "deliver(ensemble([a, b], by='consensus'))"),
    ("deliver(ensemble([a, b]))", "deliver(ensemble([a, b], by='judge', judge=c))"),
    ("deliver(ensemble([a, b]))", "deliver(debate([a, b]))"),
    ("deliver(debate([a, b]))", "deliver(debate([a, b], rounds=1))"),
    ("deliver(debate([a, b]))", "deliver(debate([a, b], judge=c))"),
    ("deliver(sequence(a, debate([b, c])))", "deliver(sequence(debate([b, c]), a))"),
    ("deliver(reflection(a, b))", "deliver(reflection(a, b, rounds=3))"),
    ("deliver(loop(a, b))", "deliver(loop(a, b, most=2))"),
    ("deliver(loop(a, b))", "deliver(loop(a, lambda said: True))"),
    ("deliver(conditional(a, b))", "deliver(conditional(a, b, c))"),
    ("deliver(router(a, {'x': b}))", "deliver(router(a, {'x': b}, otherwise=c))"),
    ("deliver(router(a, {'x': b}, otherwise=c))", "deliver(router(a, {'x': b, 'y': c}))"),
    ("x = a()\ny = b(x)\ndeliver(c(x, y))", "x = a()\ny = b(x)\ndeliver(c(y))"),
    ("x = a()\ny = b(x)\ndeliver(y)", "x = a()\ny = b(x)\ndeliver(x)"),
    ("x = a()\ndeliver(b(x))", "x = a()\ndeliver(b())"),
    ("x = a()\nif x.answer:\n    x = b(x)\ndeliver(x)", "x = a()\nx = b(x)\ndeliver(x)"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_teams_have_one_shape(one: str, other: str) -> None:
    assert shape(one) == shape(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_teams_have_different_shapes(one: str, other: str) -> None:
    assert shape(one) != shape(other)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("deliver(ensemble([a, b, c]))", "ensemble:majority(agent×3)"),
        ("deliver(sequence(a, reflection(b, c)))", "sequence(agent,reflection(agent,agent))"),
        ("deliver(ensemble([a, b], by='judge', judge=c))", "ensemble:judge(agent×2;agent)"),
        ("deliver(debate([a, b], rounds=1))", "debate(agent×2;rounds=1)"),
        ("deliver(router(a, {'x': b, 'y': c}, a))", "router(agent;agent×2;agent)"),
        ("deliver(agent('A', 'p', tools=['search', 'python']))", "agent[python,search]"),
        ("x = a()\ny = b()\ndeliver(c(x, y))", "graph(agent×3;1>3,2>3)"),
        ("x = a()\nwhile x.answer != '1':\n    x = b(c(x))\ndeliver(x)",
         "script(agent,while?(agent×2))"),
    ],
)  # fmt: skip
def test_a_shape_can_be_read(body: str, said: str) -> None:
    assert shape(body) == said


@given(st.integers(2, 7), st.integers(0, 2**20), st.integers(0, 2**20))
def test_a_graph_has_one_shape_in_any_order(count: int, wires: int, shuffle: int) -> None:
    nodes = [str(number) for number in range(count)]
    pairs = [(one, other) for one in nodes for other in nodes if one < other]
    edges = [pair for place, pair in enumerate(pairs) if wires >> place & 1]
    generator = random.Random(shuffle)
    renamed = dict(zip(nodes, generator.sample(nodes, count), strict=True))
    shuffled = generator.sample(nodes, count)
    first = {name: agent("A", "p", line=1) for name in nodes}
    second = {renamed[name]: agent("B", "q", line=2) for name in shuffled}
    turned = [(renamed[source], renamed[target]) for source, target in edges]
    generator.shuffle(turned)
    assert shape_of(graph(first, edges, nodes[-1], line=1)) == shape_of(
        graph(second, turned, renamed[nodes[-1]], line=2)
    )
