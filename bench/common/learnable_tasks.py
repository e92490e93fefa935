"""Keeps the rows of data files that are worth training on: some arm got them right.

A task that no team of a small model solves costs as much to sample as the others but shows no
difference between teams. On a task that every team solves, only cost differs. With `--disputed`
only tasks are kept that some answer got right and another wrong.

    bin/studio manage evaluate … --out RESULTS.csv        # over the tasks of the files
    python -m bench.common.learnable_tasks FILE.jsonl OUT.jsonl RESULTS.csv [RESULTS.csv …]
"""

import argparse
import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

QUESTION_COLUMNS = ("question", "text", "prompt")


def main() -> None:
    parser = argparse.ArgumentParser(description="Keep the tasks that some arm solved.")
    parser.add_argument("file", type=Path, help="the JSONL file, as it was loaded")
    parser.add_argument("out", type=Path)
    parser.add_argument("results", type=Path, nargs="+", help="CSV files of evaluations' answers")
    parser.add_argument(
        "--disputed", action="store_true", help="keep only tasks that another answer got wrong"
    )
    options = parser.parse_args()
    wanted = queries_to_keep(_answers(options.results), disputed=options.disputed)
    kept = [row for row in _rows(options.file) if _is_one_of(row, wanted)]
    options.out.write_text("".join(json.dumps(row) + "\n" for row in kept))
    print(f"{len(kept)} rows kept in {options.out}")


def queries_to_keep(answers: Iterable[Mapping[str, str]], *, disputed: bool) -> list[str]:
    """Queries that some answer got right and, with `disputed`, another got wrong."""
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
        raise SystemExit(f"A row has none of the question columns {', '.join(QUESTION_COLUMNS)}.")
    return any(query.startswith(question) for query in queries)


if __name__ == "__main__":
    main()
