"""What a script means is known before it runs, and is what happens when it runs."""

import time

import pytest

from workers.core.events.scripts import DrawnBlock
from workers.core.scripts.blocks import WAYS, Agent, Call, Ensemble, Graph, Message
from workers.core.scripts.meaning import Meaning, block_id, meaning_of
from workers.core.scripts.problems import ScriptError, told
from workers.core.scripts.tests.played import script_played, team_played

IMPORT = (
    "from workflow import agent, ensemble, reflection, debate, router, sequence, conditional\n"
    "from workflow import loop, graph, deliver, question\n"
    'a = agent("A", "p")\nb = agent("B", "p")\nc = agent("C", "p")\n'
)
FIRST = 6
"""The line after these."""


def means(body: str, *, tools: tuple[str, ...] = ("python",)) -> Meaning:
    found = meaning_of(IMPORT + body, tools)
    assert [told(problem) for problem in found.problems] == []
    return found


def problems(body: str) -> list[tuple[str, int | None]]:
    found = meaning_of(IMPORT + body, ("python", "search"))
    assert found.team is None
    assert found.drawing is None
    assert found.shape == ""
    assert all(problem.remedy for problem in found.problems)
    return [(problem.code, problem.line) for problem in found.problems]


def drawn(meaning: Meaning) -> dict[str, DrawnBlock]:
    assert meaning.drawing is not None
    return {block.id: block for block in meaning.drawing.blocks}


def edges(meaning: Meaning) -> set[tuple[str, str, str]]:
    """By names, with what holds them."""
    blocks = drawn(meaning)

    def path(each: str) -> str:
        inside = blocks[each].inside
        return (f"{path(inside)}/" if inside else "") + blocks[each].name

    assert meaning.drawing is not None
    return {(path(e.source), path(e.target), e.label) for e in meaning.drawing.edges}


def delivers(meaning: Meaning) -> list[str]:
    assert meaning.drawing is not None
    return [drawn(meaning)[each].name for each in meaning.drawing.delivers]


def test_a_block_that_is_delivered_is_the_team() -> None:
    meaning = means('deliver(ensemble([a, b, c], by="majority"))')
    assert isinstance(meaning.team, Ensemble)
    assert [part.line for part in meaning.team.parts] == [3, 4, 5]
    assert meaning.shape == "ensemble:majority(agent×3)"
    assert [(each.id, each.kind, each.inside) for each in drawn(meaning).values()] == [
        ("b1", "ensemble", None),
        ("b2", "agent", "b1"),
        ("b3", "agent", "b1"),
        ("b4", "agent", "b1"),
    ]
    assert meaning.drawing is not None
    assert meaning.drawing.complete
    assert meaning.drawing.delivers == ("b1",)


def test_the_example_of_the_language() -> None:
    meaning = meaning_of(
        "from workflow import agent, ensemble, deliver\n\n"
        'solvers = [agent(f"Solver {n}", "Solve the problem step by step.") for n in range(3)]\n'
        'deliver(ensemble(solvers, by="majority"))\n'
    )
    assert meaning.shape == "ensemble:majority(agent×3)"
    names = [each.name for each in drawn(meaning).values()]
    assert names == ["Ensemble", "Solver 0", "Solver 1", "Solver 2"]


