"""Programs: does the answer pass the task's tests?

`metadata.tests` is Python with assertions on names that the answer defines: a text, or a list of
texts. Optional: `entry_point`, the required function; `prelude`, imports and helpers that come
before the answer; `prompt`, the text that an answer continues if it is only the body of
`entry_point`; `seconds` for program and tests together (default 10).

The answer is a program, or a text with a ```python block that is one (`mas.programs`). It runs in
the sandbox, in a different process than its tests, which it can neither read nor change (`judge`).
Leaving early, printing, patching built-in functions or returning objects that claim to equal
everything pass no test. A program also can't make its task unjudgeable.

Two processes have a price. Arguments and results cross as copies of data (numbers, texts, dates,
containers, up to some 30 MB). Any other object that a program returns stays there, and the tests
get a stand-in. Its attributes, calls, items, iteration, arithmetic and comparisons among the
program's own objects work. Known limits, where a right program fails: `in` on an object with only
its own `__contains__`; comparing such an object with a value of the tests; one list passed twice
counts as two; a changed argument is not seen if the call raises; `asyncio.run` of its coroutine;
attributes of its own exceptions; a context manager that should suppress what the tests raise. Tests
that pass an instance of their own class judge nothing, and the import refuses them (`unjudgeable`).
"""

import ast
import asyncio
import json
import re
import secrets
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from workers.core.answers.programs import extract_program
from workers.core.benchmarks.base import Verdict, VerifierError
from workers.core.benchmarks.entry_points import entry_points
from workers.core.benchmarks.verifiers.judge.source import judge_source
from workers.core.benchmarks.verifiers.reasons import no_answer
from workers.core.specs import TaskSpec
from workers.core.tools.base import ToolLimits
from workers.core.tools.sandbox import PROGRAM_MAX_CHARS, PythonSandbox, sandbox_status

SECONDS = 10.0
MAX_SECONDS = 60.0
START_SECONDS = 2.0
"""What the sandbox may take beyond the time of program and tests, so that the judge can tell which
tests passed before a program that hangs."""
OUTPUT_CHARS = 16_000
"""Room for a verdict: a reason of 600 characters may be twelve times as long in JSON."""

