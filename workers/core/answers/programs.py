"""Finds and parses programs in a model's message: fenced blocks of Python. It never runs them.

A message is hostile. It is read line by line without slow patterns, and parsing is bounded in
length and number.
"""

import ast
import re
import textwrap
from collections.abc import Callable, Collection
from dataclasses import dataclass

from workers.core.answers.assembled import assembled

READ_CHARS = 64_000
PROGRAM_CHARS = 16_000
_TRIED_BLOCKS = 16
_TRIED_CUTS = 3
"""Bounds of the work that a hostile message can cause. Programs are at the end of a message."""

_FENCE = "```"
_PYTHON = frozenset({"python", "python3", "py", "py3"})
_LANGUAGE = re.compile(r"[\s{.]{0,8}([A-Za-z0-9_+-]{0,20})")
_FIRST_CODE_LINE = re.compile(
    r"(?:def|class|async def) \w{1,80}\s{0,4}[(:]|import \w|from [\w.]{1,80} import \w|@\w"
)
_AROUND = re.compile(r"test|main$|demo|example|run_tests", re.IGNORECASE)
"""Names of code around a solution."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block. `language` is the word at its fence in lower case, or ""."""

    language: str
    code: str
    closed: bool

    @property
    def is_python(self) -> bool:
        return self.language in _PYTHON


@dataclass(frozen=True, slots=True)
class _Program:
    """Code that parses. `place` orders the programs of a message."""

    code: str
    tree: ast.Module
    tagged: bool
    place: int

    @property
    def names(self) -> set[str]:
        """Names of its functions, classes and top-level assignments."""
        defined = {node.name for node in self._definitions}
        assigned = (node.targets for node in self.tree.body if isinstance(node, ast.Assign))
        return defined | {
            target.id for each in assigned for target in each if isinstance(target, ast.Name)
        }

    @property
    def defines(self) -> int:
        """2 for a program with a function or class, 1 if these only test it or show it."""
        solving = [node.name for node in self._definitions if not _AROUND.match(node.name)]
        return 2 if solving else int(any(isinstance(node, _DEFINITIONS) for node in self.tree.body))

    @property
    def _definitions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
        """Its functions and classes that do something. A stub shows only a signature."""
        found = [node for node in self.tree.body if isinstance(node, _DEFINITIONS)]
        return [node for node in found if not all(map(_is_left_out, node.body))]


def extract_program(message: str, entry_points: Collection[str] = ()) -> str | None:
    """The program that a message gives as its answer, or None.

    The last block that defines most of `entry_points`, the names that the task's tests use. If none
    does, the last block that defines a function or class, because later blocks are often an
    example, a test or a `main`. Otherwise the last block that parses. Blocks marked as Python come
    before unmarked ones. A message without blocks may be a program itself. Helpers that other
    blocks define are put before the program (`mas.assembled`).
    """
    readable = [block for block in blocks(message) if block.is_python or not block.language]
    if not readable:
        return _bare(message)
    programs = _programs(readable)
    wanted = frozenset(entry_points)
    best = max(
        programs,
        key=lambda each: (len(wanted & each.names), each.defines, each.tagged, each.place),
        default=None,
    )
    if best is None or not best.defines:
        return best.code if best else None
    others = [(each.code, each.tree) for each in programs if each is not best]
    return assembled(best.code, best.tree, others)


def program_to_run(message: str) -> str | None:
    """The last block of Python, preferably one that parses. None if the message has no program.

    A block that does not parse is worth running if there is no other: its error says why.
    """
    found = _best(message, lambda program: (program.tagged, program.place))
    if found is not None:
        return found
    tagged = [block.code for block in blocks(message) if block.is_python and block.code.strip()]
    return tagged[-1] if tagged else None


def is_python(code: str) -> bool:
    return _parsed(code) is not None


def normalise_program(code: str) -> str:
    """A program as a vote counts it: its text without comments and layout."""
    try:
        return ast.unparse(ast.parse(code[:PROGRAM_CHARS]))
    except _UNREADABLE:
        return "\n".join(line.rstrip() for line in code.strip().split("\n"))


