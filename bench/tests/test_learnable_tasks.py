"""Which tasks are kept to train on."""

import json
from pathlib import Path

import pytest

from bench.common import learnable_tasks

RESULTS = """query,correct
What is 1 + 1?,true
What is 1 + 1?,true
What is 2 * 3?,true
What is 2 * 3?,false
Write f.\nassert f(1) == 2,false
Write f.\nassert f(1) == 2,true
What is 9 ** 9?,false
What is 9 ** 9?,
"""
ROWS = (
    {"question": "What is 1 + 1?", "answer": "2"},
    {"question": "What is 2 * 3?", "answer": "6"},
    {"text": "Write f.", "code": "f = lambda x: x + 1"},
    {"question": "What is 9 ** 9?", "answer": "387420489"},
    {"question": "Nobody was asked this.", "answer": "0"},
)


@pytest.mark.parametrize(("options", "kept"), [((), (0, 1, 2)), (("--disputed",), (1, 2))])
def test_tasks_are_kept_as_they_were(
    options: tuple[str, ...], kept: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a query says more than its row's text does."""
    file, out, results = (tmp_path / name for name in ("rows.jsonl", "out.jsonl", "results.csv"))
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    results.write_text(RESULTS.replace("Write f.\n", '"Write f.\n').replace("== 2,", '== 2",'))
    monkeypatch.setattr("sys.argv", ["learnable_tasks", *map(str, (file, out, results)), *options])
    learnable_tasks.main()
    assert [json.loads(line) for line in out.read_text().splitlines()] == [ROWS[n] for n in kept]
