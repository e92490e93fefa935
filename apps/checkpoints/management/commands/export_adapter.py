"""Writes the adapter that a training has left for servers to load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.checkpoints.folders import checkpoint_folder
from apps.checkpoints.models import Checkpoint
from workers.core.errors import MethodError
from workers.core.methods.base import WritesAdapter
from workers.core.methods.registry import METHODS


class Command(BaseCommand):
    help = (
        "Write the LoRA adapter that a training has left, for example ReSo's of a planner or a "
        "reward model, as an ordinary PEFT folder, which vLLM serves beside its model: "
        "vllm serve MODEL --enable-lora --lora-modules planner=FOLDER"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("checkpoint", help="its name")
        parser.add_argument("folder", type=Path, help="a folder that is new or empty")

    def handle(self, *, checkpoint: str, folder: Path, **options: Any) -> None:
        stored = Checkpoint.objects.filter(name=checkpoint).first()
        if stored is None:
            raise CommandError(f"There is no checkpoint “{checkpoint}”.")
        method = METHODS.get(stored.method)
        if not isinstance(method, WritesAdapter):
            raise CommandError(f"Checkpoints of {stored.method} hold no adapter.")
        if folder.exists() and any(folder.iterdir()):
            raise CommandError(f"{folder} is not empty. Name a new folder.")
        try:
            method.write_adapter(checkpoint_folder(stored.name), folder)
        except MethodError as error:
            raise CommandError(f"{error.message} {error.remedy}".strip()) from error
        except OSError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Written to {folder}.")
