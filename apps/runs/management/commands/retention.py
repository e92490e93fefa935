"""Shows which runs would be deleted, or deletes them now."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.defaultfilters import filesizeformat

from apps.runs.retention import runs_preview, runs_prune


class Command(BaseCommand):
    help = (
        "How long runs are kept (RUNS_KEEP_DAYS; 0: for ever). --preview shows what would be "
        "deleted. --now deletes it at once instead of within the hour."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--preview", action="store_true", help="delete nothing (the default)")
        what.add_argument("--now", action="store_true")
        parser.add_argument("--days", type=int, help="use another age than RUNS_KEEP_DAYS")

    def handle(self, *, now: bool, days: int | None, **options: Any) -> None:
        most = settings.MOST_KEEP_DAYS
        if days is not None and not 1 <= days <= most:
            raise CommandError(f"--days must be between 1 and {most:,}.")
        asked = days or settings.RUNS_KEEP_DAYS
        if not now:
            self._preview(days)
        elif not asked:
            raise CommandError("Every run is kept. Give the age at which to delete runs: --days N.")
        else:
            self.stdout.write(f"Deleted: {counted(runs_prune(asked, limit=10**9))}.")

    def _preview(self, days: int | None) -> None:
        preview = runs_preview(days)
        setting = f"{preview.keep_days} days" if preview.keep_days else "for ever"
        self.stdout.write(f"Runs are kept {setting} (RUNS_KEEP_DAYS={preview.keep_days}).")
        older = f"ended more than {preview.days} days ago and would be deleted"
        self.stdout.write(f"{counted(preview.runs)} {older}.")
        if preview.oldest and preview.newest:
            size = filesizeformat(preview.size_bytes).replace("\xa0", " ")
            self.stdout.write(
                f"They ended from {preview.oldest:%Y-%m-%d} to {preview.newest:%Y-%m-%d} "
                f"and take about {size}."
            )
        self.stdout.write(
            "Answers of evaluations and runs with a note or a link always stay. "
            "Nothing was deleted."
        )


def counted(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs:,} runs"
