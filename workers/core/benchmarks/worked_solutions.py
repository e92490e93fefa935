"""Worked solutions, as GSM8K writes them: words with marks, `<<48/2=24>>`, at each calculation."""

import re
from collections.abc import Mapping
from typing import Any

from workers.core.answers.equality import same_answer
from workers.core.answers.programs import is_python
from workers.core.tools.expression import ExpressionError, evaluate
from workers.core.tools.numbers import MathsError

SOLUTION = "solution"
"""The key of `TaskSpec.metadata` with a worked solution, which ends in `#### answer` or not."""

_MARK = re.compile(r"<<([^<>=]*)=[^<>]*>>")
_PLAIN = re.compile(r"[\d.+*/() -]+")


def solution_in(metadata: Mapping[str, Any]) -> str:
    """ "": there is none."""
    found = metadata.get(SOLUTION)
    return found.strip() if isinstance(found, str) else ""


def in_words(solution: str) -> str:
    """Without marks and the final answer."""
    return _MARK.sub("", solution).rpartition("####")[0 if "####" in solution else 2].strip()


def as_program(solution: str, reference: str) -> str | None:
    """The marked calculations as a program that prints the last one. None if they are no Python, or
    if the last one does not come to the reference."""
    steps = [step.strip() for step in _MARK.findall(solution)]
    if not steps or not all(map(_PLAIN.fullmatch, steps)):
        return None
    try:
        value = float(evaluate(steps[-1]))
    except (ExpressionError, MathsError, OverflowError):
        return None
    lines = [f"step_{number} = {step}" for number, step in enumerate(steps, 1)]
    program = "\n".join([*lines, f"print(step_{len(steps)})"])
    return program if is_python(program) and same_answer(f"{value:.12g}", reference) else None
