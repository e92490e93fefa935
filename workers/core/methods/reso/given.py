"""What a run or a training of ReSo is given, checked before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping

from workers.core.embed.base import Embedder
from workers.core.errors import MethodError
from workers.core.methods.reso.config import SearchConfig
from workers.core.specs import EndpointSpec, PoolSpec, Slug


def embedder_of(embedder: Embedder | None) -> Embedder:
    if embedder is None:
        raise MethodError(
            code="no_embedder",
            message="ReSo compares subtasks with agents by their embeddings, and has no embedder.",
            remedy="Run it where the sentence embedder is available.",
        )
    return embedder


def pool_of(pool: PoolSpec | None) -> PoolSpec:
    if pool is None or not pool.roles:
        raise MethodError(
            code="empty_pool",
            message="ReSo's agents are roles on endpoints, and there are no roles.",
            remedy="Choose a pool with at least one enabled role.",
        )
    return pool


def endpoint_named(
    key: Slug | None, *, own: EndpointSpec, further: Mapping[str, EndpointSpec]
) -> EndpointSpec:
    """None: its own."""
    if key is None or key == own.key:
        return own
    if key not in further:
        raise MethodError(
            code="unknown_endpoint",
            message=f"The endpoint “{key}” that ReSo's options name is not there.",
            remedy="Leave it out, or ask anew once it is set up.",
        )
    return further[key]


def endpoints_of(
    config: SearchConfig, *, own: EndpointSpec, further: Mapping[str, EndpointSpec]
) -> tuple[Slug, ...]:
    """Keys of the endpoints whose agents are searched."""
    named = [endpoint_named(key, own=own, further=further).key for key in config.endpoints]
    return tuple(dict.fromkeys((own.key, *named)))
