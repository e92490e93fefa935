"""How every benchmark ends: a table for people, and a last line of JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value with at least `share` (0..1] of all values at or below it."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * round(share * 1000) // 1000) - 1)]


def report(
    bench: str, columns: Sequence[str], rows: Sequence[Sequence[str]], **values: float
) -> None:
    """Prints the table and `{"bench": …, key: value, …}`, rounded to 3 decimals."""
    table = Table(*columns, title=bench)
    for row in rows:
        table.add_row(*row)
    Console(width=110).print(table)
    rounded = {key: round(value, 3) for key, value in values.items()}
    print(json.dumps({"bench": bench, **rounded}), flush=True)
