"""What several commands read and print in the same way."""

import json
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser


class LongHelp(BaseCommand):
    """A command whose help keeps its lines."""

    def create_parser(self, *arguments: Any, **options: Any) -> CommandParser:
        return super().create_parser(
            *arguments, formatter_class=RawDescriptionHelpFormatter, **options
        )


def check_folder(option: str, file: Path) -> None:
    """Raises CommandError if there is no folder for the file that a command will write."""
    folder = file.absolute().parent
    if not folder.is_dir():
        raise CommandError(f"{option}: the folder {folder} does not exist. Make it first.")


def read_object(text: str, option: str, example: str) -> dict[str, Any]:
    """A JSON object given as `option`."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise CommandError(f"{option} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise CommandError(f"{option} must be a JSON object, such as {example}.")
    return value


def read_setting(text: str) -> tuple[str, Any]:
    """`KEY=VALUE`; VALUE is JSON, or else text."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise CommandError(f"--set needs KEY=VALUE, not {text!r}.")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value
