"""Loads a role pool from YAML: the built-in one, or a file. Safe to repeat: what people changed in
the built-in pool stays unless `--replace` is given."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.common.errors import ApplicationError
from apps.roles.imports import pool_import, pool_parse, pool_ship
from workers.core.pools import load_builtin_pool

LEFT = (
    "general: not changed, because people have edited its roles. load_pool --replace restores "
    "the built-in roles."
)


class Command(BaseCommand):
    help = "Load a role pool: `load_pool` for the built-in one, `load_pool FILE.yaml` for another."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="only report what would change")
        parser.add_argument(
            "--draft",
            action="store_true",
            help="leave the loaded roles in the draft, for a curator to publish",
        )
        parser.add_argument(
            "--replace",
            action="store_true",
            help="overwrite what people changed in the built-in pool",
        )

    def handle(
        self, *, file: Path | None, dry_run: bool, draft: bool, replace: bool, **options: Any
    ) -> None:
        try:
            if file:
                read = pool_parse(text=file.read_text(encoding="utf-8"))
                report = pool_import(
                    spec=read.spec, switches=read.switches, dry_run=dry_run, publish=not draft
                )
            elif dry_run:
                report = pool_import(spec=load_builtin_pool("general"), dry_run=True)
            else:
                builtin = load_builtin_pool("general")
                shipped = pool_ship(spec=builtin, overwrite=replace, publish=not draft)
                if shipped is None:
                    self.stdout.write(LEFT)
                    return
                report = shipped
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file}: {error}") from error
        except ApplicationError as error:
            raise CommandError(f"{error.message} {error.remedy}") from error
        verb = "would be " if dry_run else ""
        self.stdout.write(
            f"{report.pool}: {len(report.created)} roles {verb}created, "
            f"{len(report.updated)} {verb}updated, {len(report.removed)} {verb}removed, "
            f"{len(report.unchanged)} unchanged"
        )
