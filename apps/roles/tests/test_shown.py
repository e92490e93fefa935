"""The lines of a diff, and that no text makes them take long."""

import time

from apps.common.shown_lines import Line, Matching, shown_lines
from apps.roles.admin.shown import shown_diff
from workers.core.pools.compare import PoolRole, pool_diff
from workers.core.specs import RoleSpec


def test_lines_that_differ_stand_among_three_that_do_not() -> None:
    before = [str(n) for n in range(10)]
    after = [*before[:5], "new", *before[6:]]
    shown = shown_lines(before, after, Matching())
    assert shown[0] == Line("gap")
    assert shown[1:] == [
        *(Line("same", str(n)) for n in (2, 3, 4)),
        Line("removed", "5"),
        Line("added", "new"),
        *(Line("same", str(n)) for n in (6, 7, 8)),
    ]


def test_texts_of_many_lines_are_not_matched() -> None:
    before, after = ["a", "b"] * 5_000, ["b", "a"] * 5_000
    began = time.process_time()
    assert len(shown_lines(before, after, Matching())) == 20_000
    assert time.process_time() - began < 2


def test_many_texts_that_are_slow_to_match_take_no_longer_than_one() -> None:
    def role(number: int, mark: str) -> PoolRole:
        prompt = "\n".join(f"a\n{mark}{n}" for n in range(150))
        texts = {"name": "n", "family": "law", "description": "d", "prompt": prompt}
        return PoolRole(RoleSpec(key=f"r{number}", **texts))

    before, after = ([role(number, mark) for number in range(100)] for mark in "xy")
    began = time.process_time()
    shown = shown_diff(pool_diff(before, after))
    assert time.process_time() - began < 5
    lines = [sum(len(field.lines) for field in role.fields) for role in shown.roles]
    assert lines[0] < 600 == lines[1]
    assert sum(lines) <= 20_600
    assert len(lines) + shown.more == shown.changed == 100


def test_of_a_great_diff_the_first_roles_are_shown_and_the_rest_counted() -> None:
    texts = {"name": "n", "family": "law", "description": "d", "prompt": "p"}
    roles = [PoolRole(RoleSpec(key=f"r{n}", **texts)) for n in range(130)]
    shown = shown_diff(pool_diff([], roles))
    assert (len(shown.roles), shown.added, shown.more) == (100, 130, 30)