def prose(message: str) -> str:
    """The message without its fenced blocks."""
    kept, inside = [], False
    for line in message[-READ_CHARS:].split("\n"):
        opens = line.count(_FENCE) % 2 == 1
        if not inside and not opens and _FENCE not in line:
            kept.append(line)
        inside ^= opens
    return "\n".join(kept)


def blocks(message: str) -> list[Block]:
    """The fenced blocks in order. A fence may follow other text on its line, enclose code on one
    line, or never be closed. A fence with a language inside a block begins the next one."""
    found: list[Block] = []
    language: str | None = None
    lines: list[str] = []
    for line in message[-READ_CHARS:].split("\n"):
        before, fence, after = line.partition(_FENCE)
        if language is None:
            if fence and _FENCE in after:
                found.append(_inline(after.partition(_FENCE)[0]))
            elif fence:
                language, lines = _language(after), []
        elif fence and (not before.strip() or not after.strip()):
            lines.append(before)
            found.append(_block(language, lines, closed=True))
            language, lines = _reopened(after), []
        else:
            lines.append(line)
    if language is not None:
        found.append(_block(language, lines, closed=False))
    return found


def _block(language: str, lines: list[str], *, closed: bool) -> Block:
    return Block(language, textwrap.dedent("\n".join(lines)).strip("\n").rstrip(), closed)


def _inline(text: str) -> Block:
    language, _, code = text.strip().partition(" ")
    is_python = language.lower() in _PYTHON
    return Block(
        language.lower() if is_python else "", code.strip() if is_python else text.strip(), True
    )


def _reopened(after_fence: str) -> str | None:
    language = _language(after_fence)
    return language if language in _PYTHON else None


def _language(text: str) -> str:
    found = _LANGUAGE.match(text)
    return found.group(1).lower() if found else ""


def _best(message: str, order: Callable[[_Program], tuple[int, ...]]) -> str | None:
    readable = [block for block in blocks(message) if block.is_python or not block.language]
    if not readable:
        return _bare(message)
    best = max(_programs(readable), key=order, default=None)
    return best.code if best else None


def _programs(readable: list[Block]) -> list[_Program]:
    found = []
    for place, block in enumerate(readable[-_TRIED_BLOCKS:]):
        code = block.code if block.closed else _without_tail(block.code)
        tree = _parsed(code)
        if tree is not None and tree.body and (block.is_python or _looks_like_code(tree)):
            found.append(_Program(code, tree, block.is_python, place))
    return found


def _bare(message: str) -> str | None:
    """Code without a fence, from the first line that can only be code."""
    lines = message[-READ_CHARS:].split("\n")
    start = next((i for i, line in enumerate(lines) if _FIRST_CODE_LINE.match(line)), None)
    code = message.strip() if start is None else _without_tail("\n".join(lines[start:]).rstrip())
    tree = _parsed(code)
    return code if tree is not None and _looks_like_code(tree) else None


def _without_tail(code: str) -> str:
    """Code up to the point where it stops parsing: prose may follow a fence that is never
    closed."""
    for _ in range(_TRIED_CUTS):
        line = _first_bad_line(code)
        if line is None:
            return code
        code = "\n".join(code.split("\n")[: line - 1]).rstrip()
    return code


def _first_bad_line(code: str) -> int | None:
    try:
        ast.parse(code[:PROGRAM_CHARS])
    except SyntaxError as error:
        return error.lineno or 1
    except _UNREADABLE:
        return None
    return None


def _parsed(code: str) -> ast.Module | None:
    try:
        return ast.parse(code) if len(code) <= PROGRAM_CHARS else None
    except _UNREADABLE:
        return None


def _looks_like_code(tree: ast.Module) -> bool:
    """Whether it is a program: it defines, imports or prints. A word, `Paris (France)` and `Answer:
    42` also parse."""
    certain = (*_DEFINITIONS, ast.Import, ast.ImportFrom)
    return any(isinstance(node, certain) or _prints(node) for node in tree.body)


def _is_left_out(node: ast.stmt) -> bool:
    """`pass`, `...`, a docstring, `raise NotImplementedError`."""
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
            return name == "NotImplementedError"
    return False


def _prints(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return True
    return False
