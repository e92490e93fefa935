"""Handing runs to the workers."""

from uuid import UUID

from apps.common.queue import EVALUATION, INFERENCE, send

QUEUES = (INFERENCE, EVALUATION)


def queue_of(evaluation_id: UUID | None) -> str:
    return INFERENCE if evaluation_id is None else EVALUATION


def run_enqueue(run_id: UUID, queue: str = INFERENCE) -> bool:
    """Whether the broker took the message. If not, the watchdog sends it again."""
    return send("workers.tasks.inference.run_execute", str(run_id), queue=queue)
