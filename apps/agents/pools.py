"""The pool of agents, as runs take it."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError, FieldError
from apps.roles.models import RolePool
from apps.roles.publishing import unpublished_error
from workers.core.specs import PoolSpec


@dataclass(frozen=True, slots=True)
class Published:
    pool_id: int
    version: int
    spec: PoolSpec


def published_spec(key: str) -> Published:
    """Raises ApplicationError if there is no such pool, or if it has no published version."""
    pool = RolePool.objects.select_related("published").filter(key=key).first()
    if pool is None:
        known = ", ".join(RolePool.objects.values_list("key", flat=True)[:20])
        message = _("There is no pool “%(key)s”. Choose from: %(known)s.") % {
            "key": key,
            "known": known,
        }
        raise ApplicationError.of_fields([FieldError("pool", "unknown_pool", message)])
    if pool.published is None:
        raise ApplicationError.of_fields([unpublished_error(pool)])
    spec = PoolSpec.model_validate(pool.published.spec)
    return Published(pool.pk, pool.published.version, spec)
