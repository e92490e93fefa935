"""Gives core what it needs of a stored set-up. Snapshots never change, so a process reads each one
once."""

from functools import lru_cache

from apps.agents.models import ProfileSet
from apps.agents.own import profiles_of
from apps.roles.models import PoolVersion
from workers.core.specs import OwnProfile, PoolSpec


@lru_cache(maxsize=64)
def pool_spec(pool_version_id: int | None) -> PoolSpec | None:
    """The cache is small, because a pool may have 1,000 roles."""
    if pool_version_id is None:
        return None
    return PoolSpec.model_validate(PoolVersion.objects.get(pk=pool_version_id).spec)


@lru_cache(maxsize=64)
def own_profiles(profile_set_id: int | None) -> tuple[OwnProfile, ...]:
    if profile_set_id is None:
        return ()
    return profiles_of(ProfileSet.objects.get(pk=profile_set_id))
