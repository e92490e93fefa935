"""Filling the agent database: every role of a pool on some endpoints."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from django.utils.translation import gettext as _

from apps.agents.models import AgentProfile
from apps.agents.pools import published_spec
from apps.agents.services import profiles_ensure
from apps.common.errors import ApplicationError, FieldError
from apps.llms.models import Endpoint
from apps.roles.dispatch import embeddings_enqueue
from workers.core.agents.scoring import MOST_ENDPOINTS

MOST_AGENTS = 20_000


@dataclass(frozen=True, slots=True)
class Filled:
    """`agents` = `new` + existing ones, which stay as they are. `waiting`: agents that are not
    embedded yet; a worker does this within seconds."""

    roles: int
    endpoints: int
    agents: int
    new: int
    waiting: int


def agents_fill(
    *, pool_key: str, endpoints: Sequence[str] | None = None, dry_run: bool = False
) -> Filled:
    """Makes an agent for each published role of the pool on each endpoint; None: on all enabled
    endpoints.

    Safe to repeat: what is known of an agent stays. `dry_run`: only reports what would be made.
    Raises ApplicationError.
    """
    version = published_spec(pool_key)
    keys = _endpoints(endpoints)
    wanted = [(endpoint, role.key) for endpoint, role in product(keys, version.spec.roles)]
    if len(wanted) > MOST_AGENTS:
        message = _("This would make %(count)s agents; the limit is %(limit)s at once.") % {
            "count": f"{len(wanted):,}",
            "limit": f"{MOST_AGENTS:,}",
        }
        raise ApplicationError.of_fields([FieldError("endpoints", "too_many", message)])
    if dry_run:
        there = AgentProfile.objects.filter(
            role__pool_id=version.pool_id,
            role__key__in=[role.key for role in version.spec.roles],
            endpoint__key__in=keys,
        ).count()
        return Filled(len(version.spec.roles), len(keys), len(wanted), len(wanted) - there, 0)
    new = profiles_ensure(pool_key=pool_key, agents=wanted)
    waiting = AgentProfile.objects.filter(
        role__pool_id=version.pool_id, endpoint__key__in=keys, embedding__isnull=True
    ).count()
    if waiting:
        embeddings_enqueue(pool_id=version.pool_id)
    return Filled(len(version.spec.roles), len(keys), len(wanted), new, waiting)


def _endpoints(wanted: Sequence[str] | None) -> list[str]:
    enabled = list(Endpoint.objects.filter(enabled=True).values_list("key", flat=True))
    keys = enabled if wanted is None else list(dict.fromkeys(wanted))
    known = ", ".join(enabled[:20])
    if not keys:
        message = _("There is no endpoint for the agents. Choose one, or set one up.")
        raise ApplicationError.of_fields([FieldError("endpoints", "no_endpoint", message)])
    errors = [
        FieldError(
            "endpoints",
            "unknown_endpoint",
            _("There is no enabled endpoint “%(key)s”. Choose from: %(known)s.")
            % {"key": key, "known": known},
        )
        for key in keys
        if key not in enabled
    ]
    if len(keys) > MOST_ENDPOINTS:
        message = _("Choose at most %(limit)s endpoints.") % {"limit": MOST_ENDPOINTS}
        errors.append(FieldError("endpoints", "too_many", message))
    if errors:
        raise ApplicationError.of_fields(errors)
    return keys
