"""Runs programs on the examples of a task: a role that lists `examples` picks a program by them.

The role's whole turn is the trial (`workers.core.mas.trying`): it costs no tokens. The tool is not
offered to models. The examples are those in the question, which every agent reads. Other tests,
which no agent sees, judge whether an answer is right (`workers.core.benchmarks.verifiers`).
"""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workers.core.tools.base import JsonSchema, ToolLimits, ToolResult, object_schema
from workers.core.tools.sandbox import PythonSandbox

EXAMPLES_TOOL = "examples"
SECONDS = 6.0
_PASSED = re.compile(r"passes (\d+) of \d+ examples")

# Runs in the sandbox. The program can fool this count, and then only its own team.
_RUNNER = """
import contextlib, io, json, math, signal, sys
work = json.loads(sys.stdin.readline())

def stop(*_):
    raise TimeoutError("it takes too long")

def same(value, want):
    if repr(value) == want:
        return True
    wanted = eval(want, dict(names))
    if isinstance(value, float) or isinstance(wanted, float):
        return math.isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-9)
    return type(value) is type(wanted) and value == wanted

signal.signal(signal.SIGALRM, stop)
names = {"__name__": "program"}
passed, failure = 0, ""
printed = io.StringIO()
with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
    try:
        signal.alarm(2)
        exec(work["prelude"], names)
        exec(work["program"], names)
    except BaseException as error:
        failure = f"the program does not run: {type(error).__name__}: {error}"
    for code, want in [] if failure else work["examples"]:
        said = ""
        try:
            signal.alarm(1)
            if want is None:
                exec(code, names)
            else:
                value = eval(code, names)
                if not same(value, want):
                    said = f"{code} gives {value!r}, not {want}"
        except AssertionError:
            said = f"{code} does not hold"
        except BaseException as error:
            said = f"{code}: {type(error).__name__}: {error}"
        passed += not said
        failure = failure or said
    signal.alarm(0)
sys.stdout.write(work["nonce"] + json.dumps([passed, failure[:300]]) + "\\n")
"""


@dataclass(frozen=True, slots=True)
class ExampleTester:
    key: str = EXAMPLES_TOOL
    name: str = "Examples of the question"
    description: str = (
        "Runs the programs of the agents that the role reads on the question's examples. The "
        "role asks no model."
    )

    @property
    def parameters(self) -> JsonSchema:
        texts = {"type": "string"}
        example = {"type": "array", "items": {"type": ["string", "null"]}}
        examples = {"type": "array", "items": example}
        properties = {"program": texts, "prelude": texts, "examples": examples}
        return object_schema(properties, "program", "examples")

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult:
        """`examples` are pairs of code and its required value; None for a statement that must run.
        `prelude` comes before the program. Ok: the program passes all of them."""
        examples = arguments.get("examples")
        program, prelude = arguments.get("program"), arguments.get("prelude", "")
        if not isinstance(program, str) or not isinstance(prelude, str):
            return ToolResult(False, "Give the program, and what comes before it, as text.")
        if not isinstance(examples, list) or not examples:
            return ToolResult(False, "There is no example to try the program on.")
        nonce = secrets.token_hex(16)
        work = {"nonce": nonce, "program": program, "prelude": prelude, "examples": examples}
        ran = await PythonSandbox().run(
            {"code": _RUNNER, "stdin": json.dumps(work) + "\n"},
            ToolLimits(min(SECONDS, limits.seconds), limits.memory_mib, limits.output_chars),
        )
        _, found, line = ran.output.rpartition(nonce)
        counted = _counted(line) if found else None
        if counted is None:
            said = ran.output.replace(nonce, "")
            return ToolResult(False, f"It passes 0 of {len(examples)} examples: {said}")
        passed, failure = counted
        told = f"It passes {passed} of {len(examples)} examples{': ' if failure else '.'}{failure}"
        return ToolResult(not failure, told)


def _counted(line: str) -> tuple[int, str] | None:
    """The runner's output, or None: the program can also write there and push it beyond the end of
    the output."""
    try:
        told = json.loads(line.partition("\n")[0])
    except (ValueError, RecursionError):
        return None
    if isinstance(told, list) and [type(part) for part in told] == [int, str]:
        return told[0], told[1]
    return None


def examples_passed(result: ToolResult) -> int:
    """How many examples a tried program passes; 0 if it could not be tried."""
    found = _PASSED.search(result.output)
    return int(found.group(1)) if found else 0
