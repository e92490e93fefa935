"""Role match, failure categories and structure (M, M− and M+) as lines for a terminal."""

from collections.abc import Iterator

from studio.management.report import (
    Row,
    format_interval,
    format_number,
    format_percent,
    pair_sentence,
)

ROLES_HEAD = "roles match  95% interval    similarity  95% interval     wrong  failed"


def rationality_lines(report: Row) -> Iterator[str]:
    """For each arm its roles, then its wrong answers by category, then M, M− and M+."""
    arms = report["arms"]
    width = max((len(arm["label"]) for arm in arms), default=0)
    yield f"{'arm':{width}}  {ROLES_HEAD}"
    for arm in arms:
        counts = f"{arm['wrong']:>5}  {arm['failed']:>6}"
        yield f"{arm['label']:{width}}  {_roles(arm['roles'])}  {counts}"
    for arm in arms:
        if arm["categories"]:
            yield ""
            yield f"{arm['label']}: {arm['wrong']:,} wrong"
        for found in arm["categories"]:
            share = found["count"] / arm["wrong"]
            name = (found["category"] or "undecided").replace("_", " ")
            yield f"  {found['count']:>5}  {share:>6.1%}  {name}{_by(found)}"
    for arm in (report["structure"] or {"arms": []})["arms"]:
        yield ""
        yield from structure_lines(arm)


def structure_lines(arm: Row) -> Iterator[str]:
    yield (
        f"{arm['label']}: the graph (M), one agent less (M−) and one more (M+), over "
        f"{arm['tasks']:,} tasks"
    )
    for variant in arm["variants"]:
        yield (
            f"  {variant['kind']:<2}  {format_percent(variant['accuracy']):>7}  "
            f"{format_interval(variant['interval']):<14}  {variant['correct']} of {variant['n']}, "
            f"{format_number(variant['tokens_mean'])} tokens"
        )
    for pair in arm["pairs"]:
        yield f"  {pair_sentence(pair)}"


def _roles(roles: Row | None) -> str:
    if roles is None:
        return f"{'–':>11}  {'–':<14}  {'–':>10}  {'–':<15}"
    interval = roles["similarity_interval"]
    similar = "–" if interval is None else f"[{interval['low']:.3f}, {interval['high']:.3f}]"
    return (
        f"{format_percent(roles['share']):>11}  {format_interval(roles['share_interval']):<14}  "
        f"{roles['similarity']:>10.3f}  {similar:<15}"
    )


def _by(found: Row) -> str:
    if found["by"] == "rule":
        return ", by rule"
    return f", judged by {found['judge']}" if found["by"] == "judge" else ""
