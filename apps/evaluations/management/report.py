"""A summary as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

HEAD = "accuracy  95% interval     tokens  cost/answer  failures  unknown usage"


def report_lines(summary: dict[str, Any]) -> Iterator[str]:
    """The arms as a table, then each pair in a sentence. What is unknown shows as “–”."""
    arms = summary["arms"]
    width = max((len(arm["label"]) for arm in arms), default=0)
    yield f"{'arm':{width}}  {HEAD}"
    for arm in arms:
        counts = f"{arm['failures']:>8}  {arm['unknown_usage']:>13}"
        yield (
            f"{arm['label']:{width}}  {format_percent(arm['accuracy']):>8}  "
            f"{format_interval(arm['interval']):<14}  {format_number(arm['tokens_mean']):>7}  "
            f"{format_dollars(arm['cost_mean']):>11}  {counts}"
        )
    if left_out := summary["unjudged_tasks"]:
        yield f"{left_out:,} tasks cannot be judged and are left out for every arm alike."
    for pair in summary["pairs"]:
        yield (
            f"{pair['left']} − {pair['right']}: {format_points(pair['difference'])} "
            f"{format_interval(pair['interval'])} over {pair['n']} tasks, "
            f"{pair['only_left']} : {pair['only_right']}, "
            f"p = {format_p(pair['mcnemar_p'])} (Holm {format_p(pair['holm_p'])})"
        )


def format_percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def format_points(difference: float | None) -> str:
    return "–" if difference is None else f"{100 * difference:+.1f} points"


def format_interval(interval: dict[str, float] | None) -> str:
    if interval is None:
        return "–"
    return f"[{100 * interval['low']:.1f}, {100 * interval['high']:.1f}]"


def format_number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def format_dollars(value: float | None) -> str:
    return "–" if value is None else f"${value:.5f}"


def format_p(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"