DATA = [
    "deliver(a)",
    "deliver(a())",
    "x = a(question)\ndeliver(b(x))",
    "x = a()\ny = b(x)\ndeliver(y)",
    "x = a()\ny = b()\ndeliver(c(y, x))",
    "x = a()\ny = b()\ndeliver(c([y], x, x))",
    "x = a()\ny = a(x)\nz = a(x, y)\ndeliver(z)",
    "x = a()\ndeliver(b)",
    "x = a()\ny = b(x)\ndeliver(x)",
    "x = ensemble([a, b])()\ndeliver(c(x))",
    "x = a()\nfor n in range(3):\n    x = b(x)\ndeliver(x)",
    "said = [one() for one in [a, b, c]]\ndeliver(c(*said).text)",
    "def ask(one, *_):\n    return 1\ndeliver(a)".replace(", *_", ""),
    "def chain(n, said):\n    return said if n == 0 else chain(n - 1, b(said))\n"
    "deliver(chain(3, a()))",
    "x = a()\nprint(x.text)\ny = {'k': b(x)}\ndeliver(c(y['k']))",
    "n = 0\nx = a()\nwhile n < 2:\n    x = b(x)\n    n += 1\ndeliver(x)",
    "deliver(sequence(a, ensemble([b, c]), reflection(a, b)))",
    "deliver(router(a, {'x': b, 'y': c}, otherwise=a))",
    "deliver(conditional(a, b, c))",
    "deliver(loop(a, until=b, most=2))",
    "deliver(graph({'x': a, 'y': b, 'z': c}, [('x', 'y'), ('x', 'z'), ('z', 'y')]))",
    "deliver(debate([a, b], judge=c, rounds=1))",
    "if len([a, b]) == 2 and not False:\n    deliver(b)\ndeliver(a)",
    "deliver(a) if 1 < 2 < 3 else deliver(b)",
]


@pytest.mark.parametrize("body", DATA)
def test_a_team_that_is_data_does_what_its_script_does(body: str) -> None:
    meaning = means(body)
    assert meaning.team is not None
    assert meaning.drawing is not None
    assert meaning.drawing.complete
    script, team = script_played(IMPORT + body), team_played(meaning.team)
    assert team.asked == script.asked
    assert team.delivered is not None
    assert script.delivered is not None
    assert team.delivered.text == script.delivered.text


@pytest.mark.parametrize("body", DATA)
def test_each_call_leads_to_its_block(body: str) -> None:
    meaning = means(body)
    assert meaning.team is not None
    for call in [*team_played(meaning.team).calls, *script_played(IMPORT + body).calls]:
        found = drawn(meaning)[meaning.block_id(call.agent, call.lines)]
        assert (found.kind, found.name, found.line) == ("agent", call.agent.name, call.agent.line)


def test_calls_one_after_the_other_are_a_graph() -> None:
    meaning = means("x = a()\ny = b(x)\ndeliver(y)")
    assert isinstance(meaning.team, Graph)
    assert list(meaning.team.nodes) == ["A", "B"]
    assert meaning.team.edges == (("A", "B"),)
    assert meaning.team.output == "B"
    assert edges(meaning) == {("A", "B", "")}
    assert meaning.shape == "graph(agent×2;1>2)"


def test_an_agent_that_is_asked_again_is_drawn_once() -> None:
    meaning = means("x = a()\ny = b(x)\nz = a(y)\ndeliver(z)")
    assert isinstance(meaning.team, Graph)
    assert list(meaning.team.nodes) == ["A", "B", "A 2"]
    assert [each.name for each in drawn(meaning).values()] == ["A", "B"]
    assert edges(meaning) == {("A", "B", ""), ("B", "A", "")}


def test_an_agent_in_two_containers_is_drawn_in_both() -> None:
    meaning = means("deliver(sequence(\n    ensemble([a, b]),\n    debate([a, c]),\n))")
    assert meaning.team is not None
    homes = {(e.name, drawn(meaning)[e.inside].name) for e in drawn(meaning).values() if e.inside}
    assert homes >= {("A", "Ensemble"), ("A", "Debate")}
    assert {
        drawn(meaning)[drawn(meaning)[meaning.block_id(call.agent, call.lines)].inside or ""].name
        for call in team_played(meaning.team).calls
        if call.agent.name == "A"
    } == {"Ensemble", "Debate"}


def test_agents_of_one_line_are_told_apart() -> None:
    meaning = means("s = [agent('S', 'p') for n in range(3)]\ndeliver(ensemble(s))")
    assert meaning.team is not None
    ids = {meaning.block_id(call.agent, call.lines) for call in team_played(meaning.team).calls}
    assert len(ids) == 3


def test_an_agent_in_a_branch_and_outside_is_found_by_where_it_is_asked() -> None:
    body = "x = a()\nif x.answer != '7':\n    x = a(x)\ndeliver(x)"
    meaning = means(body)
    first, second = script_played(IMPORT + body).calls
    assert drawn(meaning)[meaning.block_id(first.agent, first.lines)].inside is None
    assert drawn(meaning)[meaning.block_id(second.agent, second.lines)].inside == "b2"


