"""Writes the catalogue of what people read from the server, or says that it is out of date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.common.catalogue import catalogue_text

CATALOGUE = Path(settings.LOCALE_PATHS[0]) / "en" / "LC_MESSAGES" / "django.po"


class Command(BaseCommand):
    help = "Gather every marked sentence of the server into the English catalogue."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="write nothing; fail if it differs"
        )

    def handle(self, *, check: bool, **options: Any) -> None:
        text = catalogue_text(settings.BASE_DIR)
        if CATALOGUE.is_file() and CATALOGUE.read_text() == text:
            return
        if check:
            raise CommandError(
                "The catalogue of the server’s sentences is out of date. "
                "Write it again: bin/studio manage catalogue"
            )
        CATALOGUE.parent.mkdir(parents=True, exist_ok=True)
        CATALOGUE.write_text(text)
        self.stdout.write(f"{CATALOGUE}: {text.count('msgid ') - 1} sentences")
