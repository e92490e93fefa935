"""Many roles at once: all or nothing, and one version of each pool that they belong to."""

from collections.abc import Callable, Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from apps.accounts.models import User
from apps.roles.drafts import draft_edit, role_store, roles_remove
from apps.roles.models import PoolChange, Role, RolePool
from apps.roles.services import role_check, switched


def roles_enable(*, ids: Iterable[int], enabled: bool, by: User | None = None) -> int:
    """How many roles were enabled, or disabled. Roles that were so before are not counted."""

    def switch(_: RolePool, roles: QuerySet[Role]) -> int:
        return roles.exclude(enabled=enabled).update(enabled=enabled, updated_at=Now())

    return _each_pool(ids, switched(enabled), switch, by)


def roles_move(*, ids: Iterable[int], family: str, by: User | None = None) -> int:
    """How many roles moved to the family. Raises ApplicationError if its name is invalid."""

    def move(_: RolePool, roles: QuerySet[Role]) -> int:
        moved = list(roles.exclude(family=family).select_for_update())
        for role in moved:
            before, role.family = role.spec(), family
            role_check(role)
            role_store(role, before=before, by=by)
        return len(moved)

    return _each_pool(ids, PoolChange.Kind.MOVED, move, by)


def roles_delete(*, ids: Iterable[int], by: User | None = None) -> int:
    """How many roles were removed."""

    def delete(pool: RolePool, roles: QuerySet[Role]) -> int:
        count = roles.count()
        roles_remove(pool, roles)
        return count

    return _each_pool(ids, PoolChange.Kind.ROLE_REMOVED, delete, by)


@transaction.atomic
def _each_pool(
    ids: Iterable[int],
    kind: PoolChange.Kind,
    change: Callable[[RolePool, QuerySet[Role]], int],
    by: User | None,
) -> int:
    """Locks pools by rising number, so that two people with the same pools wait in one order."""
    chosen = list(ids)
    pools = RolePool.objects.filter(roles__in=chosen).distinct().order_by("pk")
    changed = 0
    for pool in pools:
        with draft_edit(pool, kind, by=by):
            changed += change(pool, Role.objects.filter(pool=pool, pk__in=chosen))
    return changed
