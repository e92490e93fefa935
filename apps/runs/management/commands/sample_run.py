"""Writes a stored run as the sample that comes with the pages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from apps.common.renderers import encoded
from apps.common.terminal import LongHelp
from apps.runs.api.shares import shared_json
from apps.runs.models import Run
from apps.runs.selectors import Position, run_events
from apps.runs.strangers import for_strangers

SAMPLE = Path(settings.BASE_DIR) / "frontend" / "src" / "features" / "run" / "sample-run.json"
MAX_EVENTS = 1_000
"""A larger run is no sample for a first look."""


class Command(LongHelp):
    help = (
        "Write a successful run as the sample that comes with the pages. The sample has only\n"
        "what a share link shows. To record it again while the studio is up:\n"
        '  bin/studio ask "…" --seed 7 --json     prints the id\n'
        "  bin/studio manage sample_run ID"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=UUID)
        parser.add_argument("--out", type=Path, default=SAMPLE)

    def handle(self, *, run: UUID, out: Path, **options: Any) -> None:
        try:
            shared = shared_json(run)
        except Run.DoesNotExist as error:
            raise CommandError(f"There is no run {run}.") from error
        status = shared["run"]["status"]
        if status != Run.Status.SUCCEEDED:
            raise CommandError(f"The run is {status}. A sample needs an answer.")
        out.write_bytes(b"".join(_lines(run, shared)))
        self.stdout.write(f"{out}: {out.stat().st_size / 1024:.0f} KB")


def _lines(run_id: UUID, shared: dict[str, Any]) -> Iterator[bytes]:
    """One JSON object with a line per event, so that a new recording can be compared."""
    yield b"{\n"
    for name, value in shared.items():
        yield b"%b:%b,\n" % (encoded(name), encoded(value))
    events = run_events(run_id, after=Position(), limit=MAX_EVENTS)
    told = b",\n".join(for_strangers(event).envelope() for event in events)
    yield b'"events":[\n%b\n]\n}\n' % told
