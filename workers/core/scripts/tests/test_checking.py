"""Scripts that are not of the language are refused, with line and remedy."""

import ast
import time
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workers.core.events.scripts import ScriptProblem
from workers.core.scripts.checking import checked
from workers.core.scripts.problems import ScriptError, told

HEAD = "from workflow import agent, ensemble, deliver, question\n"
TAIL = 'deliver(agent("A", "Solve it."))\n'


def problems_of(script: str) -> tuple[ScriptProblem, ...]:
    with pytest.raises(ScriptError) as caught:
        checked(script)
    return caught.value.problems


FINE = [
    "x = 1 + 2 * 3 - 4 / 5 // 6 % 7 ** 2",
    "x, (y, z) = 1, (2, 3)\nx += y",
    "x: int = 3",
    'x = f"{1 + 1:>10} {question!r} {0.5:.2f}" if True else 2',
    "for n in range(3):\n    if n == 1:\n        continue\n    break\nelse:\n    pass",
    "n = 0\nwhile n < 3 and not n == 2:\n    n += 1",
    'def f(x, y=2):\n    """It adds."""\n    return x + y\nz = f(1, y=3)',
    "f = lambda said: 'yes' in said.text.lower()",
    "x = [n for n in range(3) if n] + list({1, 2}) + [*range(2)]",
    "x = {n: str(n) for n in range(3)}\ny = x.get(1, '').strip() + x[2][0:1]",
    'x = ", ".join(str(n) for n in range(3))\nprint(x)',
    "agents = [agent(f'S {n}', 'p') for n in range(3)]\nx = [a() for a in agents][0].answer",
    "x = sorted([3, 1], key=lambda n: -n, reverse=True)\ny = any(n for n in x)",
    "debate = 1\nmax = 2\nx = debate + max",
    '# Größe: ein Kommentar, 数\nx = "Größe – “数”, 😀 \\boxed"',
    "for _ in range(2):\n    pass",
    "x = agent('A', 'p')(*[agent('B', 'q')()])",
]


FINE += [
    "from workflow import *",
    "if __name__ == '__main__':\n    pass",
    "n: int = 3",
    "n: List[Agent]",
    "def f(said: Message, most: 'int' = 3) -> Optional[Message]:\n    return said",
]
"""What models write by habit, and what nothing comes of."""


@pytest.mark.parametrize("script", FINE)
def test_the_language_is_let_through(script: str) -> None:
    assert isinstance(checked(HEAD + script + "\n" + TAIL), ast.Module)


def test_line_endings_and_tabs_of_other_machines_are_fine() -> None:
    script = HEAD + "for n in range(2):\n\tx = n\n" + TAIL
    checked(script)
    checked(script.replace("\n", "\r\n"))


