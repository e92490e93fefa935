"""Accuracy by domain: the subjects or levels of a dataset at which an arm is good.

A task's domain comes from its dataset: a subject, a level, or nothing. The unit is the task, as
everywhere. Intervals use each domain's own tasks and are not corrected for the number of domains.
So one surprising row among many is not a finding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workers.core.evaluation.cells import Cell, grouped_by, mean, task_means, task_shares
from workers.core.intervals import Interval, share_interval

MOST_DOMAINS = 100
"""A dataset in which every row has its own domain has no domains worth a table."""


@dataclass(frozen=True, slots=True)
class DomainShare:
    """What `label` got right of the `tasks` judged tasks of a domain. `tokens_mean` is over all its
    tasks with known tokens; None if there are none."""

    domain: str
    label: str
    tasks: int
    accuracy: float
    interval: Interval | None
    tokens_mean: float | None


def by_domain(grouped: dict[str, list[Cell]]) -> tuple[tuple[DomainShare, ...], int]:
    """Domains in the order of their first task, each with every arm that was judged there; empty if
    all tasks are of one domain. And the number of domains left out, those beyond MOST_DOMAINS with
    the fewest tasks."""
    tasks = _tasks_of_domains(grouped)
    if len(tasks) < 2:
        return (), 0
    kept = sorted(tasks, key=lambda domain: -len(tasks[domain]))[:MOST_DOMAINS]
    shown = [domain for domain in tasks if domain in set(kept)]
    parts = {label: grouped_by(cells, "domain") for label, cells in grouped.items()}
    shares = tuple(
        share
        for domain in shown
        for label, cells in parts.items()
        for share in _share(domain, label, cells.get(domain, ()))
    )
    return shares, len(tasks) - len(shown)


def _tasks_of_domains(grouped: dict[str, list[Cell]]) -> dict[str, set[str]]:
    first: dict[str, str] = {}
    tasks: dict[str, set[str]] = {}
    for cells in grouped.values():
        for cell in cells:
            tasks.setdefault(cell.domain, set()).add(cell.task)
            first[cell.domain] = min(cell.task, first.get(cell.domain, cell.task))
    return {domain: tasks[domain] for domain in sorted(tasks, key=lambda each: first[each])}


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
