"""Completes a program with helpers that other blocks of its message define.

Models spread a program over blocks: a helper, then the function that calls it. Nothing runs here.
"""

import ast
import builtins
from collections.abc import Iterator, Sequence

_MOST_HELPERS = 40
_BUILTIN = frozenset(dir(builtins)) | {"__name__", "__file__"}


def assembled(code: str, tree: ast.Module, others: Sequence[tuple[str, ast.Module]]) -> str:
    """`code`, preceded by what it needs from `others`: definitions, assignments and imports of
    names that it uses but does not bind, and what these need. The nearest block comes first."""
    missing = _used(tree) - _bound(tree) - _BUILTIN
    bound = _bound(tree)
    needed: dict[tuple[int, int], str] = {}
    while missing and len(needed) < _MOST_HELPERS:
        name = min(missing)
        missing.discard(name)
        bound.add(name)
        found = _definition(name, others)
        if found is None:
            continue
        place, node = found
        needed[place, node.lineno] = _source(others[place][0], node)
        missing |= _used(node) - _bound(node) - _BUILTIN - bound
    if not needed:
        return code
    parts = [text for _, text in sorted(needed.items())]
    imports = [part for part in parts if part.startswith(("import ", "from "))]
    future, rest = _future(code, tree)
    return "\n\n".join(
        part
        for part in (future, "\n".join(imports), *(p for p in parts if p not in imports), rest)
        if part
    )


def _definition(name: str, others: Sequence[tuple[str, ast.Module]]) -> tuple[int, ast.stmt] | None:
    for place in reversed(range(len(others))):
        for node in reversed(others[place][1].body):
            if name in _names_of(node):
                return place, node
    return None


def _names_of(node: ast.stmt) -> set[str]:
    """The names that a statement at the top of a module binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return _stored(node)
    return set()


def _used(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - _stored(tree)


def _stored(tree: ast.AST) -> set[str]:
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if not isinstance(node.ctx, ast.Load)}


def _bound(tree: ast.AST) -> set[str]:
    return _stored(tree) | set(_bindings(tree))


def _bindings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name


def _source(code: str, node: ast.stmt) -> str:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    return "\n".join(code.split("\n")[first - 1 : node.end_lineno])


def _future(code: str, tree: ast.Module) -> tuple[str, str]:
    """Keep `from __future__` as the first line."""
    lines = [
        node.lineno
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    if not lines:
        return "", code
    split = code.split("\n")
    return "\n".join(split[: lines[-1]]), "\n".join(split[lines[-1] :]).lstrip("\n")
