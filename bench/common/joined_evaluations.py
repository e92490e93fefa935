"""Makes the tables of docs/results.md from several evaluations of one split.

    bin/studio manage evaluate … --out A.csv               # and B.csv: other arms, the same tasks
    python -m bench.common.joined_evaluations A.csv B.csv [--tasks 0:400] [--keep OUT.csv]

It prints Markdown: the arms, then the first arm against each other arm (with `--every-pair` each
against each), then the accuracy at equal token budgets (`--budgets`). Holm's p is corrected for the
printed pairs. Intervals are 95%: Wilson's for shares, bootstrapped over tasks for the rest.
`--keep` writes the cells without the benchmark's texts, only what accuracies, tokens, cost and
seconds need. That file can be joined again. Every arm must have answered the same tasks.
"""

import argparse
import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from studio.management.report import (
    format_dollars,
    format_number,
    format_p,
    format_percent,
    format_seconds,
    note_lines,
)
from workers.core.evaluation.budgets import at_equal_tokens
from workers.core.evaluation.cells import Cell, by_arm, grouped_by, mean
from workers.core.evaluation.domains import DomainShare
from workers.core.evaluation.summary import (
    ArmSummary,
    Pair,
    Summary,
    holm_corrected,
    summarise,
)
from workers.core.intervals import Interval, bootstrap_mean

T = TypeVar("T")
KEPT = ("arm", "task", "repeat", "correct", "failed", "prompt_tokens", "completion_tokens")
KEPT_IF_KNOWN = ("cost", "seconds", "cached_share", "replies", "cut_replies", "final_cut")
"""`cached_share` tells which seconds count."""
KEPT_IF_TOLD = ("out_of_time", "domain")
BUDGETS = (250, 500, 1_000, 1_500, 2_000)
BAR = r"\|"
"""In a cell of a Markdown table, where a bare one begins the next."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Make tables from several evaluations of the same split."
    )
    parser.add_argument("files", type=Path, nargs="+", help="CSV files of evaluations' answers")
    parser.add_argument(
        "--tasks", default=":", metavar="FROM:TO", help="use only these places in the split"
    )
    parser.add_argument(
        "--every-pair",
        action="store_true",
        help="compare every pair of arms, not only the first arm with the others",
    )
    parser.add_argument(
        "--budgets", type=_numbers, default=BUDGETS, help="token budgets per answer to compare at"
    )
    parser.add_argument("--keep", type=Path, metavar="OUT.csv", help="write the cells to this file")
    options = parser.parse_args()
    first, _, last = options.tasks.partition(":")
    wanted = range(int(first or 0), int(last or 1_000_000))
    cells = [cell for cell in read_cells(options.files) if int(cell.task) in wanted]
    require_same_tasks(cells)
    for line in table_lines(cells, every_pair=options.every_pair, budgets=options.budgets):
        print(line)
    if options.keep:
        write_cells(options.keep, cells)


def table_lines(
    cells: Sequence[Cell], *, every_pair: bool = False, budgets: Sequence[int] = ()
) -> Iterator[str]:
    """The arms in the order of their first cells, notes on their numbers, the pairs, and the
    accuracy at equal budgets and by domain."""
    labels = list(dict.fromkeys(cell.arm for cell in cells))
    summary = summarise(cells, labels)
    yield from _markdown(_arm_columns(summary.arms))
    for note in note_lines(asdict(summary)):
        yield ""
        yield note
    if pairs := _printed_pairs(summary, every_pair=every_pair):
        yield ""
        yield from _markdown(_pair_columns(pairs, by_arm(cells, labels)))
    if budgets:
        yield ""
        yield from _markdown(_budget_columns(by_arm(cells, labels), budgets))
    if summary.domains:
        yield ""
        yield from _markdown(_domain_columns(summary.domains, labels))


def read_cells(files: Iterable[Path]) -> list[Cell]:
    """The cells of all files. Raises SystemExit if two files have the same arm on the same task
    (rename one arm), or if a place in the split is a different task in another file."""
    found: dict[tuple[str, str, int], Cell] = {}
    queries: dict[str, str] = {}
    for file in files:
        with file.open(newline="") as rows:
            for row in csv.DictReader(rows):
                cell = _cell(row)
                key = (cell.arm, cell.task, cell.repeat)
                if key in found:
                    raise SystemExit(
                        f"{file}: the arm {cell.arm} already has an answer to task {cell.task}. "
                        "Rename the arm in one of the files."
                    )
                found[key] = cell
                query = row.get("query")  # a file of kept cells has none
                if query and queries.setdefault(cell.task, query) != query:
                    raise SystemExit(
                        f"{file}: task {cell.task} differs from task {cell.task} of another "
                        "file. Join only evaluations of one split."
                    )
    return list(found.values())


def require_same_tasks(cells: Iterable[Cell]) -> None:
    """Raise SystemExit if there are no answers or if the arms answered different tasks."""
    tasks: dict[str, set[tuple[str, int]]] = {}
    for cell in cells:
        tasks.setdefault(cell.arm, set()).add((cell.task, cell.repeat))
    if not tasks:
        raise SystemExit("The files have no answers to these tasks.")
    every = set[tuple[str, int]]().union(*tasks.values())
    if missing := {arm: len(every - mine) for arm, mine in tasks.items() if mine != every}:
        told = ", ".join(f"{arm} lacks {count}" for arm, count in missing.items())
        raise SystemExit(f"The arms did not answer the same {len(every)} tasks: {told}.")


def write_cells(file: Path, cells: Sequence[Cell]) -> None:
    known = (name for name in KEPT_IF_KNOWN if any(getattr(c, name) is not None for c in cells))
    told = (name for name in KEPT_IF_TOLD if any(getattr(c, name) for c in cells))
    columns = (*KEPT, *known, *told)
    with file.open("w", newline="") as output:
        writer = csv.writer(output, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(_texts(cell, columns) for cell in cells)


def tokens_difference(
    left: Iterable[Cell], right: Iterable[Cell]
) -> tuple[float | None, Interval | None]:
    """Tokens per answer, left minus right: the mean over tasks where both arms report tokens."""
    ours, theirs = _tokens_by_task(left), _tokens_by_task(right)
    differences = [ours[task] - theirs[task] for task in sorted(ours.keys() & theirs.keys())]
    return mean(differences), bootstrap_mean(differences)


def _tokens_by_task(cells: Iterable[Cell]) -> dict[str, float]:
    """Each task's mean over the repeats that report them."""
    means = {}
    for task, group in grouped_by(cells, "task").items():
        found = mean([cell.tokens for cell in group if cell.tokens is not None])
        if found is not None:
            means[task] = found
    return means


