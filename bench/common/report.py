"""The end of every benchmark: a table for people, and a last line of JSON for programs."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value with at least `share` (0..1] of all values at or below it."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * round(share * 1000) // 1000) - 1)]


def _stolen_seconds() -> float | None:
    """CPU seconds that the host gave to other virtual machines; None if it does not say."""
    try:
        first = Path("/proc/stat").read_text().split("\n", 1)[0].split()
        return int(first[8]) / 100
    except (OSError, IndexError, ValueError):
        return None


_STARTED = (time.monotonic(), _stolen_seconds())


def _disturbance() -> str:
    """Says whether the machine was quiet. Figures of two benchmark runs compare only if it was."""
    then, stolen_then = _STARTED
    stolen_now = _stolen_seconds()
    if stolen_then is None or stolen_now is None:
        return (
            "This machine does not say whether other machines took CPU time during the benchmark."
        )
    taken = stolen_now - stolen_then
    return (
        f"Other machines took {taken:.1f} s of CPU time in these {time.monotonic() - then:.0f} s."
    )


def report(
    bench: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    /,
    **values: float | Mapping[str, float] | None,
) -> None:
    """Print the table and `{"bench": …, key: value, …}`, rounded to 3 decimals; None: not run."""
    table = Table(*columns, title=bench)
    for row in rows:
        table.add_row(*row)
    console = Console(width=110)
    console.print(table)
    console.print(_disturbance())
    rounded = {key: _rounded(value) for key, value in values.items()}
    print(json.dumps({"bench": bench, **rounded}), flush=True)


def _rounded(value: float | Mapping[str, float] | None) -> float | dict[str, float] | None:
    if value is None:
        return None
    if isinstance(value, Mapping):
        return {key: round(each, 3) for key, each in value.items()}
    return round(value, 3)
