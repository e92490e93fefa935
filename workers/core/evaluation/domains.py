"""Accuracy by domain: on which subjects, or levels, of a dataset an arm is good.

A task's domain is what its dataset says of it: a subject, a level, or nothing. The unit is the task
as everywhere; intervals are of each domain's own tasks and not corrected for how many domains are
looked at, so that one surprising row among many is no finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workers.core.evaluation.cells import Cell, mean, task_means, task_shares
from workers.core.intervals import Interval, share_interval

MOST_DOMAINS = 100
"""A dataset whose rows were each given a domain of their own has no domains worth a table."""


@dataclass(frozen=True, slots=True)
class DomainShare:
    """What `label` got right of the `tasks` judged tasks of a domain. `tokens_mean` is over all of
    its tasks whose tokens are known, None where none are."""

    domain: str
    label: str
    tasks: int
    accuracy: float
    interval: Interval | None
    tokens_mean: float | None


@dataclass(frozen=True, slots=True)
class Domains:
    """Nothing where all tasks are of one domain. `left_out`: domains beyond MOST_DOMAINS, those
    with the fewest tasks."""

    shares: tuple[DomainShare, ...] = ()
    left_out: int = 0


def by_domain(grouped: dict[str, list[Cell]]) -> Domains:
    """Domains in the order of their first task, each with every arm that was judged there."""
    tasks = _tasks_of_domains(grouped)
    if len(tasks) < 2:
        return Domains()
    kept = sorted(tasks, key=lambda domain: -len(tasks[domain]))[:MOST_DOMAINS]
    shown = [domain for domain in tasks if domain in set(kept)]
    parts = {label: _split(cells) for label, cells in grouped.items()}
    shares = tuple(
        share
        for domain in shown
        for label, cells in parts.items()
        for share in _share(domain, label, cells.get(domain, ()))
    )
    return Domains(shares, len(tasks) - len(shown))


def _tasks_of_domains(grouped: dict[str, list[Cell]]) -> dict[str, set[str]]:
    first: dict[str, str] = {}
    tasks: dict[str, set[str]] = {}
    for cells in grouped.values():
        for cell in cells:
            tasks.setdefault(cell.domain, set()).add(cell.task)
            first[cell.domain] = min(cell.task, first.get(cell.domain, cell.task))
    return {domain: tasks[domain] for domain in sorted(tasks, key=lambda each: first[each])}


def _split(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    split: dict[str, list[Cell]] = {}
    for cell in cells:
        split.setdefault(cell.domain, []).append(cell)
    return split


def _share(domain: str, label: str, cells: Sequence[Cell]) -> Iterator[DomainShare]:
    shares = list(task_shares(cells).values())
    accuracy = mean(shares)
    if accuracy is None:
        return
    yield DomainShare(
        domain=domain,
        label=label,
        tasks=len(shares),
        accuracy=accuracy,
        interval=share_interval(shares, sum(cell.judged for cell in cells)),
        tokens_mean=mean(task_means(cells, "tokens")),
    )