def _printed_pairs(summary: Summary, *, every_pair: bool) -> list[Pair]:
    first = summary.arms[0].label
    return holm_corrected([pair for pair in summary.pairs if every_pair or pair.left == first])


def _arm_columns(arms: Sequence[ArmSummary]) -> dict[str, list[str]]:
    """Seconds and cost have a column only if some arm knows them. All arms have the same tasks, and
    so the same number of judged answers."""
    columns = {
        "arm": [arm.label for arm in arms],
        f"right of {arms[0].n:,} (interval)": [
            format_percent(arm.accuracy) + _range(arm.interval, 100, 1) for arm in arms
        ],
        "tokens (interval)": [
            format_number(arm.tokens_mean) + _range(arm.tokens_interval, 1, 0) for arm in arms
        ],
    }
    if any(arm.seconds_mean is not None for arm in arms):
        columns["seconds"] = [format_seconds(arm.seconds_mean) for arm in arms]
    if any(arm.cost_mean is not None for arm in arms):
        columns["cost"] = [format_dollars(arm.cost_mean) for arm in arms]
    return columns


def _pair_columns(
    pairs: Sequence[Pair], grouped: Mapping[str, Sequence[Cell]]
) -> dict[str, list[str]]:
    tokens = [tokens_difference(grouped[pair.left], grouped[pair.right]) for pair in pairs]
    return {
        "pair": [f"{pair.left} − {pair.right}" for pair in pairs],
        "difference in points (interval)": [
            _difference(pair.difference, pair.interval, 100, 1) for pair in pairs
        ],
        "p (McNemar)": [format_p(pair.mcnemar_p) for pair in pairs],
        "Holm p": [format_p(pair.holm_p) for pair in pairs],
        "tokens difference (interval)": [
            _difference(value, interval, 1, 0) for value, interval in tokens
        ],
    }