@pytest.mark.parametrize("name", ["D", "E"])
def test_of_two_agents_that_a_line_may_make_the_one_that_is_asked_is_found(name: str) -> None:
    answer = "1" if name == "D" else "2"
    body = "x = a()\ny = agent('D', 'p') if x.answer == '1' else agent('E', 'p')\ndeliver(y(x))"
    meaning = means(body)

    def says(call: Call) -> Message:
        return Message(call.agent.name, answer, answer)

    asked = script_played(IMPORT + body, says).calls[-1]
    assert asked.agent.name == name
    assert drawn(meaning)[meaning.block_id(asked.agent, asked.lines)].name == name


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ("'python' if a().answer else 'search'", "is a text, and known only when the script runs."),
        ("a()", "is a text, not a message."),
    ],
)
def test_what_is_wrong_with_a_tool_is_said_in_the_users_words(tools: str, message: str) -> None:
    [problem] = meaning_of(f"{IMPORT}deliver(agent('D', 'p', tools=[{tools}]))").problems
    assert problem.message == f"A tool of 'D' {message}"


def test_a_block_is_found_by_line_and_name_as_well() -> None:
    meaning = means("deliver(ensemble([a, b]))")
    assert meaning.drawing is not None
    assert block_id(meaning.drawing, 4, "B") == "b3"
    assert block_id(meaning.drawing, 4, "another") == "b3"
    assert block_id(meaning.drawing, 9, "B") == ""


def test_the_insides_of_blocks_are_drawn() -> None:
    meaning = means("deliver(router(a, {'easy': b, 'hard': reflection(b, c)}, otherwise=c))")
    assert edges(meaning) == {
        ("Router/A", "Router/B", "easy"),
        ("Router/A", "Router/Reflection", "hard"),
        ("Router/A", "Router/C", "otherwise"),
        ("Router/Reflection/B", "Router/Reflection/C", ""),
        ("Router/Reflection/C", "Router/Reflection/B", "incorrect"),
    }
    details = {each.name: each.detail for each in drawn(meaning).values()}
    assert details["Reflection"] == "at most 2 rounds"


def test_what_an_agent_is_is_drawn() -> None:
    meaning = means("deliver(agent('P', 'Compute.', tools=['python'], temperature=0.5, turns=3))")
    [block] = drawn(meaning).values()
    assert (block.prompt, block.tools) == ("Compute.", ("python",))
    assert block.detail == "temperature 0.5, at most 3 turns"


# What waits for a reply.


def test_an_if_that_reads_a_reply_is_drawn_with_both_ways() -> None:
    meaning = means('x = a()\nif "yes" in x.text:\n    x = b(x)\nelse:\n    x = c()\ndeliver(x)')
    assert meaning.team is None
    assert meaning.drawing is not None
    assert not meaning.drawing.complete
    assert edges(meaning) == {
        ("A", "if", ""),
        ("A", "if/B", ""),
        ("if", "if/B", "yes"),
        ("if", "if/C", "no"),
    }
    assert delivers(meaning) == ["B", "C"]
    assert meaning.shape == "script(agent,if?(agent;agent))"


def test_a_loop_that_a_reply_may_end_is_drawn_once_with_its_limit() -> None:
    meaning = means(
        "x = a()\nfor n in range(3):\n    v = b(x)\n    if 'yes' in v.text:\n        break\n"
        "    x = a(v)\ndeliver(x)"
    )
    loop = next(each for each in drawn(meaning).values() if each.kind == "for")
    assert (loop.line, loop.detail) == (FIRST + 1, "at most 3 times")
    inside = [each.name for each in drawn(meaning).values() if each.inside == loop.id]
    assert inside == ["B", "A"]
    assert ("for/B", "for/A", "") in edges(meaning)
    assert ("for/A", "for/B", "") in edges(meaning)
    assert delivers(meaning) == ["A", "A"]
    assert meaning.shape == "script(agent,for?(agent×2))"


