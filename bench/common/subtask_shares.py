"""The share of subtasks that an evaluation's runs answered right. It shows differences between arms
whose final answers are seldom right.

    bin/studio manage evaluate … --out RESULTS.csv
    STUDIO_TOKEN=… python -m bench.common.subtask_shares RESULTS.csv --studio http://127.0.0.1:8000

It prints Markdown, over all tasks and by domain. A subtask counts if its right answer is known. The
share is the mean over tasks of each task's share. Its interval (95%) takes the task as the unit,
because the subtasks of a task depend on each other. Runs without subtasks do not count.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.common.asked_runs import arguments, asked
from workers.core.intervals import share_interval

ALL = "all"


@dataclass(frozen=True, slots=True)
class RunShare:
    """One run: `right` of its `judged` subtasks are right."""

    arm: str
    domain: str
    judged: int
    right: int


def main() -> None:
    options = arguments("Show the share of right subtasks, by arm and domain.").parse_args()
    answers = asked(
        options, lambda told: subtasks_of(told["results"]), part="/events?page_size=5000"
    )
    shares = [
        RunShare(row["arm"], row.get("domain", ""), len(found), sum(found))
        for row, found in answers
        if found
    ]
    for line in table_lines(shares):
        print(line)


def subtasks_of(stored: Iterable[Mapping[str, Any]]) -> list[bool]:
    """Whether each subtask of the last attempt was right, for those where that is known."""
    events = list(stored)
    last = max((event["attempt"] for event in events), default=0)
    told = [one["event"] for one in events if one["attempt"] == last]
    right = [one.get("correct") for one in told if one["event"] == "subtask_answered"]
    planned = max((_known(one) for one in told if one["event"] == "subtasks_planned"), default=0)
    # What was never reached, or got no answer, is not right either.
    judged = [bool(one) for one in right if one is not None]
    return judged + [False] * max(0, planned - len(judged))


def _known(planned: Mapping[str, Any]) -> int:
    """Subtasks whose right answer is known."""
    return sum(each.get("reference") is not None for each in planned["task_graph"]["subtasks"])


def table_lines(shares: Sequence[RunShare]) -> Iterator[str]:
    if not shares:
        yield "None of these runs has a subtask with a known right answer."
        return
    domains = list(dict.fromkeys(share.domain for share in shares if share.domain))
    columns = [ALL, *(domains if len(domains) > 1 else [])]
    yield f"| subtasks right (interval) | {' | '.join(columns)} |"
    yield f"| --- | {' | '.join('---' for _ in columns)} |"
    for arm in dict.fromkeys(share.arm for share in shares):
        mine = [share for share in shares if share.arm == arm]
        cells = (_told([s for s in mine if column in (ALL, s.domain)]) for column in columns)
        yield f"| {arm} | {' | '.join(cells)} |"


def _told(shares: Sequence[RunShare]) -> str:
    judged = sum(share.judged for share in shares)
    if not judged:
        return "–"
    parts = [share.right / share.judged for share in shares]
    interval = share_interval(parts, judged)
    assert interval is not None
    low, high = 100 * interval.low, 100 * interval.high
    return f"{math.fsum(parts) / len(parts):.1%} ({low:.1f}–{high:.1f}) of {judged:,}"


if __name__ == "__main__":
    main()
