"""A coder and a tester: what each message earns, what the other sees of it, and the end."""

import ast
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.benchmarks.humaneval import HUMANEVAL
from workers.core.benchmarks.mbpp import MBPP
from workers.core.environments.base import EpisodeError
from workers.core.environments.code import (
    CODER,
    MOST_TESTS,
    TESTER,
    CodeTeam,
    Coding,
    _tests_in,
)
from workers.core.environments.tests.saying import after
from workers.core.errors import MethodError
from workers.core.specs import TaskSpec
from workers.core.tools import sandbox as sandbox_module

GOLDEN = [f"assert double({n}) == {2 * n}" for n in (4, 5, 40, -1, 0)]
TASK = MBPP.task({"text": "Write a function double.", "test_list": GOLDEN, "code": ""}).model_copy(
    update={"reference": "def double(n):\n    return n + n"}
)
BARE = TASK.model_copy(update={"reference": None})
RIGHT = "```python\ndef double(n):\n    return 2 * n\n```"
SQUARE = "```python\ndef double(n):\n    return n * n\n```"
TESTS = "```python\nassert double(3) == 6\nassert double(2) == 4\n```"

pytestmark = pytest.mark.usefixtures("sandbox")


async def said(*messages: str, team: CodeTeam | None = None, task: TaskSpec = TASK) -> Coding:
    return await after(team or CodeTeam(), task, *messages)


@pytest.mark.parametrize(
    ("message", "rate", "local"),
    [
        (RIGHT, 1, {"build": 0.1, "smoke": 0.1, "tests": 0.8}),
        # Of the four hidden tests, n · n passes the one with 0.
        (SQUARE, 0.25, {"build": 0.1, "smoke": 0.1, "tests": 0.2}),
        ("```python\ndef other(n): return n\n```", 0, {"build": 0.1, "smoke": 0.1, "tests": 0}),
        ("```python\ndef double(n): return n\n1 / 0\n```", 0, {"build": 0.1, "smoke": 0}),
        ("```python\ndef double(n: return n\n```", 0, {"build": 0, "smoke": 0}),
        ("I don't know.", 0, {"build": 0, "smoke": 0}),
    ],
)
async def test_rewards_of_the_coder(message: str, rate: float, local: dict[str, float]) -> None:
    team = CodeTeam()
    acted = await team.act(team.begin(TASK), CODER, message)
    assert acted.reward.team == {"tests": rate}
    assert acted.reward.local == pytest.approx({"tests": 0} | local)
    untested = TaskSpec(query="Write double.", answer_form="code")
    bare = await team.act(team.begin(untested), CODER, message)
    assert bare.reward.team == {}
    assert bare.reward.local == {name: acted.reward.local[name] for name in ("build", "smoke")}


@pytest.mark.parametrize(
    ("message", "local"),
    [
        (TESTS, {"valid": 0.2, "reference": 0.8}),
        ("```python\nassert double(3) == 6\nassert double(2) == 5\n```", {"reference": 0.4}),
        ("```python\ndef test_it():\n    assert double(3) == 6\n```", {"reference": 0.8}),
        ("```python\nx = 3\nassert double(x) == 6\n```", {"reference": 0}),
        # The first one parses, but it is no Python.
        ("```python\nassert double((yield)) == 6\nassert double(3) == 6\n```", {"reference": 0.8}),
    ],
)
async def test_rewards_of_the_tester(message: str, local: dict[str, float]) -> None:
    team = CodeTeam()
    acted = await team.act(await said(SQUARE), TESTER, message)
    assert acted.reward.team == {"tests": 0.25}, "the rate of the program that stands"
    assert acted.reward.local == pytest.approx({"valid": 0.2} | local)


