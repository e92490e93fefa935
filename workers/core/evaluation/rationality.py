"""Role rationality: do the roles that were chosen fit the query?

    similarity(R, Q) = cosine of the embeddings of R's profile and of “domain. query”
    share            = chosen roles with similarity ≥ MATCH, of the chosen roles that are judged

Deviations and choices:
 1. MATCH = 0.15, found on the built-in pool with all-MiniLM-L6-v2 over 200 queries of GSM8K and
    MBPP and 130 of our own: 60% of the roles of a query's own family reach it, the best of them on
    99% of the queries, and 7% of the roles of other families. Cosines of short profiles are low.
 2. Roles of PROCESS_FAMILIES plan, check or sum up in any domain, so their distance to the query
    says nothing. Their similarity is reported, but they are not judged.
 3. A role that two agents play counts twice, because it was chosen twice.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from workers.core.embed.base import Embedder
from workers.core.evaluation.cells import mean
from workers.core.pools.families import FAMILIES
from workers.core.specs import RoleSpec

MATCH = 0.15
PROCESS_FAMILIES = frozenset({"planning", "verification", "critique", "synthesis", "summary"})


@dataclass(frozen=True, slots=True)
class RoleMatch:
    """`matches` None: not judged, because the role fits any domain."""

    role_key: str
    similarity: float
    matches: bool | None


@dataclass(frozen=True, slots=True)
class RoleRationality:
    """`share` None: no chosen role could be judged."""

    roles: tuple[RoleMatch, ...]
    mean_similarity: float | None
    share: float | None


async def role_rationality(
    roles: Sequence[RoleSpec], *, query: str, domain: str = "", embedder: Embedder
) -> RoleRationality:
    """How well the roles of one run fit its query. `roles` are in the order of choice."""
    if not roles:
        return RoleRationality((), None, None)
    texts = [domain_text(query, domain), *(role.profile() for role in roles)]
    vectors = await embedder.embed(texts)  # (1 + N, D)
    similarities = vectors[1:] @ vectors[0]
    matches = tuple(
        _match(role, float(similarity))
        for role, similarity in zip(roles, similarities, strict=True)
    )
    judged = [match for match in matches if match.matches is not None]
    return RoleRationality(
        roles=matches,
        mean_similarity=mean([match.similarity for match in judged]),
        share=mean([float(bool(match.matches)) for match in judged]),
    )


async def closest_role(
    roles: Iterable[RoleSpec], *, query: str, domain: str = "", embedder: Embedder
) -> RoleSpec | None:
    """The role nearest to the query among those that are judged; None if there is none."""
    candidates = [role for role in roles if role.family not in PROCESS_FAMILIES]
    if not candidates:
        return None
    texts = [domain_text(query, domain), *(role.profile() for role in candidates)]
    vectors = await embedder.embed(texts)
    return candidates[int(np.argmax(vectors[1:] @ vectors[0]))]


def domain_text(query: str, domain: str = "") -> str:
    """The text that a role is compared with. A family's key is replaced by its label."""
    return f"{FAMILIES.get(domain, domain)}. {query}" if domain else query


def _match(role: RoleSpec, similarity: float) -> RoleMatch:
    judged = role.family not in PROCESS_FAMILIES
    return RoleMatch(role.key, similarity, similarity >= MATCH if judged else None)
