"""One table out of several evaluations of the same split: arms that did not fit into one sitting.

    bin/studio manage evaluate … --out A.csv               # and B.csv: other arms, the same tasks
    python -m bench.common.joined_evaluations A.csv B.csv [--tasks 0:400] [--keep OUT.csv]

`--keep` writes the cells without the benchmark's texts: what accuracies and tokens are made of.
That file can be joined again. Every arm must have answered the same tasks.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from apps.evaluations.management.report import report_lines
from workers.core.evaluation.cells import Cell
from workers.core.evaluation.summary import summarise

T = TypeVar("T")
KEPT = ("arm", "task", "repeat", "correct", "failed", "prompt_tokens", "completion_tokens")


def main() -> None:
    parser = argparse.ArgumentParser(description="One table out of several evaluations.")
    parser.add_argument("files", type=Path, nargs="+", help="evaluations' answers as CSV")
    parser.add_argument("--tasks", default=":", metavar="FROM:TO", help="places in the split")
    parser.add_argument("--keep", type=Path, metavar="OUT.csv", help="where to write the cells")
    options = parser.parse_args()
    first, _, last = options.tasks.partition(":")
    wanted = range(int(first or 0), int(last or 1_000_000))
    cells = [cell for cell in read_cells(options.files) if int(cell.task) in wanted]
    require_same_tasks(cells)
    for line in report_lines(asdict(summarise(cells, list(dict.fromkeys(c.arm for c in cells))))):
        print(line)
    if options.keep:
        write_cells(options.keep, cells)


def read_cells(files: Iterable[Path]) -> list[Cell]:
    """Raises SystemExit where two files answer the same, so that their arms need other names, and
    where a place in the split is one task in one file and another in the next."""
    found: dict[tuple[str, str, int], Cell] = {}
    queries: dict[str, str] = {}
    for file in files:
        with file.open(newline="") as rows:
            for row in csv.DictReader(rows):
                cell = _cell(row)
                key = (cell.arm, cell.task, cell.repeat)
                if key in found:
                    raise SystemExit(f"{file}: {cell.arm} has answered task {cell.task} before.")
                found[key] = cell
                query = row.get("query") or queries.get(cell.task, "")
                if queries.setdefault(cell.task, query) != query:
                    raise SystemExit(f"{file}: task {cell.task} asks something else elsewhere.")
    return list(found.values())


def require_same_tasks(cells: Iterable[Cell]) -> None:
    """Raises SystemExit: arms with other tasks are not to be compared."""
    tasks: dict[str, set[tuple[str, int]]] = {}
    for cell in cells:
        tasks.setdefault(cell.arm, set()).add((cell.task, cell.repeat))
    every = set[tuple[str, int]]().union(*tasks.values())
    if missing := {arm: len(every - mine) for arm, mine in tasks.items() if mine != every}:
        told = ", ".join(f"{arm} lacks {count}" for arm, count in missing.items())
        raise SystemExit(f"The arms did not answer the same {len(every)} tasks: {told}.")


def write_cells(file: Path, cells: Iterable[Cell]) -> None:
    with file.open("w", newline="") as output:
        writer = csv.writer(output, lineterminator="\n")
        writer.writerow(KEPT)
        writer.writerows(_texts(cell) for cell in cells)


def _texts(cell: Cell) -> Iterator[object]:
    for name in KEPT:
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
        failed=failed,
        judgeable=not failed or correct is not None,
    )


def _known(text: str, read: Callable[[str], T]) -> T | None:
    return read(text) if text else None


def _is_true(text: str) -> bool:
    return text == "true"


if __name__ == "__main__":
    main()
