from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.answers.programs import (
    blocks,
    extract_program,
    normalise_program,
    program_to_run,
    prose,
)
from workers.core.answers.reading import vote
from workers.core.benchmarks.entry_points import entry_points
from workers.core.specs import TaskSpec
from workers.core.tests.support import known, within

ADD = "def add(a, b):\n    return a + b"


@pytest.mark.parametrize(
    ("message", "program"),
    [
        (f"```python\n{ADD}\n```", ADD),
        (f"Here it is:\n\n```python\n{ADD}\n```\nIt adds. Answer: see above", ADD),
        (f"```py\n{ADD}\n```", ADD),
        (f"```Python3\n{ADD}\n```", ADD),
        (f'```{{.python title="add.py"}}\n{ADD}\n```', ADD),
        (f"```\n{ADD}\n```", ADD),
        (f"Answer: ```python\n{ADD}\n```", ADD),
        (f"```python\r\n{ADD}\r\n```\r\n".replace("\n", "\n"), ADD),
        (f"1. Do it:\n   ```python\n   {ADD.replace(chr(10), chr(10) + '   ')}\n   ```", ADD),
        # several blocks
        (f"```python\nx = 1\n```\nno, better\n```python\n{ADD}\n```", ADD),
        (f"```python\n{ADD}\n```\nFor example\n```python\nprint(add(1, 2))\n```", ADD),
        (f"```python\n{ADD}\n```\nprints\n```\n3\n```", ADD),
        (f"```python\n{ADD}\n```\n```json\n[1]\n```\n```bash\nls\n```", ADD),
        (f"```python\n{ADD}\n```\n```python\ndef broken(:\n```", ADD),
        ("```python\nprint(1)\n```\nor\n```python\nprint(2)\n```", "print(2)"),
        # fences that are not closed, or closed where they should not be
        (f"```python\n{ADD}", ADD),
        (f"```python\n{ADD}\n\nThis adds two numbers, isn't it?", ADD),
        (f"```python\nx = 1\n```python\n{ADD}\n```", ADD),
        (f"```python\n{ADD}```", ADD),
        ("Run ```python print(6 * 7)``` for it.", "print(6 * 7)"),
        (f'```python\n{ADD}\ns = "```"\n```', f'{ADD}\ns = "```"'),
        # no fence
        (ADD, ADD),
        (f"The function is\n\n{ADD}\n\nIt adds them up.", ADD),
        ("import math\nprint(math.pi)", "import math\nprint(math.pi)"),
        # no program
        ("", None),
        ("Paris", None),
        ("Paris (France)", None),
        ("Answer: 42", None),
        ("```\n42\n```", None),
        ("```text\nprint(1)\n```", None),
        ("```python\n```", None),
        ("```python\n# nothing yet\n```", None),
        ("```python\ndef broken(:\n```", None),
        ("from the start it was wrong", None),
        ("```python\nx = '\x00'\n```", None),
        ("```python\nx = '\ud800'\n```", None),
    ],
)
def test_extract_program(message: str, program: str | None) -> None:
    found = extract_program(message)
    assert (found and found.replace("\r", "")) == program


HELPER = "def double(x):\n    return 2 * x"
SOLVE = "def solve(x):\n    return double(x) + ONE"
FENCE = "```python\n{}\n```\n"


@pytest.mark.parametrize(
    "after",
    [
        "def test_add():\n    assert add(1, 2) == 3",
        "from unittest import TestCase\nclass TestAdd(TestCase):\n    def test(self): add(1, 2)",
        "def main():\n    print(add(1, 2))\n\nmain()",
        "def helper(x):\n    return x",
        "class Demo:\n    pass",
        "def example_usage():\n    return add(1, 2)",
        "print(add(1, 2))",
    ],
)
def test_what_stands_around_a_solution_is_not_taken_for_it(after: str) -> None:
    message = FENCE.format(ADD) + "And then:\n" + FENCE.format(after)
    assert extract_program(message, ("add",)) == ADD
    if "helper" not in after:
        assert extract_program(message) == ADD


def test_of_two_solutions_the_last_counts() -> None:
    better = ADD.replace("a + b", "b + a")
    assert extract_program(FENCE.format(ADD) + FENCE.format(better), ("add",)) == better


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_helpers_of_other_blocks_come_with_the_program(order: tuple[int, ...]) -> None:
    parts = [f"import math\nONE = math.floor(1.5)\n{ADD}", HELPER, SOLVE]
    message = "".join(FENCE.format(parts[place]) for place in order)
    found = known(extract_program(message, ("solve",)))
    assert "def add" not in found
    scope: dict[str, Any] = {}
    exec(found, scope)  # noqa: S102  our own program
    assert scope["solve"](4) == 9


