"""A coder writes a program and a tester writes tests until the program passes them (AT-GRPO, §5.1).

The coder reads which tests its last program failed. The task's own tests, the golden ones, judge
both agents and reach no prompt. The coder may also write alone, once, as a baseline.

Deviations, and choices where the paper is silent:
 1. A question that shows its golden tests, as MBPP's does, is asked without them. Only the first
    stays, as an example: it says what the function is called and gets. It counts for no reward, nor
    does any test that stands within a line.
 2. “Smoke” is that the program loads: it runs to its end, without any test.
 3. A test is one assertion that calls what the program defines, and stands for itself. The first
    ten different ones of a message count, each alone.
 4. The tester's tests are judged by the task's reference solution. Without one, the team's own
    program stands in for it once it passes all golden tests; until then this part is missing.
 5. The team's part of the tester's reward is the rate of the program that stands when it speaks. It
    is equal for all branches that have a test. A message without one earns nothing: this part is 0,
    as all others are.
 6. Without golden tests no message is rewarded for being right. The other parts stay.
 7. Equal tests of a message are one: they say the same, or make the same call and expect an equal
    result. The paper's rate counts all, so copies of a right test outweigh wrong ones.
"""

import ast
import random
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from workers.core.answers.programs import extract_program, program_to_run
from workers.core.answers.thoughts import parted
from workers.core.benchmarks.base import VerifierError
from workers.core.benchmarks.entry_points import entry_points
from workers.core.benchmarks.verifiers.unit_tests import (
    Counted,
    assertions,
    count_passed,
    golden_tests,
    solution,
)
from workers.core.environments.base import Acted, EpisodeError, Order, Reward, about, cut
from workers.core.environments.programs import no_sandbox
from workers.core.errors import MethodError
from workers.core.specs import RoleSpec, TaskSpec

Plays = Literal["both", "coder"]
CODER, TESTER = 0, 1
MOST_TESTS = 10
TEXT_CHARS, TEST_CHARS = 8_000, 400
"""What other agents and pages are shown of a program and of a test."""
REASON_CHARS = 700
"""Of why a program or a test fails."""
NO_PROGRAM = "the message had no Python program"

_CODER = RoleSpec(
    key="code-coder",
    name="Coder",
    family="code",
    description="Writes a program that solves the problem.",
    prompt=(
        "You write a Python program that solves a problem. Give the whole program, with its "
        "imports, and no tests. Answer with one ```python block."
    ),
)
_TESTER = RoleSpec(
    key="code-tester",
    name="Tester",
    family="verification",
    description="Writes tests that a right program passes.",
    prompt=(
        "You write tests of a Python program that solves a problem. Test what the problem asks "
        "for, also in special cases; the program that you see may be wrong. Each test is one line "
        "that calls the program, like this one: assert double(4) == 8. Answer with one ```python "
        f"block of at most {MOST_TESTS} such lines, and nothing else in it."
    ),
)
_BESIDE_TESTER = (
    "Another agent tests the program. If you see tests that your last program fails, correct the "
    "program, unless a test asks for what the problem does not."
)


@dataclass(frozen=True, slots=True)
class Tried:
    """A test, and why the program fails it; "": it passes."""

    test: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Golden:
    """Of the tests that no prompt shows, how many the program passes. `solved`: it passes those
    that are shown as well."""

    passed: int
    total: int
    solved: bool

    @property
    def rate(self) -> float:
        return self.passed / self.total


@dataclass(frozen=True, slots=True)
class Coding:
    """`hidden`: the lines of the golden tests that the question does not show, one for each.
    `broken` says why the program does not load. `tried` are the tester's last tests, on the program
    that stood then. `spoken`: how many have spoken in this turn."""

    task: TaskSpec
    question: str
    tests: str
    hidden: tuple[int, ...]
    turn: int = 0
    program: str = ""
    broken: str = ""
    golden: Golden | None = None
    tried: tuple[Tried, ...] = ()
    spoken: int = 0

    @property
    def passes(self) -> bool:
        return bool(self.tried) and not any(each.why for each in self.tried)


