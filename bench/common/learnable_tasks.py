"""Rows of data files that are worth training on: those that some arm of an evaluation got right.

What no team of a small model solves costs as much to sample as the rest and tells nothing apart.
Where everybody is right, the cheapest is best: with `--disputed` only tasks are kept that some
answer got right and another wrong.

    bin/studio manage evaluate … --out RESULTS.csv        # over the tasks of the files
    python -m bench.common.learnable_tasks FILE.jsonl OUT.jsonl RESULTS.csv [RESULTS.csv …]
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

QUESTION_COLUMNS = ("question", "text", "prompt")


def main() -> None:
    parser = argparse.ArgumentParser(description="Keeps the tasks that some arm solves.")
    parser.add_argument("file", type=Path, help="JSONL, as it was loaded")
    parser.add_argument("out", type=Path)
    parser.add_argument("results", type=Path, nargs="+", help="evaluations' answers as CSV")
    parser.add_argument("--disputed", action="store_true", help="that some answer gets wrong, too")
    options = parser.parse_args()
    wanted = queries_to_keep(_answers(options.results), disputed=options.disputed)
    kept = [row for row in _rows(options.file) if _is_one_of(row, wanted)]
    options.out.write_text("".join(json.dumps(row) + "\n" for row in kept))
    print(f"{len(kept)} rows kept in {options.out}")


def queries_to_keep(answers: Iterable[Mapping[str, str]], *, disputed: bool) -> list[str]:
    """Queries that an answer got right and, where only the disputed ones count, another wrong."""
    verdicts: dict[str, set[str]] = {}
    for answer in answers:
        verdicts.setdefault(answer["query"], set()).add(answer["correct"])
    needed = {"true", "false"} if disputed else {"true"}
    return [query for query, given in verdicts.items() if needed <= given]


def _answers(files: Iterable[Path]) -> Iterator[dict[str, str]]:
    for file in files:
        with file.open(newline="") as answers:
            yield from csv.DictReader(answers)


def _rows(file: Path) -> Iterator[dict[str, object]]:
    with file.open() as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _is_one_of(row: Mapping[str, object], queries: Iterable[str]) -> bool:
    """A query begins with the row's text; tests and choices may follow."""
    question = next((str(row[name]).strip() for name in QUESTION_COLUMNS if row.get(name)), None)
    if question is None:
        raise SystemExit(f"A row has none of the columns {', '.join(QUESTION_COLUMNS)}.")
    return any(query.startswith(question) for query in queries)


if __name__ == "__main__":
    main()