@pytest.mark.parametrize(
    ("loop", "detail"),
    [
        ("while 'done' not in x.text:\n    x = b(x)", ""),
        ("n = 0\nwhile x.answer != '1' and n < 4:\n    x = b(x)\n    n += 1", "at most 4 times"),
        ("while True:\n    x = b(x)\n    if x.answer:\n        break", ""),
        ("go = True\nwhile go:\n    x = b(x)\n    go = x.answer is None", ""),
        ("for n in range(int(x.answer)):\n    x = b(x)", ""),
        ("for line in x.text.split('.'):\n    x = b(line)", ""),
        ("x = [b(line) for line in x.text.splitlines()][0]", ""),
        ("for n in range(5):\n    if x.answer == '1':\n        continue\n    x = b(x)", None),
    ],
)
def test_loops_that_read_replies_are_drawn(loop: str, detail: str | None) -> None:
    meaning = means(f"x = a()\n{loop}\ndeliver(x)")
    assert meaning.team is None
    names = [(each.kind, each.name) for each in drawn(meaning).values() if each.kind == "agent"]
    assert names == [("agent", "A"), ("agent", "B")]
    if detail is not None:
        [drawn_loop] = [e for e in drawn(meaning).values() if e.kind in {"for", "while"}]
        assert drawn_loop.detail == detail


def test_a_loop_that_makes_agents_draws_them_once() -> None:
    meaning = means(
        "x = a()\nn = 0\nwhile x.answer != '1' and n < 3:\n"
        "    x = agent(f'W {n}', 'p')(x)\n    n += 1\ndeliver(x)"
    )
    assert [each.name for each in drawn(meaning).values()] == ["A", "while", "W 0"]


def test_a_block_that_a_reply_picks_is_drawn_with_the_others() -> None:
    meaning = means("x = a()\nbest = b if 'hard' in x.text else c\ndeliver(best(x))")
    assert edges(meaning) >= {("A", "if", ""), ("A", "if/B", ""), ("A", "if/C", "")}
    assert sorted(delivers(meaning)) == ["B", "C"]


def test_a_return_on_one_way_of_many() -> None:
    meaning = means(
        "def solve(x):\n    if 'yes' in x.text:\n        return b(x)\n    return c(x)\n"
        "deliver(solve(a()))"
    )
    assert delivers(meaning) == ["B", "C"]


def test_an_early_delivery_on_one_way_of_many() -> None:
    meaning = means("x = a()\nif 'yes' in x.text:\n    deliver(x)\ndeliver(b(x))")
    assert delivers(meaning) == ["A", "B"]


def test_a_list_that_grows_on_one_way_has_no_known_length() -> None:
    meaning = means(
        "x = a()\nsaid = [x]\nif x.answer:\n    said.append(b())\n"
        "if len(said) == 2:\n    deliver(c(said))\ndeliver(x)"
    )
    assert delivers(meaning) == ["C", "A"]
    assert ("if/B", "if/C", "") in edges(meaning)


def test_a_text_made_of_messages_is_read() -> None:
    meaning = means("x = a()\ny = b()\ndeliver(c(f'{x.text} and {y.answer}'))")
    assert meaning.team is None
    assert meaning.drawing is not None
    assert meaning.drawing.complete
    assert edges(meaning) == {("A", "C", ""), ("B", "C", "")}
    assert meaning.shape == "graph(agent×3;1>3,2>3)"


def test_functions_as_tests_need_the_script_to_run() -> None:
    meaning = means("deliver(loop(a, lambda said: 'yes' in said.text, most=2))")
    assert meaning.team is None
    assert meaning.drawing is not None
    assert meaning.drawing.complete
    assert meaning.shape == "loop(agent;test;most=2)"