@pytest.mark.parametrize(
    "again",
    [
        "assert double(3) == 6",
        "assert (double( 3 )==6)",
        "assert double(0x3) == 6, 'twice three'",
        "assert 6 == double(3)",
        "assert double(3) == 6.0",
    ],
)
async def test_equal_tests_count_once_and_are_shown_once(again: str) -> None:
    """A right one, again and again, does not outweigh a wrong one."""
    team, wrong = CodeTeam(), "assert double(2) == 5"
    tests = "\n".join(["assert double(3) == 6", *[again] * 8, wrong])
    acted = await team.act(await said(SQUARE), TESTER, f"```python\n{tests}\n```")
    assert acted.reward.local == pytest.approx({"valid": 0.2, "reference": 0.4})
    assert acted.read == f"assert double(3) == 6\n{wrong}"
    assert len(team.picture(acted.state)["tests"]) == 2
    assert team.observation(team.turned(acted.state), CODER).count("double(3)") == 1


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("f([1, 2]) == [2, 1]", "f([1, 2]) == [2.0, 1]", True),
        ("f(1) == {1, 2}", "f(1) == {2, 1}", True),
        ("f(1) == {'a': [1], 'b': 2}", "f(1) == {'b': 2, 'a': [1]}", True),
        ("f('a') == \"b\"", "f(\"a\") == 'b'", True),
        ("f(1) == g(1)", "g(1) == f(1)", True),
        ("f(1)", "(f(1))", True),
        ("f(1) == [1, 2]", "f(1) == [2, 1]", False),
        ("f(1) == [1, 2]", "f(1) == (1, 2)", False),
        ("f(1) == 2", "f(1.0) == 2", False),
        ("f(1) == 2", "f(1) == '2'", False),
        ("f(1) == 2", "f(1) >= 2", False),
        ("f(1) < g(1)", "g(1) < f(1)", False),
        ("f(1) == True", "f(1) is True", False),
        ("f(1) == 'f(2)'", "f(2) == 'f(1)'", False),
        ("f(1) == {1: {}}", "f(1) == {1: set()}", False),
    ],
)
def test_tests_are_equal_that_ask_the_same(one: str, other: str, is_same: bool) -> None:
    found = _tests_in(f"```python\nassert {one}\nassert {other}\n```", ("f",))
    assert (
        found
        == [ast.unparse(ast.parse(f"assert {each}")) for each in (one, other)][
            : 1 if is_same else 2
        ]
    )


async def test_the_most_tests_are_different_ones() -> None:
    many = "\n".join(f"assert double({n // 2}) == {n // 2 * 2}" for n in range(100))
    state = await said(SQUARE, f"```python\n{many}\n```")
    assert [each.test for each in state.tried] == [
        f"assert double({n}) == {2 * n}" for n in range(MOST_TESTS)
    ]


def test_a_test_that_cannot_be_written_down_is_none() -> None:
    huge = f"assert f(0x{'f' * 5_000}) == 1\nassert f(1) == 1"
    assert _tests_in(f"```python\n{huge}\n```", ("f",)) == ["assert f(1) == 1"]


@pytest.mark.parametrize(
    "message",
    [
        "no tests",
        "```python\n```",
        "```python\nassert True\n```",
        "```python\nassert True, double(3)\n```",
        "```python\nassert (\n```",
        # This parses, but it is no Python.
        "```python\nassert await double(3) == 6\n```",
    ],
)
@pytest.mark.parametrize("task", [TASK, BARE])
async def test_no_tests_earn_nothing_however_good_the_program_is(
    message: str, task: TaskSpec
) -> None:
    team = CodeTeam()
    acted = await team.act(await said(RIGHT, task=task), TESTER, message)
    assert acted.reward.team == {"tests": 0}
    assert acted.reward.local == {"valid": 0, "reference": 0}
    assert acted.reward.mixed(1) == 0


async def test_without_a_reference_a_program_that_passes_all_golden_tests_stands_in() -> None:
    team, tests = CodeTeam(), "```python\nassert double(3) == 6\nassert double(2) == 5\n```"
    unknown = await team.act(await said(SQUARE, task=BARE), TESTER, tests)
    assert unknown.reward.local == {"valid": 0.2}
    known = await team.act(await said(RIGHT, task=BARE), TESTER, tests)
    assert known.reward.local == pytest.approx({"valid": 0.2, "reference": 0.4})


