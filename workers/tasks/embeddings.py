"""Embeds roles, and texts for web processes."""

from contextlib import closing

import numpy as np
from celery import shared_task
from numpy.typing import NDArray

from apps.agents.services import profiles_follow
from apps.agents.vectors import vectors_keep
from apps.roles.models import Role
from workers.core.embed.minilm import MiniLMEmbedder


@shared_task(name="workers.tasks.embeddings.pool_embed")
def pool_embed(pool_id: int) -> int:
    """Embed the profiles of a pool's roles that have no embedding, and return how many. Then do the
    same for the agents that play the pool's roles."""
    roles = list(Role.objects.filter(pool_id=pool_id, embedding__isnull=True))
    vectors = _vectors([role.spec().profile() for role in roles]) if roles else ()
    for role, vector in zip(roles, vectors, strict=True):
        # Guarded by the version: a role changed meanwhile is embedded by its own task.
        Role.objects.filter(pk=role.pk, version=role.version).update(embedding=vector.tolist())
    profiles_follow(pool_id=pool_id)
    return len(roles)


@shared_task(name="workers.tasks.embeddings.texts_embed")
def texts_embed(texts: list[str]) -> None:
    """Embed the texts. The caller reads the vectors from Redis."""
    vectors_keep(texts, _vectors(texts))


def _vectors(texts: list[str]) -> NDArray[np.float32]:
    with closing(MiniLMEmbedder()) as embedder:
        return embedder.embed_now(texts)