def test_what_a_test_asks_is_drawn_where_it_asks_it() -> None:
    test = """
critics = [b, c]
def good(message):
    first, _ = [each(message) for each in critics]
    return first.answer == 'yes' and 'well' in d(first).text
"""
    meaning = means(f"d = agent('D', 'p')\n{test}deliver(loop(a, lambda m: good(m), most=2))")
    assert meaning.drawing is not None
    assert not meaning.drawing.complete
    assert meaning.team is None
    assert [block.name for block in drawn(meaning).values()] == [
        *("Loop", "A", "B", "C", "if", "D")
    ]
    read = {("Loop/A", "Loop/B", ""), ("Loop/A", "Loop/C", ""), ("Loop/B", "Loop/if/D", "")}
    assert edges(meaning) >= read
    assert edges(meaning) - read <= {("Loop/B", "Loop/if", ""), ("Loop/if", "Loop/if/D", "yes")}
    line = FIRST + 5
    assert meaning.block_id(Agent("C", "p", line=5, place=0), [line]) == "b4"


def test_a_block_that_a_test_asks_stands_beside_both_ways() -> None:
    meaning = means("deliver(conditional(lambda m: c(m).answer == 'yes', a, b))")
    assert edges(meaning) == {
        ("Conditional", "Conditional/A", "yes"),
        ("Conditional", "Conditional/B", "no"),
    }
    assert "C" in [block.name for block in drawn(meaning).values()]


def test_a_prompt_with_the_question_waits_for_it() -> None:
    meaning = means("deliver(agent('Q', f'Solve {question} now.'))")
    assert meaning.team is None
    assert meaning.drawing is not None
    assert meaning.drawing.complete
    assert drawn(meaning)["b1"].prompt == "Solve {question} now."


def test_a_prompt_made_of_a_reply_is_an_edge() -> None:
    meaning = means("x = a()\ndeliver(agent('D', x.text)())")
    assert edges(meaning) == {("A", "D", "")}
    assert meaning.drawing is not None
    assert not meaning.drawing.complete
    assert meaning.shape == "graph(agent,agent?;1>2)"


def test_members_that_a_reply_counts() -> None:
    meaning = means(
        "x = a()\ns = [agent('S', 'p') for n in range(int(x.answer))]\ndeliver(ensemble(s))"
    )
    assert meaning.drawing is not None
    assert not meaning.drawing.complete
    assert [each.name for each in drawn(meaning).values()] == ["A", "Ensemble", "S"]


def test_a_text_alone_may_be_delivered() -> None:
    meaning = means("deliver('42')")
    assert meaning.shape == "text"
    assert drawn(meaning) == {}


