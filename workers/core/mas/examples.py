"""Finds a question's examples for its program: assertions, doctests, `f(1) == 2`.

A question may be hostile: it is bounded and parsed, and none of it runs here.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from doctest import DocTestParser

from workers.core.answers.programs import blocks

READ_CHARS = 32_000
EXAMPLES = 20
_ARROW = re.compile(r"\s(?:==|=>|->|➞|→)\s")
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)

Example = tuple[str, str | None]
"""Code and the value that it must have. None: a statement that must run."""


@dataclass(frozen=True, slots=True)
class Examples:
    """`prelude` has the imports of the question's code, which an answer may omit."""

    prelude: str
    examples: tuple[Example, ...]


def examples_in(query: str) -> Examples:
    """Each example once, in the order of the question, at most `EXAMPLES`."""
    imports: list[str] = []
    found: dict[Example, None] = {}
    for code in _code(query[:READ_CHARS]):
        tree = _module(code)
        if tree is None:
            found |= dict.fromkeys(_in_text(code))
            continue
        imports += [ast.unparse(node) for node in tree.body if _is_import(node)]
        found |= dict.fromkeys(_assertions(tree))
        for text in _docstrings(tree):
            found |= dict.fromkeys(_in_text(text))
    return Examples("\n".join(imports), tuple(found)[:EXAMPLES])


def _code(query: str) -> list[str]:
    inside = [block.code for block in blocks(query) if block.is_python or not block.language]
    return inside or [query]


def _assertions(tree: ast.Module) -> Iterator[Example]:
    for node in tree.body:
        if isinstance(node, ast.Assert):
            yield ast.unparse(node), None


def _docstrings(tree: ast.Module) -> Iterator[str]:
    documented = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in ast.walk(tree):
        if isinstance(node, documented):
            yield ast.get_docstring(node) or ""


def _in_text(text: str) -> Iterator[Example]:
    try:
        shown = DocTestParser().get_examples(text)
    except ValueError:
        shown = []
    for example in shown:
        code, want = example.source.strip(), example.want.strip()
        if want and _is_call(code) and _expression(want):
            yield code, want
    for line in () if shown else text.split("\n"):
        sides = _ARROW.split(line.strip(), maxsplit=1)
        if len(sides) == 2 and _is_call(sides[0]) and _expression(sides[1]):
            yield sides[0].strip(), sides[1].strip()


def _is_call(code: str) -> bool:
    tree = _expression(code)
    return tree is not None and isinstance(tree.body, ast.Call)


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _module(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except _UNREADABLE:
        return None


def _expression(code: str) -> ast.Expression | None:
    try:
        return ast.parse(code.strip(), mode="eval")
    except _UNREADABLE:
        return None
