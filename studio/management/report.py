"""An evaluation's summary as lines for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Any

Row = dict[str, Any]
HEAD = ("arm", "accuracy", "95% interval", "tokens", "95% interval", "seconds", "median · p95")
BUDGETS_SHOWN = 8
"""More columns do not fit beside the names of the arms."""


def report_lines(summary: Row) -> Iterator[str]:
    """The arms as a table, a sentence per pair, then the arms at equal token budgets and by domain.

    Unknown values show as “–”. Cost has a column if an endpoint has prices.
    """
    yield from table_lines(_arm_rows(summary["arms"]))
    yield from note_lines(summary)
    yield from (pair_sentence(pair) for pair in summary["pairs"])
    if summary["at_equal_tokens"]:
        yield ""
        yield "Accuracy at equal token budgets (an answer above the budget counts as wrong):"
        yield from table_lines(_budget_rows(summary))
    if summary["domains"]:
        yield ""
        yield "Accuracy by domain, with the 95% interval, and tokens per answer:"
        yield from table_lines(_domain_rows(summary["domains"]))
    if left_out := summary["domains_left_out"]:
        yield f"{left_out:,} domains with too few tasks are not shown."


def note_lines(summary: Row) -> Iterator[str]:
    """Notes on the numbers: a line per arm that has any, then lines about all arms."""
    for arm in summary["arms"]:
        counts = {
            "failed": arm["failures"],
            "of these timed out": arm["out_of_time"],
            "with unknown tokens": arm["unknown_usage"],
            "from the cache and not timed": arm["cached"],
            "at the server's own temperature": arm["own_temperature"],
        }
        if told := ", ".join(f"{count:,} {what}" for what, count in counts.items() if count):
            yield f"{arm['label']}: {told}"
    if late := sum(arm["out_of_time"] for arm in summary["arms"]):
        yield (
            f"{late:,} answers reached their time limit, including the wait for a busy "
            "endpoint. They count as wrong. Evaluate again with more seconds or fewer answers "
            "at once."
        )
    for arm in summary["arms"]:
        if arm["cut_replies"] or arm["cut_finals"]:
            yield (
                f"{arm['label']}: {arm['cut_replies']:,} of {arm['replies']:,} replies and "
                f"{arm['cut_finals']:,} of {arm['finals']:,} final answers were cut at the "
                "token limit"
            )
    yield from (f"Warning: {warning['message']}" for warning in summary.get("cut_warnings", ()))
    if left_out := summary["unjudged_tasks"]:
        yield f"{left_out:,} tasks can't be judged. They count for no arm."


def pair_sentence(pair: Row) -> str:
    holm = "" if pair["holm_p"] is None else f" (Holm {format_p(pair['holm_p'])})"
    return (
        f"{pair['left']} − {pair['right']}: {format_points(pair['difference'])} "
        f"{format_interval(pair['interval'])} over {pair['n']:,} tasks, "
        f"{pair['only_left']:,} : {pair['only_right']:,}, "
        f"p = {format_p(pair['mcnemar_p'])}{holm}"
    )


def table_lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as their widest cell. The first aligns left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([f"{first:{widths[0]}}", *cells])


def _arm_rows(arms: Sequence[Row]) -> list[list[str]]:
    priced = any(arm["cost_mean"] is not None for arm in arms)
    rows = [[*HEAD, *(["cost/answer"] if priced else [])]]
    for arm in arms:
        quantiles = (
            f"{format_seconds(arm['seconds_median'])} · {format_seconds(arm['seconds_p95'])}"
        )
        row = [
            arm["label"],
            format_percent(arm["accuracy"]),
            format_interval(arm["interval"]),
            format_number(arm["tokens_mean"]),
            format_range(arm["tokens_interval"]),
            format_seconds(arm["seconds_mean"]),
            "–" if arm["seconds_median"] is None else quantiles,
        ]
        rows.append([*row, *([format_dollars(arm["cost_mean"])] if priced else [])])
    return rows


def _budget_rows(summary: Row) -> list[list[str]]:
    """Evenly chosen budgets, including the largest. An arm without a judged answer shows “–”."""
    points = summary["at_equal_tokens"]
    accuracies = {(point["label"], point["budget"]): point["accuracy"] for point in points}
    budgets = sorted({point["budget"] for point in points})
    step = -(-len(budgets) // BUDGETS_SHOWN)
    shown = budgets[(len(budgets) - 1) % step :: step]
    rows = [["token limit per answer", *(format_number(budget) for budget in shown)]]
    for label in (arm["label"] for arm in summary["arms"]):
        found = (accuracies.get((label, budget)) for budget in shown)
        rows.append([label, *map(format_percent, found)])
    return rows


def _domain_rows(shares: Sequence[Row]) -> list[list[str]]:
    rows = [["domain", "arm", "tasks", "accuracy", "95% interval", "tokens"]]
    told = ""
    for share in shares:
        domain = share["domain"] or "without a domain"
        rows.append(
            [
                "" if domain == told else domain,
                share["label"],
                format_number(share["tasks"]),
                format_percent(share["accuracy"]),
                format_interval(share["interval"]),
                format_number(share["tokens_mean"]),
            ]
        )
        told = domain
    return rows


def format_percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def format_points(difference: float | None) -> str:
    return "–" if difference is None else f"{100 * difference:+.1f} points"


def format_interval(interval: dict[str, float] | None) -> str:
    if interval is None:
        return "–"
    return f"[{100 * interval['low']:.1f}, {100 * interval['high']:.1f}]"


def format_range(interval: dict[str, float] | None) -> str:
    """An interval of whole numbers, which may contain commas."""
    if interval is None:
        return "–"
    return f"{format_number(interval['low'])}–{format_number(interval['high'])}"


def format_number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def format_seconds(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.1f}" if value >= 10 else f"{value:.2f}"


def format_dollars(value: float | None) -> str:
    return "–" if value is None else f"${value:.5f}"


def format_p(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"