def test_a_future_import_stays_first_and_decorators_come_along() -> None:
    helper = "from functools import lru_cache\n@lru_cache\ndef double(x):\n    return 2 * x"
    solve = "from __future__ import annotations\ndef solve(x: Any):\n    return double(x)"
    found = known(extract_program(FENCE.format(helper) + FENCE.format(solve), ("solve",)))
    scope: dict[str, Any] = {}
    exec(found, scope)  # noqa: S102  our own program
    assert scope["solve"](4) == 8
    assert scope["double"].cache_info().misses == 1


@pytest.mark.parametrize(
    ("metadata", "names"),
    [
        ({"entry_point": "add", "tests": "def check(f):\n    f(1)\ncheck(add)"}, ("add",)),
        ({"tests": "assert set(similar((1,), (2,))) == set()"}, ("similar",)),
        ({"tests": ["import math", "assert math.floor(f(1)) == g(2)"]}, ("f", "g")),
        ({"tests": "s = Stack()\nassert s.pop() is None"}, ("Stack",)),
        ({"tests": "def near(a, b):\n    return abs(a - b) < 1\nassert near(f(1), 2)"}, ("f",)),
        ({"tests": "no python("}, ()),
        ({}, ()),
    ],
)
def test_entry_points_are_what_the_tests_call(
    metadata: dict[str, Any], names: tuple[str, ...]
) -> None:
    task = TaskSpec(query="q", answer_form="code", metadata=metadata)
    assert set(entry_points(task)) == {*names}
    assert entry_points(task.model_copy(update={"answer_form": "text"})) == ()


@pytest.mark.parametrize(
    ("message", "program"),
    [
        (
            f"```python\n{ADD}\n```\nSo\n```python\n{ADD}\nprint(add(1, 2))\n```",
            f"{ADD}\nprint(add(1, 2))",
        ),
        (f"```python\n{ADD}\n```\n```python\nprint(6 * 7)\n```", "print(6 * 7)"),
        ("```python\nprint(6 * 7)\n```\n```\n42\n```", "print(6 * 7)"),
        ("```python\nprint(6 * 7\n```", "print(6 * 7"),
        ("```python\nprint(1)\n```\n```python\nprint(2\n```", "print(1)"),
        ("print(6 * 7)", "print(6 * 7)"),
        ("I cannot compute this.", None),
    ],
)
def test_the_program_to_run_is_the_last_one(message: str, program: str | None) -> None:
    assert program_to_run(message) == program


def test_blocks_tell_their_language_and_whether_they_end() -> None:
    found = blocks("```json\n{}\n```\ntext\n```\nx\n```\n```PY\nprint(1)")
    assert [(b.language, b.code, b.closed) for b in found] == [
        ("json", "{}", True),
        ("", "x", True),
        ("py", "print(1)", False),
    ]


def test_prose_is_what_stands_outside_the_blocks() -> None:
    message = "Before.\n```python\n# Answer: 3\n```\nAfter. ```py print(1)```\nAnswer: 4"
    assert prose(message) == "Before.\nAnswer: 4"


def test_programs_that_differ_in_layout_count_together() -> None:
    commented = '# adds\ndef add(a,b):\n\n  return (a+b)  # "sum"\n'
    other = "def add(a, b):\n    return a - b"
    assert vote([other, ADD, commented], "code") == ADD
    assert normalise_program(ADD) == normalise_program(commented) != normalise_program(other)
    assert normalise_program("x = 'A'") != normalise_program("x = 'a'")
    assert normalise_program("def broken(:  \n") == "def broken(:"


@given(st.text(max_size=300))
def test_any_text_gives_a_program_or_none(message: str) -> None:
    for found in (extract_program(message), program_to_run(message)):
        assert found is None or found.strip()
    prose(message)
    normalise_program(message)


@given(st.text(alphabet="`python\n def x(): =1'\"#", max_size=200))
def test_fences_anywhere_never_break_it(message: str) -> None:
    found = extract_program(message)
    assert found is None or compile(found, "found", "exec", 0x400)  # parses, is not run


@pytest.mark.parametrize(
    "unit",
    ["```", "```python\n", "```python\nx=1\n", "`", "def f(\n", "(", "-", "x<", "\n", "    \n",
     "import a\n", "from a", "@a\n", "1+", "'", '"""', "{", "lambda:", "def f():\n", "\t", "a.b",
     "```python\n(\n```\n", "```\nprint(1)\n```\n"],
)  # fmt: skip
def test_hostile_messages_cost_little(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    with within(3):
        for message in (text, f"```python\n{text}", f"```python\n{text}\n```"):
            extract_program(message)
            program_to_run(message)
            prose(message)
        normalise_program(text)
