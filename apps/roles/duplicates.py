"""Roles that are nearly the same to a method that chooses among them."""

from dataclasses import dataclass

import numpy as np
from pgvector.django import CosineDistance

from apps.roles.models import Role, RolePool

SIMILAR = 0.95
"""Cosine of two profiles from which on they count as near-duplicates.

A policy sees only the profile of a role (`RoleSpec.profile`: name, description, capabilities). To a
policy, two roles at 0.95 are one role that takes two places. No two roles of the built-in pool come
near 0.95, although some work in the same field (`test_duplicates`). A role that was copied and
reworded a little is above it.
"""
MOST_PAIRS = 200


@dataclass(frozen=True, slots=True)
class Similar:
    """A role beside another one; `similarity` is the cosine of their profiles, at most 1."""

    key: str
    name: str
    pk: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Pair:
    left: str
    right: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Duplicates:
    """The nearest pairs first, at most MOST_PAIRS of `count`. `waiting`: enabled roles that are not
    embedded and compared yet; a worker embeds them after each change."""

    pairs: tuple[Pair, ...]
    count: int
    waiting: int
    threshold: float = SIMILAR


def pool_duplicates(pool: RolePool) -> Duplicates:
    """Near-duplicates among the enabled roles of the draft, found in one statement."""
    rows = list(Role.objects.filter(pool=pool, enabled=True).values_list("key", "embedding"))
    keys = [key for key, vector in rows if vector is not None]
    waiting = len(rows) - len(keys)
    if len(keys) < 2:
        return Duplicates((), 0, waiting)
    vectors = np.array([vector for _, vector in rows if vector is not None], np.float32)  # (K, D)
    cosines = np.triu(vectors @ vectors.T, k=1)  # (K, K): the embeddings are of length 1
    left, right = np.nonzero(cosines >= SIMILAR)
    order = np.argsort(-cosines[left, right], kind="stable")[:MOST_PAIRS]
    pairs = tuple(
        Pair(keys[i], keys[j], similarity=min(1.0, round(float(cosines[i, j]), 4)))
        for i, j in zip(left[order], right[order], strict=True)
    )
    return Duplicates(pairs, len(left), waiting)


def role_duplicates(role: Role) -> list[Similar]:
    """The enabled roles of its pool that are nearly the same, nearest first; at most 5."""
    if role.embedding is None:
        return []
    others = (
        Role.objects.filter(pool=role.pool_id, enabled=True, embedding__isnull=False)
        .exclude(pk=role.pk)
        .alias(distance=CosineDistance("embedding", role.embedding))
        .filter(distance__lte=1 - SIMILAR)
        .order_by("distance")
        .annotate(far=CosineDistance("embedding", role.embedding))
    )
    rows = others.values_list("key", "name", "pk", "far")[:5]
    return [Similar(key, name, pk, min(1.0, round(1 - far, 4))) for key, name, pk, far in rows]
