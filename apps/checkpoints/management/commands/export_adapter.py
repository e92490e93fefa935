"""Writes the adapters or models that a training left, for other programs to load."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.checkpoints.folders import checkpoint_folder
from apps.checkpoints.models import Checkpoint
from workers.core.errors import MethodError
from workers.core.methods.base import WritesAdapter
from workers.core.methods.registry import METHODS


class Command(BaseCommand):
    help = (
        "Write the LoRA adapter that a training left, such as ReSo's planner or reward model, or "
        "the agents of AT-GRPO. The result is an ordinary PEFT folder; several adapters have a "
        "folder each below it. vLLM serves them beside their model: vllm serve MODEL "
        "--enable-lora --lora-modules planner=FOLDER. Where all weights were trained, the result "
        "is a model: vllm serve FOLDER, or, below the local models, one to train adapters on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("checkpoint", help="name of the checkpoint")
        parser.add_argument("folder", type=Path, help="a new or empty folder")

    def handle(self, *, checkpoint: str, folder: Path, **options: Any) -> None:
        stored = Checkpoint.objects.filter(name=checkpoint).first()
        if stored is None:
            raise CommandError(f"There is no checkpoint “{checkpoint}”.")
        method = METHODS.get(stored.method)
        if not isinstance(method, WritesAdapter):
            raise CommandError(f"Checkpoints of {stored.method} contain no adapter.")
        if folder.exists() and any(folder.iterdir()):
            raise CommandError(f"{folder} is not empty. Name a new folder.")
        try:
            _write(method, checkpoint_folder(stored.name), folder)
        except MethodError as error:
            raise CommandError(f"{error.message} {error.remedy}".strip()) from error
        except OSError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Written to {folder}.")


def _write(method: WritesAdapter, checkpoint: Path, folder: Path) -> None:
    """All of it or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".partial.") as made:
        whole = Path(made) / "whole"
        method.write_adapter(checkpoint, whole)
        for each in whole.iterdir():
            each.rename(folder / each.name)
