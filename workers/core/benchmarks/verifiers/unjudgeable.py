"""Tests that no program can be judged by, found before a task is stored."""

from __future__ import annotations

import ast
import builtins


def why_unjudgeable(tests: str) -> str | None:
    """Why tests in Python judge no program, or None: no syntax tree, or an instance of a class of
    their own among the arguments of what the program defines. It would have to cross into the
    program's process (`judge`), and only data and functions do."""
    try:
        tree = ast.parse(tests)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"the tests are no Python: {error}"
    own = _own_classes(tree)
    if not own:
        return None
    instances = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _called(node.value) & own
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    here = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)} | own
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id in here or hasattr(builtins, node.func.id):
            continue
        for given in [*node.args, *(keyword.value for keyword in node.keywords)]:
            found = (_called(given) & own) or (_names(given) & instances)
            if found:
                return f"line {node.lineno} passes an object of the tests' own class to the program"
    return None


def _own_classes(tree: ast.Module) -> set[str]:
    """Those that are not derived from anything: a tuple's or a number's heir goes as data."""
    return {
        node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and not node.bases
    }


def _called(tree: ast.expr) -> set[str]:
    return {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def _names(tree: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
