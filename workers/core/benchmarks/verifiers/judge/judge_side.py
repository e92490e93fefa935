"""The parent: runs the tests on what the program defines."""

import ast
import builtins
import contextlib
import importlib
import itertools
import signal
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from workers.core.benchmarks.verifiers.judge.channel import Ended, Message, failure, short
from workers.core.benchmarks.verifiers.judge.remote import Asking, Remote

TESTS = "tests.py"
PLACE = "_place_in_the_program"
"""Attribute of a class that stands for one of the program's own exceptions; tests may catch it."""


class BadTask(Exception):
    """The tests need something that can't be done."""


class ProgramError(Exception):
    """The program raised something other than a built-in exception, or lacks what the tests
    need."""


class JudgeSide(Asking):
    def __init__(self, reading: int, writing: int) -> None:
        super().__init__(reading, writing)
        self.remotes: dict[int, Any] = {}
        self.originals: Sequence[Any] = ()
        self.module_came = False

    def value(self, reply: Message, given: Sequence[Any] = ()) -> Any:
        """Ask the program; raises what it raised. `given`: the containers of a call's arguments,
        which get what the program left in them."""
        if "error" in reply:
            raise self.raised(reply)
        self.originals = given
        try:
            for place, content in reply.get("given", []):
                self.restore(given[place], content)
            return self.decode(reply.get("value"))
        finally:
            self.originals = ()

    def restore(self, original: Any, content: Any) -> None:
        if isinstance(original, dict):
            after: Any = {self.decode(key): self.decode(value) for key, value in content}
        else:
            after = self.decode_all(content)
        original.clear()
        (original.update if isinstance(original, dict | set) else original.extend)(after)

    def raised(self, reply: Message) -> Exception:
        kind = self.decode(reply["class"]) if "class" in reply else None
        message = str(reply.get("message", ""))[:500]
        if kind is None:
            kind = vars(builtins).get(str(reply["error"]))
        if is_harmless(kind):
            with contextlib.suppress(TypeError):  # UnicodeDecodeError and its kin want more
                return kind(message)
        return ProgramError(f"{str(reply['error'])[:80]}: {message}")

    def answer(self, request: Message) -> Message:
        """The program may call a function that a test gave it, and nothing else here. The result of
        that call counts for the program, never against the task."""
        if request["op"] != "callback":
            raise Ended
        try:
            args = [self.decode(item) for item in request["args"]]
            return {"value": self.encode(self.kept(request["id"])(*args))}
        except Ended:
            raise
        except BaseException as error:  # the program gets what its own call raised
            return failure(error)

    def encode_object(self, value: Any) -> Message:
        if isinstance(value, Remote):
            return {"yours": value._id}
        if isinstance(value, type) and PLACE in vars(value):
            return {"yours": vars(value)[PLACE]}
        if isinstance(value, types.ModuleType) and value.__name__ in sys.modules:
            return {"module": value.__name__}
        if isinstance(value, Iterator):
            return {"iterator": self.keep(lambda: list(itertools.islice(value, 1)))}
        if callable(value) and not isinstance(value, type):
            return {"callback": self.keep(value)}
        told = f"a test passes a value of type {type(value).__name__} to the program"
        # A program that answers with a module chooses what a test finds in it, and so what the test
        # passes on: that is its own doing.
        raise ProgramError(told) if self.module_came else BadTask(told)

    def decode_object(self, kind: str, content: Any) -> Any:
        if kind == "object":
            if content not in self.remotes:
                self.remotes[content] = Remote(self, content)
            return self.remotes[content]
        if kind == "exception":
            place, name, bases = content
            if place not in self.remotes:
                self.remotes[place] = type(
                    str(name), tuple(map(self.decode, bases)), {PLACE: place}
                )
            return self.remotes[place]
        if kind == "given" and type(content) is int and 0 <= content < len(self.originals):
            return self.originals[content]
        if kind == "module":
            self.module_came = True
            return own_module(content)
        raise Ended


def is_harmless(kind: Any) -> TypeGuard[type[Exception]]:
    """Whether the tests may see an exception of this class. One that ends an iteration or the tests
    would let a program choose its verdict."""
    ending = (StopIteration, StopAsyncIteration, SystemExit, KeyboardInterrupt, GeneratorExit)
    return isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, ending)


