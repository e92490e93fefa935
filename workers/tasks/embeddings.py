"""Fills in the embeddings of roles."""

from __future__ import annotations

from celery import shared_task

from apps.agents.services import profiles_follow
from apps.roles.models import Role
from workers.core.embed.minilm import MiniLMEmbedder


@shared_task(name="workers.tasks.embeddings.pool_embed")
def pool_embed(pool_id: int) -> int:
    """Embeds the profiles of a pool's roles that have none; returns how many. The agents that play
    the pool's roles follow."""
    roles = list(Role.objects.filter(pool_id=pool_id, embedding__isnull=True))
    if roles:
        _embed(roles)
    profiles_follow(pool_id=pool_id)
    return len(roles)


def _embed(roles: list[Role]) -> None:
    embedder = MiniLMEmbedder()
    try:
        vectors = embedder.embed_now([role.spec().profile() for role in roles])
    finally:
        embedder.close()
    for role, vector in zip(roles, vectors, strict=True):
        # Guarded by the version: a role changed meanwhile is embedded by its own task.
        Role.objects.filter(pk=role.pk, version=role.version).update(embedding=vector.tolist())