# Faults.


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("while True:\n    pass\ndeliver(a)", "never_ends", FIRST),
        ("n = 0\nwhile n < 10:\n    m = 1\ndeliver(a)", "never_ends", FIRST + 1),
        ("x = [n for n in range(20000) for m in range(20000)]\ndeliver(a)", "never_ends", FIRST),
        ("def f(x):\n    return f(x)\ndeliver(f(a))", "too_deep", FIRST + 1),
        ("f = lambda x: f(x)\ndeliver(f(a))", "too_deep", FIRST),
        ("x = []\nx.append(x)\nprint(f'{x}')\ndeliver(a)", "too_large", FIRST + 1),
        ("s = [agent('S', 'p') for n in range(10000)]\ndeliver(a)", "too_many_agents", FIRST),
        ("s = []\nfor n in range(65):\n    s.append(agent('S', 'p'))\ndeliver(a)",
         "too_many_agents", FIRST + 2),
        ("deliver(ensemble([a] * 65))", "too_many_agents", FIRST),
        ("deliver(sequence(*[ensemble([a] * 30)] * 3))", "too_many_agents", FIRST),
        ("x = a()\nfor n in range(600):\n    x = b(x)\ndeliver(x)", "too_many_calls", FIRST + 2),
        ("x = 10**10**10\ndeliver(a)", "too_large", FIRST),
        ("x = 'a' * 10**9\ndeliver(a)", "too_large", FIRST),
        ("x = [0] * 10**9\ndeliver(a)", "too_large", FIRST),
        ("x = 'a' * 40000\nx = x.replace('a', x)\ndeliver(a)", "too_large", FIRST + 1),
        ("x = 'a' * 40000\nx = x.join([x] * 4000)\ndeliver(a)", "too_large", FIRST + 1),
        ("x = 'a' * 40000\nx = f'{x}{x}'\ndeliver(a)", "too_large", FIRST + 1),
        ("x = 2\nfor n in range(100):\n    x = x * x\ndeliver(a)", "too_large", FIRST + 2),
        ("x = [1]\nfor n in range(100):\n    x = [x, x]\nprint(f'{x}')\ndeliver(a)", "too_large",
         FIRST + 3),
        ("for n in range(10**12):\n    pass\ndeliver(a)", "too_large", FIRST),
        ("x = list(range(10**9))\ndeliver(a)", "too_large", FIRST),
        ("x = sum(range(10**9))\ndeliver(a)", "too_large", FIRST),
        ("deliver(agent('A', 'p', tools=['bash']))", "unknown_tool", FIRST),
        ("deliver(agent('A', 'p', tools='python'))", "bad_block", FIRST),
        ("deliver(agent('A'))", "bad_argument", FIRST),
        ("deliver(agent('A', 'p', model='x'))", "bad_argument", FIRST),
        ("deliver(agent('A', 'p', line=3))", "bad_argument", FIRST),
        ("deliver(agent('A', ''))", "bad_block", FIRST),
        ("deliver(agent('A', 3))", "bad_block", FIRST),
        ("deliver(agent('A', 'p' * 9000))", "bad_block", FIRST),
        ("deliver(agent('A', 'p', temperature=9))", "bad_block", FIRST),
        ("deliver(ensemble([a, 'b']))", "bad_block", FIRST),
        ("deliver(ensemble([a, a()]))", "bad_block", FIRST),
        ("deliver(ensemble([]))", "bad_block", FIRST),
        ("deliver(ensemble(a))", "bad_block", FIRST),
        ("deliver(ensemble([a], by='vote'))", "bad_block", FIRST),
        ("deliver(ensemble([a, b], by='weighted', weights=[1]))", "bad_block", FIRST),
        ("deliver(reflection(a, b, rounds=-1))", "bad_block", FIRST),
        ("deliver(reflection(a, b, rounds=True))", "bad_block", FIRST),
        ("deliver(router(a, {}))", "bad_block", FIRST),
        ("deliver(graph({'x': a}, [('x', 'y')]))", "bad_block", FIRST),
        ("deliver(graph({'x': a, 'y': b}, [('x', 'y'), ('y', 'x')]))", "bad_block", FIRST),
        ("deliver(loop(a, 'done'))", "bad_block", FIRST),
        ("deliver(a, b)", "bad_argument", FIRST),
        ("deliver(3)", "bad_argument", FIRST),
        ("deliver(a(3))", "bad_argument", FIRST),
        ("deliver(a(b))", "bad_argument", FIRST),
        ("deliver(a(message='x'))", "bad_argument", FIRST),
        ("x = a()\ndeliver(x())", "fails", FIRST + 1),
        ("x = a()\ndeliver('Answer: ' + x)", "fails", FIRST + 1),
        ("x = a()\nif 'yes' in x:\n    deliver(x)\ndeliver(b)", "fails", FIRST + 1),
        ("x = a()\ndeliver(x.upper())", "fails", FIRST + 1),
        ("x = a()\ndeliver(x[0])", "fails", FIRST + 1),
        ("x = [a(), b()]\ndeliver(', '.join(x))", "fails", FIRST + 1),
        ("deliver(a.text)", "fails", FIRST),
        ("x = [1][3]\ndeliver(a)", "fails", FIRST),
        ("x = {'k': 1}['j']\ndeliver(a)", "fails", FIRST),
        ("x = 1 / 0\ndeliver(a)", "fails", FIRST),
        ("x = int('a')\ndeliver(a)", "fails", FIRST),
        ("x = 'a' + 1\ndeliver(a)", "fails", FIRST),
        ("x, y = [1, 2, 3]\ndeliver(a)", "fails", FIRST),
        ("for n in 3:\n    pass\ndeliver(a)", "fails", FIRST),
        ("x = 'a'.append('b')\ndeliver(a)", "fails", FIRST),
        ("def f(x):\n    return x\ndeliver(f(a, b))", "bad_argument", FIRST + 2),
        ("def f(x):\n    y = x\nf(a)\ndeliver(y)", "unknown_name", FIRST + 3),
        ("if 0:\n    y = a\ndeliver(y)", "unknown_name", FIRST + 2),
        ("if False:\n    deliver(a)", "no_delivery", None),
        ("def f():\n    deliver(a)", "no_delivery", None),
    ],
)  # fmt: skip
def test_what_can_not_work_is_said_before_anything_runs(
    body: str, code: str, line: int | None
) -> None:
    begun = time.perf_counter()
    found = problems(body)
    assert time.perf_counter() - begun < 1
    assert found[0] == (code, line)


