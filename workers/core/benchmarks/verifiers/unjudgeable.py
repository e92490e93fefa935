"""Finds tests that can't judge a program, before a task is stored."""

import ast
import builtins


def why_unjudgeable(tests: str) -> str | None:
    """Why Python tests can't judge a program, or None: they have no syntax tree, or they pass an
    instance of their own class to what the program defines. It would have to cross into the
    program's process (`judge`), and only data and functions do."""
    try:
        tree = ast.parse(tests)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"the tests are not Python: {error}"
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
    """Classes without a base class: one derived from a tuple or a number is sent as data."""
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