@dataclass(frozen=True)
class CodeTeam:
    plays: Plays = "both"

    key: ClassVar[str] = "code"
    undemonstrated: ClassVar[str] = (
        "Set cold_weak to 0 and choose tasks with reference solutions, such as MBPP's, or set "
        "cold_steps to 0."
    )

    @property
    def name(self) -> str:
        return {"both": "Code, two agents", "coder": "Code, the coder alone"}[self.plays]

    @property
    def description(self) -> str:
        return "One agent writes a program, the other tests for it, until it passes them."

    @property
    def roles(self) -> tuple[RoleSpec, ...]:
        if self.plays == "coder":
            return (_CODER,)
        return (
            _CODER.model_copy(update={"prompt": f"{_CODER.prompt} {_BESIDE_TESTER}"}),
            _TESTER,
        )

    def begin(self, task: TaskSpec) -> Coding:
        try:
            tests = golden_tests(task) if task.metadata.get("tests") else ""
            golden = assertions(tests)
        except VerifierError as error:
            raise EpisodeError(f"{about(task)} can't judge a program: {error.message}") from error
        texts = [ast.get_source_segment(tests, node) or "" for node in golden]
        question = _without(task.query, texts)
        hidden = (
            node.lineno
            for node, text in zip(golden, texts, strict=True)
            if not re.search(rf"{re.escape(text)}(?!\w)", question)
        )
        return Coding(task, question, tests, tuple(hidden))

    def require_rewards(self, task: TaskSpec) -> None:
        if not self.begin(task).hidden:
            raise EpisodeError(
                f"{about(task)} has no assertion among its tests that its question does not show."
            )

    def observation(self, state: Coding, agent: int) -> str:
        parts = [state.question]
        if state.program:
            whose = "Your last program" if agent == CODER else "The program"
            parts.append(f"{whose}:\n\n```python\n{cut(state.program, TEXT_CHARS)}\n```")
        if state.broken:
            parts.append(f"It does not run: {state.broken}.")
        if agent == CODER and (failed := [each for each in state.tried if each.why]):
            told = "\n".join(f"{each.test}  # {each.why}" for each in failed)
            parts.append(f"It fails these tests:\n\n```python\n{told}\n```")
        if agent == TESTER and state.turn and state.tried:
            told = "\n".join(each.test for each in state.tried)
            parts.append(f"Your last tests:\n\n```python\n{told}\n```")
        return "\n\n".join(parts)

    def heard(self, agent: int, *, order: Order, later: bool) -> Sequence[int]:
        if self.plays != "both":
            return []  # an agent alone speaks once
        if later:
            tests = MOST_TESTS * TEST_CHARS
            return [TEXT_CHARS, tests, REASON_CHARS * (MOST_TESTS if agent == CODER else 1)]
        return [TEXT_CHARS, REASON_CHARS] if agent == TESTER and order == "sequential" else []

    async def act(self, state: Coding, agent: int, message: str) -> Acted[Coding]:
        message = parted(message).message
        try:
            return await (self._coded if agent == CODER else self._tested)(state, message)
        except VerifierError as error:
            if error.code == "no_sandbox":
                raise no_sandbox(error.message) from error
            raise MethodError(**error.failure().model_dump()) from error

    async def _coded(self, state: Coding, message: str) -> Acted[Coding]:
        program = extract_program(message, entry_points(state.task)) or ""
        counted = Counted(len(state.hidden), broken=NO_PROGRAM)
        if program:
            counted = await count_passed(state.task, program, state.tests)
        golden = _golden(state.hidden, counted)
        local = {"build": 0.1 * bool(program), "smoke": 0.1 * (not counted.broken)}
        if golden:
            local["tests"] = 0.8 * golden.rate
        after = replace(
            state, program=program, broken=counted.broken, golden=golden, spoken=state.spoken + 1
        )
        return Acted(after, Reward(_team(golden), local), program)

    async def _tested(self, state: Coding, message: str) -> Acted[Coding]:
        tests = _tests_in(message, entry_points(state.task) or _defined(state.program))
        local = {"valid": 0.2 * bool(tests)}
        judge = solution(state.task)
        if not judge and state.golden and state.golden.solved:
            judge = state.program
        tried = await _tried(state.task, state.program, tests)
        if judge:
            right = tried if judge == state.program else await _tried(state.task, judge, tests)
            passed = sum(not each.why for each in right)
            local["reference"] = 0.8 * passed / len(right) if right else 0.0
        after = replace(state, tried=tried, spoken=state.spoken + 1)
        team = {part: rate * bool(tests) for part, rate in _team(state.golden).items()}
        return Acted(after, Reward(team, local), "\n".join(tests))

    def demonstration(
        self, state: Coding, agent: int, generator: random.Random, *, weak: bool
    ) -> str | None:
        """The task's reference solution. There is no weak player, and none that tests."""
        program = solution(state.task)
        return None if weak or agent == TESTER or not program else f"```python\n{program}\n```"

    def turned(self, state: Coding) -> Coding:
        return replace(state, turn=state.turn + 1, spoken=0)

    def ended(self, state: Coding) -> str | None:
        if state.spoken < len(self.roles):
            return None
        if self.plays != "both":
            return "answered"
        return "passed" if state.passes else None

    def solved(self, state: Coding) -> bool:
        return state.golden is not None and state.golden.solved

    def answer(self, state: Coding) -> str:
        return state.program

    def picture(self, state: Coding) -> dict[str, Any]:
        golden = state.golden
        return {
            "kind": self.key,
            "turn": state.turn + 1,
            "program": cut(state.program, TEXT_CHARS),
            "broken": state.broken,
            "tests": [{"test": each.test, "why": each.why} for each in state.tried],
            "passed": sum(not each.why for each in state.tried),
            "tested_before": bool(state.tried) and state.spoken == 1,  # the coder has spoken since
            "golden": golden and {"passed": golden.passed, "total": golden.total},
        }