def _budget_columns(grouped: dict[str, list[Cell]], budgets: Sequence[int]) -> dict[str, list[str]]:
    points = at_equal_tokens(grouped, budgets)
    columns = {"right within a token budget of": list(grouped)}
    for budget in budgets:
        column = [point for point in points if point.budget == budget]
        columns[f"{budget:,}"] = [
            format_percent(point.accuracy) + _range(point.interval, 100, 1) for point in column
        ]
    return columns


def _domain_columns(shares: Sequence[DomainShare], labels: Sequence[str]) -> dict[str, list[str]]:
    """A row per arm, with a dash for a domain of which it has no judged answer."""
    told: dict[str, dict[str, DomainShare]] = {}
    for share in shares:
        told.setdefault(share.domain, {})[share.label] = share
    columns = {"right by domain": list(labels)}
    for domain, mine in told.items():
        count = max(share.tasks for share in mine.values())
        head = f"{domain or 'without a domain'}, {count:,} tasks"
        columns[head] = [_share(mine.get(label)) for label in labels]
    return columns


def _share(share: DomainShare | None) -> str:
    if share is None:
        return "–"
    accuracy = format_percent(share.accuracy) + _range(share.interval, 100, 1)
    return f"{accuracy}, {format_number(share.tokens_mean)} tokens"


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


def _range(interval: Interval | None, scale: int, digits: int) -> str:
    if interval is None:
        return ""
    low, high = scale * interval.low, scale * interval.high
    return f" ({low:,.{digits}f}–{high:,.{digits}f})"


def _difference(value: float | None, interval: Interval | None, scale: int, digits: int) -> str:
    """As “+2.5 (−0.2 to 5.2)”; “–” where it is unknown."""
    if value is None or interval is None:
        return "–"
    low, high = scale * interval.low, scale * interval.high
    told = f"{scale * value:+z,.{digits}f} ({low:z,.{digits}f} to {high:z,.{digits}f})"
    return told.replace("-", "−")


def _markdown(columns: Mapping[str, Sequence[str]]) -> Iterator[str]:
    rows = zip(*columns.values(), strict=True)
    for row in (tuple(columns), ("---",) * len(columns), *rows):
        yield f"| {' | '.join(cell.replace('|', BAR) for cell in row)} |"


def _texts(cell: Cell, columns: Iterable[str]) -> Iterator[object]:
    for name in columns:
        value = getattr(cell, name)
        yield str(value).lower() if isinstance(value, bool) else value


def _cell(row: Mapping[str, str]) -> Cell:
    correct, failed = _known(row["correct"], _is_true), _is_true(row["failed"])
    return Cell(
        arm=row["arm"],
        task=row["task"],
        repeat=int(row["repeat"]),
        correct=correct,
        prompt_tokens=_known(row["prompt_tokens"], int),
        completion_tokens=_known(row["completion_tokens"], int),
        cost=_known(row.get("cost"), float),
        seconds=_known(row.get("seconds"), float),
        cached_share=_known(row.get("cached_share"), float),
        replies=_known(row.get("replies"), int),
        cut_replies=_known(row.get("cut_replies"), int),
        final_cut=_known(row.get("final_cut"), _is_true),
        failed=failed,
        judgeable=not failed or correct is not None,
        out_of_time=_is_true(row.get("out_of_time", "")),
        domain=row.get("domain", ""),
    )


def _known(text: str | None, read: Callable[[str], T]) -> T | None:
    return read(text) if text else None


def _is_true(text: str) -> bool:
    return text == "true"


if __name__ == "__main__":
    main()
