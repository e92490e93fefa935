"""Compares how answers are read and judged: by the studio, by math-verify and by lm-eval's filters.

    bin/studio bench verifiers [--kinds numeric,latex] [--show]

The table (`workers/core/evaluation/answer_table`) has messages with their correct verdicts, about
as many wrong as right. `false right` is a wrong message called right, which spoils a comparison
unnoticed. `false wrong` is a right message called wrong. A reader judges the kinds that it is made
for; its row says how many messages these are. `us_p95`: 95% of our judgements take no longer,
including reading. Programs run in the sandbox and take longer, so each kind has its own figure. If
math-verify takes more than 20 s, the message counts as called wrong.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.common.other_readers import MathVerify, flexible_extract, strict_match
from bench.common.report import percentile, report
from workers.core.evaluation.answer_table import KINDS, Row, judged, rows

OURS = "this studio"


@dataclass(slots=True)
class Count:
    """One reader's verdicts on the messages that it judges. Times are microseconds."""

    judged: int = 0
    false_right: list[Row] = field(default_factory=list)
    false_wrong: list[Row] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def add(self, row: Row, said: bool | None, seconds: float) -> None:
        if said is None:
            return
        self.judged += 1
        self.times.append(seconds * 1e6)
        if said != row.right:
            (self.false_right if said else self.false_wrong).append(row)


async def measure(table: Sequence[Row]) -> tuple[dict[str, Count], dict[str, list[float]]]:
    """The counts by reader, and our times by kind."""
    counts = {name: Count() for name in (OURS, "math-verify", "lm-eval strict", "lm-eval flexible")}
    by_kind: dict[str, list[float]] = {}
    other = MathVerify()
    try:
        for row in _warm(table):
            await judged(row)
        for row in table:
            began = time.perf_counter()
            said = await judged(row)
            seconds = time.perf_counter() - began
            counts[OURS].add(row, said, seconds)
            by_kind.setdefault(row.kind, []).append(seconds * 1e6)
            given = row.kind, row.message, row.reference or ""
            for name, read in (
                ("math-verify", other.right),
                ("lm-eval strict", strict_match),
                ("lm-eval flexible", flexible_extract),
            ):
                began = time.perf_counter()
                counts[name].add(row, read(*given), time.perf_counter() - began)
    finally:
        other.close()
    return counts, by_kind


def _warm(table: Sequence[Row]) -> list[Row]:
    """Judge one message of each kind first: processes start, patterns are compiled."""
    return list({row.kind: row for row in table}.values())


def main() -> None:
    parser = argparse.ArgumentParser(prog="verifiers", description=__doc__.split("\n")[0])
    parser.add_argument("--kinds", default=",".join(KINDS), help="comma-separated")
    parser.add_argument(
        "--show", action="store_true", help="print every message with a different verdict"
    )
    given = parser.parse_args()
    kinds = [kind for kind in KINDS if kind in given.kinds.split(",")]
    table = [*rows(*kinds)]
    counts, by_kind = asyncio.run(measure(table))
    for name, count in counts.items() if given.show else ():
        for verdict, found in (("right", count.false_right), ("wrong", count.false_wrong)):
            for row in found:
                told = f"{row.message[-80:]!r} for {row.reference!r}"
                print(f"{name} calls {row.kind} {row.line} {verdict}: {told}")
    lines = [
        (
            name,
            str(count.judged),
            str(len(count.false_right)),
            str(len(count.false_wrong)),
            f"{percentile(count.times, 0.95):,.0f}" if count.times else "-",
        )
        for name, count in counts.items()
    ]
    ours = counts[OURS]
    columns = ("reader", "messages", "false right", "false wrong", "µs, p95")
    report(
        "verifiers",
        columns,
        lines,
        rows=ours.judged,
        false_right=len(ours.false_right),
        false_wrong=len(ours.false_wrong),
        us_p95=percentile(ours.times, 0.95),
        us_p95_by_kind={kind: percentile(times, 0.95) for kind, times in by_kind.items()},
        false_right_others={name: len(c.false_right) for name, c in counts.items() if name != OURS},
        false_wrong_others={name: len(c.false_wrong) for name, c in counts.items() if name != OURS},
    )


if __name__ == "__main__":
    main()
