"""The calculator: arithmetic with its own parser, never by evaluating code."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workers.core.tools.base import JsonSchema, ToolLimits, ToolResult, object_schema
from workers.core.tools.expression import ExpressionError, evaluate
from workers.core.tools.numbers import shown


@dataclass(frozen=True, slots=True)
class Calculator:
    key: str = "calculator"
    name: str = "Calculator"
    description: str = (
        "Exact arithmetic: + - * / // % ** ( ), percent, and sqrt abs min max round floor ceil log "
        "exp sin cos tan factorial gcd comb pi e."
    )

    @property
    def parameters(self) -> JsonSchema:
        example = {"type": "string", "description": "for example (3 + 4) * 12 / 5"}
        return object_schema({"expression": example}, "expression")

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult:
        expression = arguments.get("expression")
        if isinstance(expression, int | float) and not isinstance(expression, bool):
            expression = repr(expression)
        if not isinstance(expression, str):
            return ToolResult(False, 'Give the expression as text: {"expression": "2 + 3"}.')
        try:
            value = shown(evaluate(expression.strip().removesuffix("=")))
        except ExpressionError as error:
            return ToolResult(False, f"Cannot compute this: {error}.")
        if len(value) > limits.output_chars:
            return ToolResult(False, f"The result has {len(value):,} digits; ask for less.")
        return ToolResult(True, value)