def _team(golden: Golden | None) -> dict[str, float]:
    return {"tests": golden.rate} if golden else {}


def _golden(hidden: tuple[int, ...], counted: Counted) -> Golden | None:
    """None without a test that no prompt shows."""
    passed = sum(line in hidden for line in counted.passed)
    return Golden(passed, len(hidden), counted.all_pass) if hidden else None


async def _tried(task: TaskSpec, program: str, tests: list[str]) -> tuple[Tried, ...]:
    if not program:
        return tuple(Tried(test, NO_PROGRAM) for test in tests)
    if not tests:
        return ()
    counted = await count_passed(task, program, "\n".join(tests))
    why = {line: " ".join(reason.split()) for line, reason in counted.failed}
    # Each test is one line.
    return tuple(
        Tried(test, "" if line in counted.passed else why.get(line) or counted.broken or "it fails")
        for line, test in enumerate(tests, 1)
    )


def _tests_in(message: str, names: tuple[str, ...]) -> list[str]:
    """The message's different assertions that call one of the names, each on a line; any call will
    do if no name is known."""
    program = program_to_run(message)
    try:
        found = [node for node in assertions(program or "") if _calls(node, names)]
    except (VerifierError, RecursionError, MemoryError):
        return []
    tests: dict[Hashable, str] = {}
    for node in found:
        if line := _line(node):
            tests.setdefault(_asked(node.test), line)
    return list(tests.values())[:MOST_TESTS]


def _line(test: ast.Assert) -> str:
    """The test on a line; "": it is too long, or no Python. Not all that parses is: an `await`
    outside of a function is none."""
    try:
        line = ast.unparse(test)
        if len(line) > TEST_CHARS or "\n" in line:
            return ""
        compile(line, "<test>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return line


def _asked(test: ast.expr) -> Hashable:
    """Equal for tests that ask the same: layout, message and the order of both sides of an == do
    not count, and 6.0 is expected where 6 is."""
    match test:
        case ast.Compare(left, [ast.Eq()], [right]):
            return frozenset((_side(left), _side(right)))
    return ast.unparse(test)


def _side(node: ast.expr) -> Hashable:
    """A literal as its value, anything else as its text: f(1) is not f(1.0)."""
    try:
        return "value", _frozen(ast.literal_eval(node))
    except (ValueError, TypeError):
        return "text", ast.unparse(node)


def _frozen(value: object) -> Hashable:
    """Equal for values that are equal in Python."""
    if isinstance(value, list | tuple):
        return type(value).__name__, tuple(map(_frozen, value))
    if isinstance(value, dict):
        return "dict", frozenset((key, _frozen(each)) for key, each in value.items())
    return frozenset(value) if isinstance(value, set) else value


def _calls(test: ast.Assert, names: tuple[str, ...]) -> bool:
    called = [node.func for node in ast.walk(test.test) if isinstance(node, ast.Call)]
    return any(not names or (isinstance(each, ast.Name) and each.id in names) for each in called)


def _defined(program: str) -> tuple[str, ...]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    body = ast.parse(program).body  # it was parsed before
    return tuple(node.name for node in body if isinstance(node, kinds))


def _without(question: str, tests: list[str]) -> str:
    """The question without the tests that have a line there, but for the first one."""
    lines = [rf"^[ \t]*{re.escape(test)}[ \t]*$\n?" for test in dict.fromkeys(tests)]
    shown = [line for line in lines if re.search(line, question, re.M)]
    for line in shown[1:]:
        question = re.sub(line, "", question, flags=re.M)
    return question
