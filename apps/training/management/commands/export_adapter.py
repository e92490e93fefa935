"""Writes a tuned model's adapter for servers to load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from pydantic import ValidationError

from apps.training.folders import checkpoint_folder
from apps.training.models import Checkpoint
from workers.core.checkpoints import CheckpointError
from workers.core.methods.reso.config import METHOD_KEY


class Command(BaseCommand):
    help = (
        "Write the LoRA adapter of a planner or a reward model that a training of ReSo has tuned "
        "as an ordinary PEFT folder, which vLLM serves beside its model: "
        "vllm serve MODEL --enable-lora --lora-modules planner=FOLDER"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("checkpoint", help="its name")
        parser.add_argument("folder", type=Path, help="a folder that is new or empty")

    def handle(self, *, checkpoint: str, folder: Path, **options: Any) -> None:
        stored = Checkpoint.objects.filter(name=checkpoint, method=METHOD_KEY).first()
        if stored is None:
            raise CommandError(f"There is no checkpoint “{checkpoint}” of ReSo.")
        if folder.exists() and any(folder.iterdir()):
            raise CommandError(f"{folder} is not empty. Name a new folder.")
        from workers.core.methods.reso.tuning.adapters import write_adapter

        try:
            write_adapter(checkpoint_folder(stored.name), folder)
        except ValidationError as error:
            raise CommandError(
                f"“{checkpoint}” holds agents and no adapter. Name one that a training with "
                "learns=planner or learns=reward_model has left."
            ) from error
        except (CheckpointError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Written to {folder}.")
