"""Arms by subject or level: small sets whose shares can be counted by hand."""

import pytest

from workers.core.evaluation import domains as domains_module
from workers.core.evaluation.cells import Cell
from workers.core.evaluation.summary import summarise
from workers.core.intervals import wilson


def cell(arm: str, task: int, domain: str, *, correct: bool | None, tokens: int = 100) -> Cell:
    return Cell(arm, f"{task:06}", 0, correct, None, tokens - 10, 10, domain=domain)


LEVELS = [
    cell(arm, task, "easy" if task < 4 else "hard", correct=task < right, tokens=tokens)
    for arm, right, tokens in (("team", 5, 300), ("one", 2, 100))
    for task in range(8)
]


def test_each_domain_tells_every_arm_by_its_own_tasks() -> None:
    found = summarise(LEVELS, ["team", "one"])
    told = [(s.domain, s.label, s.tasks, s.accuracy, s.tokens_mean) for s in found.domains]
    assert told == [
        ("easy", "team", 4, 1.0, 300),
        ("easy", "one", 4, 0.5, 100),
        ("hard", "team", 4, 0.25, 300),
        ("hard", "one", 4, 0.0, 100),
    ]
    assert found.domains[1].interval == wilson(2, 4)
    assert found.domains_left_out == 0


def test_a_dataset_of_one_domain_has_no_table() -> None:
    assert summarise([c for c in LEVELS if c.domain == "easy"], ["team", "one"]).domains == ()
    assert summarise([], ["a"]).domains == ()


def test_tasks_without_a_domain_stand_beside_those_with_one() -> None:
    found = summarise([*LEVELS, cell("team", 9, "", correct=True)], ["team", "one"])
    assert [(s.domain, s.label) for s in found.domains[-1:]] == [("", "team")]


def test_what_could_not_be_judged_counts_in_no_domain() -> None:
    cells = [*LEVELS, cell("team", 8, "odd", correct=None), cell("one", 8, "odd", correct=True)]
    assert {s.domain for s in summarise(cells, ["team", "one"]).domains} == {"easy", "hard"}


def test_only_the_domains_with_the_most_tasks_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains_module, "MOST_DOMAINS", 2)
    cells = [cell("a", 0, "rare", correct=True), *(c for c in LEVELS if c.arm == "team")]
    renamed = [Cell("a", c.task + c.domain, 0, c.correct, domain=c.domain) for c in cells]
    found = summarise(renamed, ["a"])
    assert [s.domain for s in found.domains] == ["easy", "hard"]
    assert found.domains_left_out == 1
