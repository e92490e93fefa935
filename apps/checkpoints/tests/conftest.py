"""Checkpoints, and trainings that leave or use them."""

from apps.training.tests.conftest import (
    data_dir,
    dataset,
    endpoint,
    learner,
    make_checkpoint,
    make_job,
    make_running,
    sent,
)

__all__ = [
    "data_dir",
    "dataset",
    "endpoint",
    "learner",
    "make_checkpoint",
    "make_job",
    "make_running",
    "sent",
]