HOSTILE = [
    ("import os", "bad_import"),
    ("import workflow", "bad_import"),
    ("import os.path as p", "bad_import"),
    ("from os import *", "bad_import"),
    ("from workflow import agent as a", "bad_import"),
    ("from workflow import _staged", "bad_import"),
    ("from workflow import sys", "bad_import"),
    ("from workflow.sys import path", "bad_import"),
    ("from .workflow import agent", "bad_import"),
    ("from . import agent", "bad_import"),
    ("from __future__ import annotations", "bad_import"),
    ("if True:\n    from workflow import agent", "bad_import"),
    ("def f():\n    import os", "bad_import"),
    ("__import__('os')", "unknown_name"),
    ("importlib.import_module('os')", "unknown_name"),
    ("x = ().__class__", "bad_attribute"),
    ("x = ''.__class__.__mro__[1].__subclasses__()", "bad_attribute"),
    ("x = agent.__globals__['sys']", "bad_attribute"),
    ("x = deliver.__code__", "bad_attribute"),
    ("x = (lambda: 0).__code__", "bad_attribute"),
    ("x = (n for n in []).gi_frame", "bad_attribute"),
    ("x = [].append", "bad_attribute"),
    ("x = sorted(['a'], key=str.lower)", "bad_attribute"),
    ("x = '{0.__class__}'.format(1)", "bad_attribute"),
    ("x = '{a.__class__}'.format_map({'a': 1})", "bad_attribute"),
    ("x = 'a'.encode()", "bad_attribute"),
    ("x = 'a'.zfill(10)", "bad_attribute"),
    ("x = 'a'.text()", "bad_attribute"),
    ("agent.line = 3", "bad_attribute"),
    ("agent('A', 'p').name = 'B'", "bad_attribute"),
    ("agent('A', 'p').play(1)", "bad_attribute"),
    ("x = getattr('', 'a' + 'b')", "unknown_name"),
    ("setattr(agent, 'x', 1)", "unknown_name"),
    ("eval('1')", "unknown_name"),
    ("exec('1')", "unknown_name"),
    ("compile('1', '', 'eval')", "unknown_name"),
    ("open('/etc/passwd')", "unknown_name"),
    ("input()", "unknown_name"),
    ("x = globals()", "unknown_name"),
    ("x = locals()", "unknown_name"),
    ("x = vars()", "unknown_name"),
    ("x = type('X', (), {})", "unknown_name"),
    ("x = object()", "unknown_name"),
    ("x = super()", "unknown_name"),
    ("breakpoint()", "unknown_name"),
    ("exit()", "unknown_name"),
    ("x = __builtins__", "unknown_name"),
    ("__builtins__ = {}", "bad_name"),
    ("def __getattr__(name):\n    return 1", "bad_name"),
    ("f = lambda __x__: 1", "bad_name"),
    ("__name__ = 'team'", "bad_name"),
    ("class A:\n    pass", "not_allowed"),
    ("async def f():\n    pass", "not_allowed"),
    ("async def f():\n    await f()", "not_allowed"),
    ("@agent\ndef f():\n    pass", "not_allowed"),
    ("with agent:\n    pass", "not_allowed"),
    ("try:\n    pass\nexcept Exception:\n    pass", "not_allowed"),
    ("try:\n    pass\nexcept* ValueError:\n    pass", "not_allowed"),
    ("raise ValueError", "not_allowed"),
    ("assert 1", "not_allowed"),
    ("x = 1\ndel x", "not_allowed"),
    ("def f():\n    global x\n    x = 1", "not_allowed"),
    ("def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2", "not_allowed"),
    ("def f():\n    yield 1", "not_allowed"),
    ("f = lambda: (yield)", "not_allowed"),
    ("x = (y := 1)", "not_allowed"),
    ("match 1:\n    case _:\n        pass", "not_allowed"),
    ("def f(*args):\n    pass", "not_allowed"),
    ("def f(**kwargs):\n    pass", "not_allowed"),
    ("def f(*, a):\n    pass", "not_allowed"),
    ("def f(a, /):\n    pass", "not_allowed"),
    ("f = lambda *a: a", "not_allowed"),
    ("x, *y = [1, 2]", "not_allowed"),
    ("agent(**{})", "not_allowed"),
    ("x = {**{}}", "not_allowed"),
    ("x = [n async for n in []]", "not_allowed"),
    ("f = lambda x=open: x", "unknown_name"),
    ("f = lambda x=eval('1'): x", "unknown_name"),
    ("x = b'bytes'", "not_allowed"),
    ("x = 1j", "not_allowed"),
    ("x = ...", "not_allowed"),
    ("x = 1 << 100", "not_allowed"),
    ("x = 1 | 2", "not_allowed"),
    ("x = [1] @ [2]", "not_allowed"),
    ("x = ~1", "not_allowed"),
    ("x = 'a%1000000000d' % 5", "not_allowed"),
    ('x = f"{1:>1000000000}"', "bad_format"),
    ('x = f"{1:{9}{9}{9}}"', "bad_format"),
    ('x = f"{1:.999f}"', "bad_format"),
    ("x = 1000000000000000", "too_large"),
    ("x = 0x" + "F" * 5_000, "too_large"),
    ("x = 1e999", "too_large"),
    ("x = " + "9" * 5_000, "not_python"),
    ("\uff45val('1')", "not_ascii"),  # fullwidth e: Python itself reads eval
    ("\u0430gent = 1", "not_ascii"),  # Cyrillic a
    ("\u0456f True:\n    pass", "not_ascii"),  # Cyrillic i
    ('x = f"{\uff45val}"', "not_ascii"),
    ("x = \u201ca\u201d", "not_ascii"),
    ("größe = 1", "not_ascii"),
    ("x = 1\u00a0+ 1", "not_ascii"),
    ("x = 1\0", "bad_character"),
    ("\ufeffx = 1", "bad_character"),
    ("x = '\ud800'", "bad_character"),
    ("x = '\\ud800'", "bad_character"),
    ("x = f'{1}\\udfff'", "bad_character"),
    ("x = " + "(" * 10_000 + ")" * 9_000, "not_python"),
    ("x = " + "[" * 150 + "]" * 150, "too_deep"),
    ("x = " + "-" * 10_000 + "1", "too_deep"),
    ("x = " + "not " * 4_000 + "1", "too_deep"),
    ("x = " + "1+" * 9_000 + "1", "too_deep"),
    ("x = question" + ".text" * 3_000, "too_deep"),
    ("x = " + "lambda: " * 2_000 + "1", "too_deep"),
    ("".join(" " * n + "if 1:\n" for n in range(90)) + " " * 90 + "x = 1", "too_deep"),
    ("x" * 1_000_000, "too_long"),
    ("for n in range(3)\n    pass", "not_python"),
    ("x = (1", "not_python"),
    ("if 1:\n\tx = 1\n        y = 2", "not_python"),
    ("return 1", "not_python"),
    ("break", "not_python"),
    ("def f(a, a):\n    pass", "not_python"),
    ("agent(name='a', name='b')", "not_python"),
    ("*[1]", "not_python"),
    ("print 'a'", "not_python"),
]


