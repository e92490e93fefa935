"""Rows of data files that are worth training on: those that some arm of an evaluation got right.

What no team of a small model solves costs as much to sample as the rest and tells nothing apart.

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
    options = parser.parse_args()
    wanted: list[str] = []
    for file in options.results:
        with file.open(newline="") as results:
            wanted += learnable_queries(csv.DictReader(results))
    kept = [row for row in _rows(options.file) if _is_one_of(row, wanted)]
    options.out.write_text("".join(json.dumps(row) + "\n" for row in kept))
    print(f"{len(kept)} rows kept in {options.out}")


def learnable_queries(answers: Iterable[Mapping[str, str]]) -> list[str]:
    """Queries that at least one answer got right, each once."""
    right = (answer["query"] for answer in answers if answer["correct"] == "true")
    return list(dict.fromkeys(right))


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
