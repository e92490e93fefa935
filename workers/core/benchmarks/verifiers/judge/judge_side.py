"""The parent: runs the tests on what the program defines."""

import ast
import builtins
import contextlib
import importlib
import sys
from typing import Any

from workers.core.benchmarks.verifiers.judge.channel import Ended, Message, failure, short
from workers.core.benchmarks.verifiers.judge.remote import Asking, Remote

TESTS = "tests.py"


class BadTask(Exception):
    """The tests want what cannot be done."""


class ProgramError(Exception):
    """The program raised something that is no built-in exception, or lacks what is asked for."""


class JudgeSide(Asking):
    def value(self, reply: Message) -> Any:
        """Raises what the program raised."""
        if "error" in reply:
            raise exception_of(reply)
        return self.decode(reply.get("value"))

    def answer(self, request: Message) -> Message:
        """The program may call a function that a test gave it, and do nothing else here."""
        if request["op"] != "callback":
            raise Ended
        try:
            args = [self.decode(item) for item in request["args"]]
            return {"value": self.encode(self.kept(request["id"])(*args))}
        except (Ended, BadTask):
            raise
        except Exception as error:  # the program gets what its own call raised
            return failure(error)

    def encode_object(self, value: Any) -> Message:
        if isinstance(value, Remote):
            return {"yours": value._id}
        if callable(value) and not isinstance(value, type):
            return {"callback": self.keep(value)}
        raise BadTask(f"a test passes a value of type {type(value).__name__} to the program")

    def decode_object(self, kind: str, content: Any) -> Any:
        if kind == "object":
            return Remote(self, content)
        if kind == "module":
            return own_module(content)
        raise Ended


def judge(side: JudgeSide, work: dict[str, str]) -> tuple[str, str]:
    """`(status, reason)`: passed, failed, or bad_task when the tests themselves cannot run."""
    try:
        tree = ast.parse(work["tests"], TESTS)
        code = compile(tree, TESTS, "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError) as error:
        return "bad_task", f"the tests are no Python: {short(error)}"
    try:
        first = side.receive()
        if "error" in first:
            return "failed", f"it stops with {first['error']}: {first['message']}"
        exec(code, namespace_for(side, work, tree))  # noqa: S102 - in the sandbox
    except (BadTask, SystemExit) as error:
        return "bad_task", short(error) if isinstance(error, BadTask) else "they call sys.exit"
    except Exception as error:  # whatever a test runs into is a failed test
        return "failed", reason_of(error, work["tests"])
    return "passed", ""


def reason_of(error: Exception, tests: str) -> str:
    if isinstance(error, Ended | BrokenPipeError):
        return "it ended before its tests did"
    if isinstance(error, AssertionError):
        return f"this test fails: {failing_line(error, tests)}"
    kind = "" if isinstance(error, ProgramError) else f"{type(error).__name__}: "
    return f"{kind}{short(error)} in: {failing_line(error, tests)}"


def namespace_for(side: JudgeSide, work: dict[str, str], tree: ast.Module) -> dict[str, Any]:
    """What the tests see: the task's own helpers, the standard library, then the program's names.
    The entry point is always the program's."""
    names: dict[str, Any] = {"__name__": "tests"}
    exec(compile(work["prelude"], "prelude.py", "exec"), names)  # noqa: S102 - in the sandbox
    entry_point = work["entry_point"]
    for name, is_dotted in wanted_names(tree).items():
        if name != entry_point and (name in names or hasattr(builtins, name)):
            continue
        if is_dotted and name in sys.stdlib_module_names:
            names[name] = own_module(name)
            continue
        reply = side.ask(op="lookup", name=name)
        if "missing" not in reply:
            names[name] = side.value(reply)
        elif name == entry_point:
            raise ProgramError(f"the program defines no {name}")
    return names


def wanted_names(tree: ast.Module) -> dict[str, bool]:
    """Names that the tests use and do not define; True for one only used as `name.attribute`."""
    defined: set[str] = set()
    used: set[str] = set()
    bare: set[str] = set()
    dotted = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else defined).add(node.id)
            if id(node) not in dotted:
                bare.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            defined.add(node.name)
        elif isinstance(node, ast.arg):
            defined.add(node.arg)
        elif isinstance(node, ast.alias):
            defined.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            defined.add(node.name)
    return {name: name not in bare for name in sorted(used - defined)}


def own_module(name: Any) -> Any:
    """The standard library's, in this process; never one that the program wrote."""
    if not isinstance(name, str) or name.partition(".")[0] not in sys.stdlib_module_names:
        raise Ended
    return importlib.import_module(name)


def exception_of(reply: Message) -> Exception:
    kind = getattr(builtins, str(reply["error"]), None)
    message = str(reply.get("message", ""))[:500]
    if isinstance(kind, type) and issubclass(kind, Exception):
        with contextlib.suppress(TypeError):  # UnicodeDecodeError and its kin want more than text
            return kind(message)
    return ProgramError(f"{str(reply['error'])[:80]}: {message}")


def failing_line(error: BaseException, tests: str) -> str:
    """The innermost line of the tests that an exception went through."""
    trace, number = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == TESTS:
            number = trace.tb_lineno
        trace = trace.tb_next
    lines = tests.splitlines()
    return lines[number - 1].strip()[:300] if 0 < number <= len(lines) else "the tests"