async def test_the_episode_ends_once_the_program_passes_the_testers_tests() -> None:
    team = CodeTeam()
    assert team.ended(await said(RIGHT)) is None
    done = await said(RIGHT, TESTS)
    assert (team.ended(done), team.solved(done)) == ("passed", True)
    assert team.answer(done) == "def double(n):\n    return 2 * n"
    open_ = await said(SQUARE, TESTS)
    assert (team.ended(open_), team.solved(open_)) == (None, False)
    weak = await said(SQUARE, "```python\nassert double(2) == 4\n```")
    assert (team.ended(weak), team.solved(weak)) == ("passed", False)
    assert team.ended(await said(RIGHT, "no tests")) is None
    assert team.ended(await said(SQUARE, TESTS, RIGHT)) is None, "the tester has not spoken yet"


async def test_the_end_needs_no_golden_tests() -> None:
    team = CodeTeam()
    state = await said(RIGHT, TESTS, task=TaskSpec(query="Write double.", answer_form="code"))
    assert (team.ended(state), team.solved(state)) == ("passed", False)


async def test_who_reads_what() -> None:
    team = CodeTeam()
    state = team.turned(await said(SQUARE, TESTS))
    seen = team.observation(state, CODER)
    assert "Your last program:\n\n```python\ndef double(n):\n    return n * n" in seen
    assert "It fails these tests:\n\n```python\nassert double(3) == 6  # it gives 9\n```" in seen
    assert "double(2)" not in seen, "it passes this one"
    assert "assert double(2) == 4" in team.observation(state, TESTER)
    assert "The program:\n\n" in team.observation(await said(SQUARE), TESTER)
    broken = await said("```python\n1 / 0\n```")
    assert "It does not run: ZeroDivisionError: division by zero." in team.observation(broken, 1)


async def test_no_prompt_holds_a_golden_test() -> None:
    """But for the question's example, whatever the agents do."""
    team = CodeTeam()
    hidden, reference = GOLDEN[1:], "return n + n"
    assert all(test in TASK.query for test in GOLDEN)
    for messages in ([], [SQUARE], [SQUARE, TESTS], [SQUARE, TESTS, "?"], ["```python\n1/0\n```"]):
        state = await said(*messages)
        for agent in (CODER, TESTER):
            prompt = team.roles[agent].prompt + team.observation(state, agent)
            assert not any(test in prompt for test in [*hidden, reference])
            assert GOLDEN[0] in prompt
        assert not any(test in str(team.picture(state)) for test in hidden)


def test_an_example_that_another_test_begins_with_is_told_apart() -> None:
    tests = ["assert double(1) == 20", "assert double(1) == 2"]
    state = CodeTeam().begin(MBPP.task({"text": "Double.", "test_list": tests}))
    assert state.hidden == (2,)
    assert tests[0] in state.question
    assert f"{tests[1]}\n" not in state.question


def test_a_test_within_a_line_of_the_question_counts_for_no_reward() -> None:
    listed = "Double:\n- `assert double(1) == 2`\n- `assert double(2) == 4`"
    task = TASK.model_copy(update={"query": listed, "metadata": {"tests": GOLDEN[:1]}})
    CodeTeam().require_rewards(task)
    shown = task.model_copy(
        update={"metadata": {"tests": ["assert double(1) == 2", "assert double(2) == 4"]}}
    )
    with pytest.raises(EpisodeError, match="its question does not show"):
        CodeTeam().require_rewards(shown)


async def test_humaneval_is_counted_inside_its_check() -> None:
    task = HUMANEVAL.task(
        {
            "prompt": 'def double(n):\n    """Twice n."""\n',
            "entry_point": "double",
            "canonical_solution": "    return n + n\n",
            "test": "def check(of):\n    assert of(4) == 8\n    assert of(2) == 4",
        }
    )
    team = CodeTeam()
    CodeTeam().require_rewards(task)
    acted = await team.act(team.begin(task), CODER, SQUARE)
    assert acted.reward.team == {"tests": 0.5}
    tested = await team.act(acted.state, TESTER, TESTS)
    assert tested.reward.local == pytest.approx({"valid": 0.2, "reference": 0.8})
    told = team.demonstration(team.begin(task), CODER, random.Random(0), weak=False)
    assert (await team.act(team.begin(task), CODER, str(told))).reward.mixed(1) == pytest.approx(2)