def judge(side: JudgeSide, work: dict[str, str]) -> tuple[str, str]:
    """`(status, reason)`: passed, failed, or bad_task if the tests themselves can't run."""
    try:
        tree = ast.parse(work["tests"], TESTS)
        code = compile(tree, TESTS, "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError) as error:
        return "bad_task", f"the tests are not Python: {short(error)}"
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


UNREACHED = "the tests stop before it"
MARKS, GOT, GIVEN = "_marks", "_got", "_given"
TOLD_FAILURES, TOLD_CHARS, TOLD_PASSES = 8, 200, 1_000
"""What a count may tell: more would be cut on its way out."""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_WHOLE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


class TimesUp(BaseException):
    """No test may catch it."""


class Mark:
    """What stands around an assertion while tests are counted. Whatever it raises fails it, and the
    tests go on. The program has a say in `why`, so that decides nothing."""

    def __init__(self, line: int, tests: str) -> None:
        self.line, self.tests, self.why = line, tests, ""
        self.is_reached = self.fails = False

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        if isinstance(error, Exception) and not self.fails:
            self.fails, self.why = True, self.told(error)
        self.is_reached = self.is_reached or self.fails or error is None
        return isinstance(error, Exception)

    def told(self, error: Exception) -> str:
        if isinstance(error, AssertionError):
            return short(error) or "it does not hold"
        return reason_of(error, self.tests).partition(" in: ")[0]


def given(value: Any) -> str:
    return f"it gives {value!r}"


class Marking(ast.NodeTransformer):
    """Marks each assertion. One that compares also tells what it got."""

    def __init__(self, tests: str) -> None:
        self.tests = tests
        self.marks: list[Mark] = []

    def visit_Assert(self, node: ast.Assert) -> ast.With:
        if isinstance(node.test, ast.Compare) and node.msg is None:
            got = ast.NamedExpr(ast.Name(GOT, ast.Store()), node.test.left)
            compared = ast.Compare(got, node.test.ops, node.test.comparators)
            said = ast.Call(ast.Name(GIVEN, ast.Load()), [ast.Name(GOT, ast.Load())], [])
            node = ast.copy_location(ast.Assert(compared, said), node)
        return self.marked(node)

    def marked(self, node: ast.stmt) -> ast.With:
        marks, place = ast.Name(MARKS, ast.Load()), ast.Constant(len(self.marks))
        self.marks.append(Mark(node.lineno, self.tests))
        held = ast.withitem(context_expr=ast.Subscript(marks, place, ast.Load()))
        return ast.copy_location(ast.With(items=[held], body=[node]), node)


def may_run_again(tests: ast.Module) -> set[int]:
    """The lines of assertions in loops, and in functions that are named in one, or twice."""
    parts: list[ast.AST] = [node for node in ast.walk(tests) if isinstance(node, _LOOPS)]
    every = [*ast.walk(tests), *(node for loop in parts for node in ast.walk(loop))]
    named = [node.id for node in every if isinstance(node, ast.Name)]
    parts += [
        node
        for node in ast.walk(tests)
        if isinstance(node, ast.FunctionDef) and named.count(node.name) > 1
    ]
    inside = (node for part in parts for node in ast.walk(part))
    return {node.lineno for node in inside if isinstance(node, ast.Assert)}


def counted(side: JudgeSide, work: dict[str, Any]) -> dict[str, Any]:
    """Which assertions hold, wherever in the tests they stand: `passed` are their lines, `failed`
    the line and the reason of the first that don't. `broken`: why the program does not load.

    If the tests ran to their end and one held, those that were not reached hold as well: they are
    in branches that were not taken. Otherwise those that may run several times don't hold: some of
    their cases may not have been reached."""
    try:
        tree = ast.parse(work["tests"], TESTS)
        marking = Marking(work["tests"])
        marked = marking.visit(ast.parse(work["tests"], TESTS))
        assertions = list(marking.marks)
        # other statements, such as a call of a function with assertions, may fail as well
        marked.body = [
            node if isinstance(node, _WHOLE) else marking.marked(node) for node in marked.body
        ]
        code = compile(ast.fix_missing_locations(marked), TESTS, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return {"status": "bad_task", "reason": f"the tests are not Python: {short(error)}"}
    too_long = f"it takes longer than {work['seconds']:g} seconds"
    broken, stopped = too_long, ""
    signal.signal(signal.SIGALRM, times_up)
    signal.setitimer(signal.ITIMER_REAL, work["seconds"])
    try:
        first = side.receive()
        broken = f"{first['error']}: {first['message']}" if "error" in first else ""
        if not broken:
            names = namespace_for(side, work, tree) | {MARKS: marking.marks, GIVEN: given}
            exec(code, names)  # noqa: S102 - in the sandbox
    except TimesUp:
        stopped = too_long
    except SystemExit:
        stopped = "a test calls sys.exit"
    except Exception as error:
        stopped = reason_of(error, work["tests"])
        broken = broken and stopped
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    statements = marking.marks[len(assertions) :]
    is_whole = not (broken or stopped or any(mark.fails for mark in statements))
    is_whole = is_whole and any(mark.is_reached and not mark.fails for mark in assertions)
    unreached = broken or stopped or UNREACHED
    again = may_run_again(tree)
    held, failed = [], []
    for mark in assertions:
        if not mark.fails and (is_whole or (mark.is_reached and mark.line not in again)):
            held.append(mark.line)
        else:
            failed.append([mark.line, (mark.why if mark.is_reached else unreached)[:TOLD_CHARS]])
    return {
        "status": "counted",
        "broken": broken[:TOLD_CHARS],
        "passed": held[:TOLD_PASSES],
        "failed": failed[:TOLD_FAILURES],
    }


def times_up(*_: Any) -> None:
    raise TimesUp


def reason_of(error: Exception, tests: str) -> str:
    if isinstance(error, Ended | BrokenPipeError):
        return "it ended before its tests"
    if isinstance(error, AssertionError):
        return f"this test fails: {failing_line(error, tests)}"
    kind = "" if isinstance(error, ProgramError) else f"{type(error).__name__}: "
    return f"{kind}{short(error)} in: {failing_line(error, tests)}"


def namespace_for(side: JudgeSide, work: dict[str, str], tree: ast.Module) -> dict[str, Any]:
    """What the tests see: the task's own helpers, the standard library, then the program's names.
    The entry point is always the program's. Built-in functions are Python's, so a program can't
    define the `abs` or `len` of its result. But tests that call nothing else, such as `assert
    sum(10, 15) == 6`, need the program's."""
    names: dict[str, Any] = {"__name__": "tests"}
    exec(compile(work["prelude"], "prelude.py", "exec"), names)  # noqa: S102 - in the sandbox
    entry_point, wanted = work["entry_point"], wanted_names(tree)
    rest = {name for name in wanted if name not in names and not hasattr(builtins, name)}
    own_builtins = not entry_point and not rest
    found = False
    for name, is_dotted in wanted.items():
        if name != entry_point and name not in rest and not (own_builtins and name not in names):
            continue
        if is_dotted and name in sys.stdlib_module_names:
            names[name] = own_module(name)
            continue
        reply = side.ask(op="lookup", name=name)
        if "missing" not in reply:
            names[name], found = side.value(reply), True
        elif name == entry_point:
            raise ProgramError(f"the program does not define {name}")
    if own_builtins and wanted and not found:
        raise ProgramError("the program defines nothing that the tests call")
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
    """The standard library's module in this process, never one that the program wrote."""
    if not isinstance(name, str) or name.partition(".")[0] not in sys.stdlib_module_names:
        raise Ended
    try:
        return importlib.import_module(name)
    except BaseException as error:  # some do not like to be imported, and say so by leaving
        raise Ended from error


def failing_line(error: BaseException, tests: str) -> str:
    """The innermost line of the tests that an exception went through."""
    trace, number = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == TESTS:
            number = trace.tb_lineno
        trace = trace.tb_next
    lines = tests.splitlines()
    return lines[number - 1].strip()[:300] if 0 < number <= len(lines) else "the tests"
