"""Runs with their whole traces as a file of JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

import orjson

from apps.runs.selectors import Position, Row, run_detail_rows, run_events

PAGE = 1_000
"""Events that are read at a time."""


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
