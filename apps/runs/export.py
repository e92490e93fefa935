"""Runs with their whole traces as a file of JSON lines."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

import orjson
from django.db.models import Q

from apps.common.serializers import Row
from apps.runs.models import RunPicture
from apps.runs.selectors import Position, RunRows, run_detail_rows, run_events

PAGE = 1_000
"""Number of events that are read at once."""
IDS = 500
"""Number of ids that are read at once, for all runs of a list."""


def runs_file(
    run_ids: Sequence[UUID], *, shown: Callable[[Row], object], pictures: bool = False
) -> Iterator[bytes]:
    """A line `{"run": …, "events": […]}` for each existing run, in the order of the ids. `shown`
    converts the run. With `pictures` it also has `{"pictures": {id: JPEG in Base64}}`. While a
    piece is sent, the thread holds nothing of the database."""
    for run_id in dict.fromkeys(run_ids):
        row = run_detail_rows([run_id]).first()
        if row is None:
            continue
        yield b'{"run":%b,"events":[' % orjson.dumps(shown(row))
        after, comma = Position(), b""
        while events := run_events(run_id, after=after, limit=PAGE):
            yield comma + b",".join(event.envelope() for event in events)
            after, comma = events[-1].position, b","
        yield b"]"
        if pictures:
            yield b',"pictures":{'
            yield from _pictures(run_id)
            yield b"}"
        yield b"}\n"


def _pictures(run_id: UUID) -> Iterator[bytes]:
    of_run = RunPicture.objects.filter(run=run_id)
    for number, picture in enumerate(list(of_run.order_by("id").values_list("id", flat=True))):
        for jpeg in of_run.filter(id=picture).values_list("jpeg", flat=True):
            yield b'%b"%b":"%b"' % (b"," if number else b"", str(picture).encode(), b64encode(jpeg))


def matching_file(
    matching: RunRows, *, shown: Callable[[Row], object], pictures: bool = False
) -> Iterator[bytes]:
    """The file of all runs of a list, newest first. Runs that are created while it is sent are not
    in it: each page of ids begins below the last one."""
    ordered = matching.order_by("-created_at", "-id").values_list("created_at", "id")
    page = list(ordered[:IDS])
    while page:
        yield from runs_file([run_id for _, run_id in page], shown=shown, pictures=pictures)
        created_at, last_id = page[-1]
        older = Q(created_at__lt=created_at) | Q(created_at=created_at, id__lt=last_id)
        page = list(ordered.filter(older)[:IDS])
