"""Work that roles need elsewhere, after the change is committed."""

from django.db import transaction

from apps.common.queue import send


def embeddings_enqueue(*, pool_id: int) -> None:
    """Has a worker fill in missing role embeddings, because the web process never loads a model. No
    run waits for these vectors: it embeds the roles itself."""
    transaction.on_commit(lambda: send("workers.tasks.embeddings.pool_embed", pool_id))
