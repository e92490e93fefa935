"""Agents that try programs on the examples of the question, without a model; run in the sandbox."""

import pytest

from workers.core.events import AgentFinished, ToolReturned
from workers.core.mas.examples import EXAMPLES, examples_in
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.tests.support import ScriptedClient, role, turn
from workers.core.specs import AnswerForm, Usage
from workers.core.tests.support import of_kind

ASSERTED = """Write a function.

Your code should pass these tests:

```python
assert double(2) == 4
assert double(0.1) == 0.2
```"""
DOCUMENTED = '''Complete this function.

```python
from typing import List

def total(values: List[int]) -> int:
    """Add up.
    >>> total([1, 2])
    3
    >>> total([])
    0
    """
```'''


@pytest.mark.parametrize(
    ("query", "examples"),
    [
        (ASSERTED, (("assert double(2) == 4", None), ("assert double(0.1) == 0.2", None))),
        (DOCUMENTED, (("total([1, 2])", "3"), ("total([])", "0"))),
        ("```\ndef f(x):\n    '''f(1) == 2\n    f(2) ➞ 3'''\n```", (("f(1)", "2"), ("f(2)", "3"))),
        (">>> f(1)\n2\n\nWhy?", (("f(1)", "2"),)),
        ("f(x) == y in general, and f(3) is odd", ()),
        ("How many apples are left?", ()),
        ("```python\nassert (\n```", ()),
        ("```python\n" + "(" * 30_000 + "\n```", ()),
    ],
)
def test_examples_are_found(query: str, examples: tuple[tuple[str, str | None], ...]) -> None:
    assert examples_in(query).examples == examples


def test_imports_of_the_question_come_along() -> None:
    assert examples_in(DOCUMENTED).prelude == "from typing import List"


def test_there_are_not_endlessly_many() -> None:
    lines = "\n".join(f"assert f({n}) == 1" for n in [1, 1, *range(100)])
    found = examples_in(f"```python\n{lines}\n```").examples
    assert len(found) == EXAMPLES
    assert len(set(found)) == EXAMPLES


async def tried(
    *programs: str | None, query: str = ASSERTED, form: AnswerForm = "code"
) -> tuple[AgentFinished, list[ToolReturned]]:
    """The agent's last event and its trials, having read agents with these programs."""
    client = ScriptedClient(lambda request: pytest.fail("a model was asked"))
    inputs = [
        AgentOutcome(f"a{n}", f"Agent {n}", "Here it is.", program)
        for n, program in enumerate(programs, start=1)
    ]
    tester = role("tester", tools=("examples",))
    events = await turn(client, tester, query=query, inputs=inputs, answer_form=form)
    last = of_kind(AgentFinished, events[-1])
    return last, [event for event in events if isinstance(event, ToolReturned)]


RIGHT = "def double(x):\n    print('noise')\n    return 2 * x"
HALF = "def double(x):\n    return x + 2"
WRONG = "def double(x):\n    return x"


async def test_the_program_that_passes_most_examples_wins() -> None:
    finished, trials = await tried(WRONG, HALF, RIGHT, RIGHT + "  # again")
    assert finished.answer == RIGHT
    assert f"```python\n{RIGHT}\n```" in finished.message
    assert (finished.calls, finished.usage) == (0, Usage.zero())
    assert [trial.ok for trial in trials] == [False, False, True, True]
    assert "It passes 1 of 2 examples: assert double(0.1) == 0.2 does not hold" in trials[1].output


async def test_the_first_stands_where_none_passes() -> None:
    finished, _ = await tried(WRONG, "def other(): pass")
    assert finished.answer == WRONG


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("def double(x):\n    while True: pass", "it takes too long"),
        ("raise SystemExit", "the program does not run: SystemExit"),
        ("import os; os._exit(0)", "passes 0 of 2"),
        ("double = (", "the program does not run: SyntaxError"),
        ("def double(x):\n    raise SystemExit", "SystemExit"),
        ("def double(x):\n    open('/etc/passwd')", "FileNotFoundError"),
    ],
)
async def test_a_bad_program_is_a_failed_trial(program: str, said: str) -> None:
    finished, trials = await tried(program, RIGHT)
    assert said in trials[0].output
    assert (trials[0].ok, trials[1].ok) == (False, True)
    assert finished.answer == RIGHT


SAYS = "import os, __main__\nos.write(1, (__main__.work['nonce'] + %r).encode())\nos._exit(0)"


@pytest.mark.parametrize(
    "program",
    [
        *(SAYS % said for said in ("x", "[" * 3_000, "[true, 3]", "7", '[1, "a', "[1, 2, 3]")),
        "import os\nos.write(2, b'w' * 3_900)\ndef double(x):\n    return x + 2",
        *(f"import os\nos.write(2, b'w' * {size})\n{WRONG}" for size in (3_960, 20_000)),
    ],
)
async def test_what_a_program_writes_into_its_trial_breaks_nothing(program: str) -> None:
    finished, trials = await tried(program, RIGHT)
    assert (trials[0].ok, trials[1].ok) == (False, True)
    assert finished.answer == RIGHT


async def test_what_it_writes_to_stderr_is_left_out() -> None:
    noise = "import sys\nsys.stderr.write('w' * 20_000)\nprint('w' * 20_000, file=sys.stderr)"
    _, trials = await tried(f"{noise}\n{HALF}", f"{noise}\n{RIGHT}")
    assert "It passes 1 of 2 examples" in trials[0].output
    assert trials[1].ok


@pytest.mark.parametrize(
    ("program", "ok"),
    [
        ("def total(values: List[int]):\n    return sum(values)", True),
        ("def total(values):\n    return float(sum(values))", True),
        ("def total(values):\n    return str(sum(values))", False),
        ("def total(values):\n    return None", False),
    ],
)
async def test_values_are_compared_with_those_of_the_question(program: str, ok: bool) -> None:
    _, trials = await tried(program, query=DOCUMENTED)
    assert trials[0].ok is ok


@pytest.mark.parametrize(
    ("programs", "query", "form"),
    [
        ([RIGHT], "Write a function that doubles.", "code"),
        ([None], ASSERTED, "code"),
        (["4"], ASSERTED, "text"),
    ],
)
async def test_without_program_or_example_it_refuses(
    programs: list[str | None], query: str, form: AnswerForm
) -> None:
    finished, trials = await tried(*programs, query=query, form=form)
    assert finished.refused
    assert (finished.answer, trials) == (None, [])
