"""Finds the roles of a pool that are nearest to a query."""

import numpy as np

from workers.core.errors import MethodError
from workers.core.mas.context import MethodContext
from workers.core.specs import PoolSpec, RoleSpec


def pool_of(context: MethodContext, method: str) -> PoolSpec:
    """The run's pool, which has roles. Raises MethodError `empty_pool`."""
    if context.pool is None or not context.pool.roles:
        raise MethodError(
            code="empty_pool",
            message=f"{method} takes its agents from a role pool, but this run has no roles.",
            remedy="Choose a pool with at least one enabled role.",
        )
    return context.pool


async def nearest_roles(
    roles: tuple[RoleSpec, ...], query: str, context: MethodContext, *, count: int
) -> tuple[RoleSpec, ...]:
    """`count` roles by the cosine of their profile and the query, nearest first.

    Equal ones keep the pool's order. A pool with fewer roles starts from the beginning again.
    Raises MethodError `no_embedder`.
    """
    if context.embedder is None:
        raise MethodError(
            code="no_embedder",
            message="Roles are compared by their embeddings, but this run has no embedder.",
            remedy="Name the roles, or run it on a worker that has the sentence embedder.",
        )
    vectors = await context.embedder.embed([query, *(role.profile() for role in roles)])
    similarities = vectors[1:] @ vectors[0]  # (K,)
    order = np.argsort(-similarities, kind="stable")
    return tuple(roles[int(order[place % len(roles)])] for place in range(count))