# Hostile text: no two of its parts may take the same spaces, else their number counts squared.
_BLOCK = re.compile(r"```[ \t]*(?:(?i:python3?|py)[ \t]*)?\r?\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class UnitTests:
    key: str = "unit_tests"
    name: str = "Unit tests"
    description: str = "Runs the answer's program against the task's tests in the sandbox."

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        tests = _tests(task.metadata)
        limits = ToolLimits(_seconds(task.metadata), output_chars=OUTPUT_CHARS)
        source = _source(answer, message, entry_points(task))
        if source is None:
            return no_answer()
        if len(source) > PROGRAM_MAX_CHARS:
            return _failed(f"the program is longer than {PROGRAM_MAX_CHARS:,} characters")
        said = await _judged(task.metadata, source, tests, limits)
        if said["status"] == "passed":
            return Verdict(True, 1.0, "The program passes all its tests.")
        return _failed(said["reason"])


@dataclass(frozen=True, slots=True)
class Counted:
    """How many of the `total` assertions a program passes. `passed`: the lines that they stand in.
    `failed`: the first lines that fail, and why. `broken`: why the program does not even load; "":
    it does."""

    total: int
    passed: tuple[int, ...] = ()
    failed: tuple[tuple[int, str], ...] = ()
    broken: str = ""

    @property
    def all_pass(self) -> bool:
        return 0 < self.total == len(self.passed)


async def count_passed(task: TaskSpec, program: str, tests: str) -> Counted:
    """Runs the tests, assertion for assertion. They may be hostile as well: then they can only say
    that they pass. Raises VerifierError (no sandbox, tests that are not Python)."""
    seconds = _seconds(task.metadata)
    limits = ToolLimits(seconds + START_SECONDS, output_chars=OUTPUT_CHARS)
    total = len(assertions(tests))
    said = await _judged(task.metadata, program, tests, limits, {"seconds": seconds})
    if said["status"] != "counted":
        return Counted(total, broken=said["reason"])
    failed = tuple((line, why) for line, why in said["failed"])
    return Counted(total, tuple(said["passed"]), failed, said["broken"])


def golden_tests(task: TaskSpec) -> str:
    """The task's tests as one text. Raises VerifierError for a task without any."""
    return _tests(task.metadata)


def assertions(tests: str) -> list[ast.Assert]:
    """Raises VerifierError for tests that are not Python."""
    try:
        found = [node for node in ast.walk(ast.parse(tests)) if isinstance(node, ast.Assert)]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _bad_tests(f"the tests are not Python: {error}") from error
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def solution(task: TaskSpec) -> str:
    """The task's reference as a whole program; "": it has none."""
    return _whole(task.metadata, task.reference) if task.reference else ""


_REMEDY = "Repair the sandbox (GET /api/health says what is missing), or remove the verifier."


async def _judged(
    metadata: Mapping[str, Any],
    source: str,
    tests: str,
    limits: ToolLimits,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """What the judge said. Only it knows the nonce; without that nothing counts as passed."""
    ok, detail = await asyncio.to_thread(sandbox_status)
    if not ok:
        raise VerifierError(
            code="no_sandbox", message=f"Programs can't run here: {detail}", remedy=_REMEDY
        )
    nonce = secrets.token_hex(16)
    stdin = _stdin(metadata, source=source, work={"nonce": nonce, "tests": tests, **more})
    result = await PythonSandbox().run({"code": judge_source(), "stdin": stdin}, limits)
    _, found, line = result.output.rpartition(nonce)
    if not found:
        last = result.output.rstrip().rpartition("\n")[2]
        return {"status": "failed", "reason": last.removesuffix(".") or "it did not finish"}
    said: dict[str, Any] = json.loads(line.partition("\n")[0])
    if said["status"] == "bad_task":
        raise _bad_tests(said["reason"])
    return said


def _bad_tests(reason: str) -> VerifierError:
    return VerifierError(
        code="bad_tests",
        message=f"The task's tests can't judge a program: {reason}.",
        remedy="Correct the task's metadata.tests.",
    )


def _failed(reason: str) -> Verdict:
    return Verdict(False, 0.0, f"The program does not pass its tests: {reason[:600]}.")


def _source(answer: str | None, message: str, names: tuple[str, ...] = ()) -> str | None:
    """The program: the answer, its block that defines the tested names, or the message's."""
    for text in (answer, message):
        blocks = _BLOCK.findall(text or "")
        if blocks:
            return extract_program(text or "", names) or str(blocks[-1])
        if text is answer and answer is not None and answer.strip():
            return answer
    return None


def _stdin(metadata: Mapping[str, Any], *, source: str, work: Mapping[str, Any]) -> str:
    prelude, entry_point = _text(metadata, "prelude"), _text(metadata, "entry_point")
    program = {"prelude": prelude, "program": _whole(metadata, source)}
    work = {**work, "prelude": prelude, "entry_point": entry_point}
    return f"{json.dumps(program)}\n{json.dumps(work)}\n"


def _whole(metadata: Mapping[str, Any], source: str) -> str:
    """The program; if it is only the body of the required function, with what comes before."""
    entry_point, prompt = _text(metadata, "entry_point"), _text(metadata, "prompt")
    if not entry_point or not prompt or _defines(source, entry_point):
        return source
    return f"{prompt.rstrip()}\n{textwrap.indent(textwrap.dedent(source), '    ')}"


def _defines(source: str, name: str) -> bool:
    pattern = rf"^\s{{0,8}}(?:(?:async )?def|class)\s+{re.escape(name)}\b|^{re.escape(name)}\s*[:=]"
    return re.search(pattern, source, re.MULTILINE) is not None


def _tests(metadata: Mapping[str, Any]) -> str:
    tests = metadata.get("tests")
    if isinstance(tests, list):
        tests = "\n".join(map(str, tests))
    if not isinstance(tests, str) or not tests.strip():
        raise VerifierError(
            code="no_tests",
            message="The task has no tests.",
            remedy="Put Python assertions into metadata.tests.",
        )
    return tests


def _seconds(metadata: Mapping[str, Any]) -> float:
    seconds = metadata.get("seconds", SECONDS)
    if isinstance(seconds, int | float) and 0 < seconds <= MAX_SECONDS:
        return float(seconds)
    raise VerifierError(
        code="bad_seconds",
        message="The task's time limit is not a number of seconds.",
        remedy=f"Set metadata.seconds to a number above 0 and up to {MAX_SECONDS:g}.",
    )


def _text(metadata: Mapping[str, Any], name: str) -> str:
    value = metadata.get(name, "")
    return value if isinstance(value, str) else ""
