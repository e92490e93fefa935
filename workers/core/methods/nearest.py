"""The roles of a pool that are nearest to a query."""

from __future__ import annotations

import numpy as np

from workers.core.errors import MethodError
from workers.core.mas.context import MethodContext
from workers.core.specs import RoleSpec


def roles_of(context: MethodContext, method: str) -> tuple[RoleSpec, ...]:
    """The roles of the run's pool. Raises MethodError `empty_pool`."""
    if context.pool is None or not context.pool.roles:
        raise MethodError(
            code="empty_pool",
            message=f"{method} takes its agents from a role pool, and this run has no roles.",
            remedy="Choose a pool with at least one enabled role.",
        )
    return context.pool.roles


async def nearest_roles(
    roles: tuple[RoleSpec, ...], query: str, context: MethodContext, *, count: int
) -> tuple[RoleSpec, ...]:
    """`count` roles by the cosine of their profile and the query, nearest first.

    Equal ones keep the pool's order; a pool with fewer roles begins anew. Raises MethodError
    `no_embedder`.
    """
    if context.embedder is None:
        raise MethodError(
            code="no_embedder",
            message="Roles are compared by their embeddings, and this run has no embedder.",
            remedy="Name the roles, or run it where the sentence embedder is available.",
        )
    vectors = await context.embedder.embed([query, *(role.profile() for role in roles)])
    similarities = vectors[1:] @ vectors[0]  # (K,)
    order = np.argsort(-similarities, kind="stable")
    return tuple(roles[int(order[place % len(roles)])] for place in range(count))