async def test_a_picture_says_whether_its_tests_are_of_an_earlier_program() -> None:
    team = CodeTeam()
    tested = await said(SQUARE, TESTS)
    turned = team.turned(tested)
    corrected = (await team.act(turned, CODER, RIGHT)).state
    states = (team.begin(TASK), await said(SQUARE), tested, turned, corrected)
    told = [team.picture(state)["tested_before"] for state in states]
    assert told == [False, False, False, False, True]


async def test_the_coder_alone_writes_once() -> None:
    team = CodeTeam("coder")
    state = await said(RIGHT, team=team)
    assert len(team.roles) == 1
    assert "nother agent" not in team.roles[0].prompt
    assert (team.ended(state), team.solved(state)) == ("answered", True)


@pytest.mark.parametrize(
    "hostile",
    [
        "while True: pass",
        "print('x' * 10**9)\nwhile True: print('x' * 10**6)",
        "import os\nos._exit(0)",
        "class Any:\n    def __eq__(self, other): return True\ndef double(n): return Any()",
        "import builtins\nbuiltins.AssertionError = ValueError\ndef double(n): return 1",
    ],
)
async def test_hostile_programs_pass_nothing(hostile: str) -> None:
    task = TASK.model_copy(update={"metadata": TASK.metadata | {"seconds": 1}})
    state = await said(f"```python\n{hostile}\n```", TESTS, task=task)
    assert state.golden is not None
    assert state.golden.passed == 0
    assert not state.passes
    assert len(str(CodeTeam().picture(state))) < 20_000


async def test_hostile_tests_win_no_golden_one() -> None:
    leaves = "assert double(1) or __import__('os')._exit(0)"
    forges = "assert double(__import__('sys').stdout.write('passed') or 1) == 2"
    many = "\n".join(f"assert double({n}) == {n}" for n in range(500))
    for tests in (leaves, forges, many):
        state = await said(SQUARE, f"```python\n{tests}\n```")
        assert len(state.tried) <= MOST_TESTS
        assert not CodeTeam().solved(state)


async def test_a_missing_sandbox_is_nobodys_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "_status", None)
    monkeypatch.setattr(sandbox_module, "bubblewrap_path", lambda: None)
    with pytest.raises(MethodError, match="bubblewrap is missing") as raised:
        await said(RIGHT)
    assert raised.value.code == "no_sandbox"


@settings(deadline=None, max_examples=40)
@given(message=st.text(max_size=300))
async def test_no_message_breaks_the_tester(message: str) -> None:
    team = CodeTeam()
    state = (await team.act(team.begin(TASK), TESTER, message)).state
    assert team.observation(state, CODER)
    assert team.ended(state) is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"metadata": {}}, "no assertion among its tests"),
        ({"metadata": {"tests": "double(3)"}}, "no assertion among its tests"),
        ({"query": "?\nassert f(1)", "metadata": {"tests": "assert f(1)"}}, "does not show"),
        ({"metadata": {"tests": "assert ("}}, "are not Python"),
    ],
)
def test_what_cannot_be_rewarded_is_told(changes: dict[str, Any], why: str) -> None:
    CodeTeam().require_rewards(TASK)
    with pytest.raises(EpisodeError, match=why):
        CodeTeam().require_rewards(TASK.model_copy(update=changes))


def test_only_the_coder_is_demonstrated() -> None:
    team = CodeTeam()
    state = team.begin(TASK)
    told = [team.demonstration(state, agent, random.Random(0), weak=False) for agent in (0, 1)]
    assert told == ["```python\ndef double(n):\n    return n + n\n```", None]
    assert team.demonstration(team.begin(BARE), CODER, random.Random(0), weak=False) is None
