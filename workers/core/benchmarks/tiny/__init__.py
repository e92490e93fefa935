"""A few built-in tasks, so a fresh studio can evaluate and train before it has data."""

from pathlib import Path

from workers.core.benchmarks.custom import CUSTOM
from workers.core.benchmarks.readers import read_rows
from workers.core.specs import TaskSpec

TINY_SPLITS = ("train", "dev")


def tiny_path(split: str) -> Path:
    """The file of a split, in the form of the benchmark `custom`."""
    return Path(__file__).with_name(f"{split}.jsonl")


def tiny_tasks(split: str) -> list[TaskSpec]:
    return [CUSTOM.task(row) for _, row in read_rows(tiny_path(split))]
