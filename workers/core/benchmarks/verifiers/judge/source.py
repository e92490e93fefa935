"""The package as one program text."""

import ast
from functools import lru_cache
from pathlib import Path

_PARTS = ("containers", "channel", "program_side", "remote", "judge_side", "inside")


@lru_cache(maxsize=1)
def judge_source() -> str:
    """The modules one after another, without the imports between them."""
    folder = Path(__file__).parent
    parts = [ast.parse((folder / f"{part}.py").read_text(encoding="utf-8")) for part in _PARTS]
    body = [statement for part in parts for statement in part.body if not _is_internal(statement)]
    return ast.unparse(ast.Module(body=body, type_ignores=[]))


def _is_internal(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith(
        ("workers.", "__future__")
    )
