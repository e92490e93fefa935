"""Counts how often a vote over known answers would have been right: an upper bound for learning.

At temperature 0 an agent that reads no other agent gives the same answer in every team. So every
vote can be counted afterwards from kept answers: for each set of arms and each order (the first
answer wins a tie), asked all at once, or one after the other until two agree.

    bin/studio manage evaluate … --out RESULTS.csv             # an arm per agent, answers in words
    python -m bench.common.vote_bound RESULTS.csv [--keep OUT.csv]
"""

import argparse
import csv
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.core.answers.reading import counted, vote

KEPT = ("arm", "task", "correct", "prompt_tokens", "completion_tokens", "answer")
ANSWER_CHARS = 80
ENOUGH = 2
"""This many equal answers end a vote that asks one after the other."""


@dataclass(frozen=True, slots=True)
class Given:
    """One arm's answer to one task."""

    answer: str | None
    correct: bool
    tokens: int


@dataclass(frozen=True, slots=True)
class Team:
    """A team: arms in the order in which they are asked, with its counts over all tasks."""

    arms: tuple[str, ...]
    right: int
    tokens: float
    right_in_turn: int
    tokens_in_turn: float


Tasks = dict[str, dict[str, Given]]


def main() -> None:
    parser = argparse.ArgumentParser(description="Count every vote over kept answers.")
    parser.add_argument("file", type=Path, help="CSV file of an evaluation's answers")
    parser.add_argument(
        "--keep", type=Path, metavar="OUT.csv", help="write the needed columns to this file"
    )
    options = parser.parse_args()
    with options.file.open(newline="") as file:
        rows = list(csv.DictReader(file))
    if options.keep:
        _keep(rows, options.keep)
    tasks = read(rows)
    print(f"| asked, of {len(tasks)} tasks | right | tokens | until two agree: right | tokens |")
    print("| --- | --- | --- | --- | --- |")
    for team in best_teams(tasks):
        print(
            f"| {', '.join(team.arms)} | {team.right} ({team.right / len(tasks):.1%}) | "
            f"{team.tokens:,.0f} | {team.right_in_turn} ({team.right_in_turn / len(tasks):.1%}) | "
            f"{team.tokens_in_turn:,.0f} |"
        )


def read(rows: Iterable[dict[str, str]]) -> Tasks:
    """The answers to tasks that every arm answered."""
    tasks: Tasks = {}
    for row in rows:
        tokens = int(row["prompt_tokens"] or 0) + int(row["completion_tokens"] or 0)
        given = Given(row["answer"] or None, row["correct"] == "true", tokens)
        tasks.setdefault(row["task"], {})[row["arm"]] = given
    arms = {arm for answers in tasks.values() for arm in answers}
    return {task: answers for task, answers in tasks.items() if answers.keys() == arms}


def best_teams(tasks: Tasks) -> list[Team]:
    """Every arm alone, then for each size the set and order that is right most often, among equals
    the cheapest."""
    arms = sorted({arm for answers in tasks.values() for arm in answers})
    alone = [_team(tasks, (arm,)) for arm in arms]
    larger = [
        min(
            (_team(tasks, order) for order in itertools.permutations(arms, size)),
            key=lambda team: (-team.right, team.tokens_in_turn),
        )
        for size in range(2, len(arms) + 1)
    ]
    return [*alone, *larger]


def _team(tasks: Tasks, arms: tuple[str, ...]) -> Team:
    at_once = [_at_once([answers[arm] for arm in arms]) for answers in tasks.values()]
    in_turn = [_in_turn([answers[arm] for arm in arms]) for answers in tasks.values()]
    return Team(
        arms,
        sum(right for right, _ in at_once),
        sum(tokens for _, tokens in at_once) / len(tasks),
        sum(right for right, _ in in_turn),
        sum(tokens for _, tokens in in_turn) / len(tasks),
    )


def _at_once(given: Sequence[Given]) -> tuple[bool, int]:
    winner = vote([each.answer for each in given if each.answer is not None])
    right = winner is not None and next(e.correct for e in given if e.answer == winner)
    return right, sum(each.tokens for each in given)


def _in_turn(given: Sequence[Given]) -> tuple[bool, int]:
    for asked in range(1, len(given) + 1):
        said = [each.answer for each in given[:asked] if each.answer is not None]
        if any(len(group) == ENOUGH for group in counted(said)):
            return _at_once(given[:asked])
    return _at_once(given)


def _keep(rows: Sequence[dict[str, str]], file: Path) -> None:
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, KEPT, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, "answer": row["answer"][:ANSWER_CHARS]} for row in rows)


if __name__ == "__main__":
    main()
