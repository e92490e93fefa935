"""Runs with their whole traces as a file of JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

import orjson

from apps.runs.selectors import Position, Row, RunRows, run_detail_rows, run_events

PAGE = 1_000
"""Events that are read at a time."""
MOST_MATCHING = 1_000
"""Runs of a list in one file."""
LEFT_OUT = (
    "Older runs match, too: a file holds the newest {most:,}. Ask for those before the last line's "
    "created_at with created_before."
)


def runs_file(run_ids: Sequence[UUID], *, shown: Callable[[Row], object]) -> Iterator[bytes]:
    """A line `{"run": …, "events": […]}` for each run that there is, in the order of the ids, the
    run as `shown` makes it. Nothing of the database is held while a piece is sent."""
    for run_id in dict.fromkeys(run_ids):
        row = run_detail_rows([run_id]).first()
        if row is None:
            continue
        yield b'{"run":%b,"events":[' % orjson.dumps(shown(row))
        after, comma = Position(), b""
        while events := run_events(run_id, after=after, limit=PAGE):
            yield comma + b",".join(event.envelope() for event in events)
            after, comma = events[-1].position, b","
        yield b"]}\n"


def matching_file(matching: RunRows, *, shown: Callable[[Row], object]) -> Iterator[bytes]:
    """The file of the newest runs of a list; where it leaves older ones out, a last line tells."""
    newest = matching.order_by("-created_at", "-id").values_list("id", flat=True)
    run_ids = list(newest[: MOST_MATCHING + 1])
    yield from runs_file(run_ids[:MOST_MATCHING], shown=shown)
    if len(run_ids) > MOST_MATCHING:
        yield b'{"left_out":%b}\n' % orjson.dumps(LEFT_OUT.format(most=MOST_MATCHING))
