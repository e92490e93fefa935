"""The names that a code task's program must define, because its tests use them."""

import ast
import builtins

from workers.core.specs import TaskSpec

_BUILTIN = frozenset(dir(builtins))


def entry_points(task: TaskSpec) -> tuple[str, ...]:
    """The metadata's `entry_point`, otherwise the names that the tests call but neither define nor
    import. Empty for a text task and for tests that are not Python."""
    if task.answer_form != "code":
        return ()
    named = task.metadata.get("entry_point")
    if isinstance(named, str) and named.isidentifier():
        return (named,)
    return _called(f"{_text(task, 'prelude')}\n{_text(task, 'tests')}")


def _text(task: TaskSpec, name: str) -> str:
    given = task.metadata.get(name, "")
    return "\n".join(map(str, given)) if isinstance(given, list) else str(given)


def _called(code: str) -> tuple[str, ...]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    known = set(_BUILTIN)
    called: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            known.add(node.name)
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.alias):
            known.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            known.add(node.id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called[node.func.id] = None
    return tuple(name for name in called if name not in known)
