"""The script of a reply is found whatever stands around it, or it is said why not."""

import time
from contextlib import suppress

import pytest

from workers.core.scripts.problems import ScriptError
from workers.core.scripts.reading import script_in

SCRIPT = 'from workflow import agent, deliver\n\ndeliver(agent("Solver", "Solve it."))'


def refused(reply: str) -> str:
    with pytest.raises(ScriptError) as caught:
        script_in(reply)
    assert all(problem.remedy for problem in caught.value.problems)
    return caught.value.code


@pytest.mark.parametrize(
    "reply",
    [
        f"```python\n{SCRIPT}\n```",
        f"Here is a team.\n\n```python\n{SCRIPT}\n```\n\nIt solves the problem.",
        f"```\n{SCRIPT}\n```",
        f"```py\n{SCRIPT}\n```",
        f"```Python3\n{SCRIPT}\n```",
        f"~~~python\n{SCRIPT}\n~~~",
        f"````python\n{SCRIPT}\n````",
        f"1. The team:\n   ```python\n   {SCRIPT.replace(chr(10), chr(10) + '   ')}\n   ```",
        f"```python\n{SCRIPT}",
        f"```python\r\n{SCRIPT}\r\n```".replace("\n", "\r\n"),
        f"\ufeff```python\n{SCRIPT}\n```",
        f"<think>Maybe\n```python\nimport os\n```\nno</think>\n```python\n{SCRIPT}\n```",
        f"Input:\n```json\n{{}}\n```\nTeam:\n```python\n{SCRIPT}\n```",
        f"Output looks like\n```\n42\n```\nTeam:\n```python\n{SCRIPT}\n```",
        SCRIPT,
        f"  \n{SCRIPT}\n\n",
        f"Here is the script:\n\n{SCRIPT}",
        f"Here is the script:\n\n{SCRIPT}\n\nOne agent is enough.\n\nIs it?",
        f"```python\n{SCRIPT}\n\nThis team solves it.",
    ],
)
def test_the_script_is_found(reply: str) -> None:
    assert script_in(reply).replace("\r\n", "\n") == SCRIPT


def test_bare_code_keeps_its_comments() -> None:
    assert script_in(f"# One solver.\n{SCRIPT}") == f"# One solver.\n{SCRIPT}"


def test_bare_code_may_import_what_it_may_not() -> None:
    assert script_in("import os\nos.fork()") == "import os\nos.fork()"


def test_a_fence_in_a_prompt_belongs_to_the_script() -> None:
    script = 'a = agent("A", """Answer so:\n```python\nprint(1)\n```\n""")\ndeliver(a)'
    assert script_in(f"The team:\n```python\n{script}\n```\nDone.") == script


def test_a_quote_in_a_comment_hides_no_fence() -> None:
    script = '# say """ or \'\'\'\nx = "it\'s"\ndeliver("1")'
    assert script_in(f"```python\n{script}\n```\nThat's it.") == script


def test_a_text_that_never_ends_does_not_swallow_the_fence() -> None:
    assert script_in('```python\nx = """a\n```\nprose') == 'x = """a'


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("", "no_code_block"),
        ("I can't do that.", "no_code_block"),
        ("Paris", "no_code_block"),
        ("```json\n{}\n```", "no_code_block"),
        ("```python\n\n```", "no_code_block"),
        ("<think>```python\nx = 1\n```", "no_code_block"),
        (f"```python\n{SCRIPT}\n```\n```python\n{SCRIPT}\n```", "two_code_blocks"),
        (f"```\n{SCRIPT}\n```\nor\n```\n{SCRIPT}\n```", "two_code_blocks"),
        ("a" * 2_000_001, "too_long"),
    ],
)
def test_what_is_wrong_is_said(reply: str, code: str) -> None:
    assert refused(reply) == code


def test_how_many_blocks_there_are_is_said() -> None:
    with pytest.raises(ScriptError, match="3 code blocks"):
        script_in("```python\na = 1\n```\n" * 3)


@pytest.mark.parametrize(
    "reply", ["```python\n" * 60_000, '"""' * 200_000, "```\n" * 100_000, "<think>" * 80_000]
)
def test_a_hostile_reply_is_read_fast(reply: str) -> None:
    begun = time.perf_counter()
    with suppress(ScriptError):
        script_in(reply)
    assert time.perf_counter() - begun < 3


def test_a_fence_in_a_text_of_bare_code_is_part_of_it() -> None:
    script = SCRIPT.replace('"Solve it."', '"""Write:\n```python\nx = 1\n```\n"""')
    assert script_in(script) == script


def test_code_after_a_mistake_is_not_taken_for_prose() -> None:
    script = f"x = (\n\n{SCRIPT}"
    assert script_in(script) == script