@pytest.mark.parametrize(("script", "code"), HOSTILE)
def test_anything_else_is_refused(script: str, code: str) -> None:
    begun = time.perf_counter()
    found = problems_of(HEAD + script + "\n" + TAIL)
    assert time.perf_counter() - begun < 0.5
    assert code in {problem.code for problem in found}
    for problem in found:
        assert problem.message
        assert problem.remedy
        assert problem.line is None or 1 <= problem.line <= (HEAD + script + TAIL).count("\n") + 2


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("x = sorted(xs, key=xs.count)", "lambda each: xs.count(each)"),
        ("x = sorted(xs, key=str.lower)", "lambda each: each.lower()"),
        ("x = agent('A', 'p', tools=[python])", 'tools=["python"]'),
        ("x = true", "“True”"),
        ("x = agent(“A”, “p”)", "Write \" or '."),
        ("from workflows import agent, deliver", "from workflow import agent, deliver"),
    ],
)
def test_a_slip_has_its_own_remedy(line: str, remedy: str) -> None:
    found = problems_of(f"{HEAD}xs = []\n{line}\n{TAIL}")
    assert any(remedy in problem.remedy for problem in found)
    assert {problem.line for problem in found} == {HEAD.count("\n") + 2}


def test_there_are_many_hostile_scripts() -> None:
    assert len(HOSTILE) >= 40


@pytest.mark.parametrize("script", ["", "  \n \n", "\t"])
def test_an_empty_script_is_refused(script: str) -> None:
    assert [problem.code for problem in problems_of(script)] == ["empty"]


def test_every_fault_is_named_with_its_line_and_remedy() -> None:
    found = problems_of(
        "from workflow import agent, deliver\n"
        "import os\n"
        "x = eval('1')\n"
        "class A:\n"
        "    pass\n"
        "deliver(solver)\n"
    )
    assert [told(problem) for problem in found] == [
        "Line 2: A script imports nothing but workflow. Remove “import os”. "
        "To compute, give an agent the tool python.",
        "Line 3: There is no “eval”. Assign it first, or remove it. "
        "To compute, give an agent the tool python.",
        "Line 4: A script has no classes. Write functions with def, or blocks.",
        "Line 6: There is no “solver”. Assign it first, or remove it. "
        "To compute, give an agent the tool python.",
    ]


def test_ten_faults_are_enough() -> None:
    found = problems_of(HEAD + "".join(f"x = y{n}\n" for n in range(30)) + TAIL)
    assert len(found) == 10
    assert [problem.line for problem in found] == [*range(2, 12)]


def test_a_forgotten_import_is_said_with_the_line_to_write() -> None:
    [problem] = problems_of('from workflow import agent\ndeliver(agent("A", "p"))')
    assert told(problem) == (
        "Line 2: “deliver” is not imported. Write at the top: from workflow import agent, deliver"
    )


def test_a_script_without_deliver_is_refused() -> None:
    [problem] = problems_of('from workflow import agent\nagent("A", "p")()')
    assert (problem.code, problem.line) == ("no_delivery", None)


def test_a_misspelt_name_is_recognised() -> None:
    [problem] = problems_of(HEAD + "x = ensembel([])\n" + TAIL)
    assert problem.remedy == "Is “ensemble” meant?"


def test_the_error_itself_says_the_first_problem() -> None:
    with pytest.raises(ScriptError, match=r"^Line 1: A script imports nothing but workflow\.$"):
        checked("import os\n" + HEAD + TAIL)


PIECES = [
    *("agent", "ensemble", "deliver", "question", "x", "y", "import os", "from workflow import"),
    *("if ", "for ", "while ", "def f():", "lambda ", "else", "in ", "return ", "not ", "class A:"),
    *("(", ")", "[", "]", "{", "}", ":", "\n", "\n    ", " ", ",", ".", "=", "==", "*", "**", "@"),
    *("'", '"', '"""', 'f"', "{x}", "\\", "#", "1", "10**10", ".text", "__class__", "\0", "\t"),
    *("\u0430", "\uff45", "\ud800", "\r", "\x0c", "print", ":=", "async ", "await ", "yield "),
]


@settings(max_examples=400, deadline=2_000)
@given(
    st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
)
@example("f'{" * 30)
@example('f"{x:{' * 20)
@example("\x0c\nx = \r1")
def test_no_text_makes_it_raise_anything_else(script: str) -> None:
    begun = time.perf_counter()
    found: tuple[ScriptProblem, ...] = ()
    try:
        checked(script)
    except ScriptError as error:
        found = error.problems
    assert len(found) <= 10
    assert all(problem.remedy for problem in found)
    assert time.perf_counter() - begun < 1


@settings(max_examples=100, deadline=2_000)
@given(st.sampled_from(PIECES), st.integers(1, 5_000), st.sampled_from(PIECES))
def test_no_repetition_makes_it_slow(piece: str, count: int, last: str) -> None:
    begun = time.perf_counter()
    with suppress(ScriptError):
        checked("x = " + piece * count + last)
    assert time.perf_counter() - begun < 1
