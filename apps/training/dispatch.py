"""Handing trainings to the workers."""

from uuid import UUID

from apps.common.queue import TRAINING, send


def training_enqueue(job_id: UUID) -> bool:
    """Whether the broker took the message. If not, the watchdog sends it again."""
    return send("workers.tasks.training.training_execute", str(job_id), queue=TRAINING)