def test_all_faults_are_named_and_what_follows_from_them_is_not() -> None:
    assert problems(
        "x = agent('X', 'p', tools=['bash'])\n"
        "y = agent('Y', '')\n"
        "z = ensemble([x, y, a], by='vote')\n"
        "w = reflection(a, b, rounds=99)\n"
        "deliver(z)\n"
    ) == [("unknown_tool", FIRST), ("bad_block", FIRST + 1), ("bad_block", FIRST + 3)]


def test_faults_of_the_check_are_problems_as_well() -> None:
    meaning = meaning_of("import os")
    assert [problem.code for problem in meaning.problems] == ["bad_import"]
    with pytest.raises(ScriptError):
        meaning.required()


def test_an_unknown_tool_is_said_with_those_that_are_there() -> None:
    [problem] = meaning_of(IMPORT + "deliver(agent('A', 'p', tools=['bash']))", ["python"]).problems
    assert told(problem) == "Line 6: There is no tool “bash”. Use: python."


def test_it_takes_about_a_millisecond() -> None:
    body = DATA[5] + "\n"
    meaning_of(IMPORT + body)
    begun = time.perf_counter()
    for _ in range(50):
        meaning_of(IMPORT + body)
    assert (time.perf_counter() - begun) / 50 < 0.02


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("deliver(ensemble(a, b))", "The members of an ensemble are one list: ensemble([a, b])."),
        ("deliver(debate(a, b))", "The debaters are one list: debate([a, b])."),
        ("deliver(ensemble([a], 3))", f"by is one of {', '.join(WAYS)}, not int."),
        ("deliver(agent('A', system_prompt='p'))", "agent has no argument “system_prompt”."),
        ("print(1, sep=2)\ndeliver(a)", "sep of print is a text, not int."),
        ("print(1, file=a)\ndeliver(a)", "print has no file here."),
    ],
)
def test_a_wrong_argument_is_told_in_plain_words(line: str, told: str) -> None:
    [problem] = meaning_of(IMPORT + line).problems
    assert (problem.message, problem.line) == (told, FIRST)
    assert problem.remedy


MAY_FAIL = """\
n = int(x.text)
n = x.answer + '!'
n = [1][len(x.text)]
n = {'yes': 1}[x.answer]
n = f'{x.answer:>3}'
p, q = x.text
[1].remove(x.text)
n = 1; n += x.text
for w in x.text: n = 1
while x.text: n = 1
if x.answer: n = 1"""


@pytest.mark.parametrize("line", MAY_FAIL.splitlines())
def test_what_a_reply_may_make_fail_has_to_run(line: str) -> None:
    assert meaning_of(f"{IMPORT}x = a()\n{line}\ndeliver(b(x))").team is None


NEVER_FAILS = """\
print(x.text, x)
n = f'{x.answer}'
n = x.answer == 'yes'
n = x.answer or y
n = not x.answer
n = str(x)
n = {'k': x}['k'].name
n = [m.text for m in [x, y]]
heard = [x, y]; heard.append(x); n = len(heard)
for m in [x, y]: n = m"""


@pytest.mark.parametrize("line", NEVER_FAILS.splitlines())
def test_what_no_reply_can_make_fail_needs_no_process(line: str) -> None:
    assert meaning_of(f"{IMPORT}x = a()\ny = c()\n{line}\ndeliver(b(x))").team is not None
