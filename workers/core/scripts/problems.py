"""Why a script can't be used: one exception that carries every problem."""

import ast
from collections.abc import Sequence

from workers.core.errors import CoreError
from workers.core.events.scripts import ScriptProblem

MOST_PROBLEMS = 10
_SHOWN_CHARS = 40


class ScriptError(CoreError):
    """`problems`: at least one, in the order of their lines. Those of no line come last."""

    def __init__(self, problems: Sequence[ScriptProblem]) -> None:
        unique = dict.fromkeys(problems)
        ordered = sorted(unique, key=lambda each: (each.line is None, each.line or 0))
        self.problems = tuple(ordered[:MOST_PROBLEMS])
        first = self.problems[0]
        super().__init__(code=first.code, message=placed(first), remedy=first.remedy)


def placed(problem: ScriptProblem) -> str:
    """Its message, with its line: “Line 2: A script imports nothing but workflow.”"""
    return problem.message if problem.line is None else f"Line {problem.line}: {problem.message}"


def told(problem: ScriptProblem) -> str:
    """What a designer is told: line, message and remedy."""
    return f"{placed(problem)} {problem.remedy}".strip()


def excerpt(node: ast.AST) -> str:
    """The code of a node in “…”, cut where it is long."""
    try:
        return quoted(ast.unparse(node))
    except (RecursionError, ValueError):
        return "“…”"


def quoted(text: str) -> str:
    line = " ".join(text.split())
    printable = "".join(each if each.isprintable() else "?" for each in line[: _SHOWN_CHARS + 1])
    return f"“{printable}”" if len(printable) <= _SHOWN_CHARS else f"“{printable[:_SHOWN_CHARS]}…”"
