"""What an agent has besides its role: a prompt and a memory of its own, and what runs take of
these."""

from hashlib import sha256
from typing import Any

import orjson
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import BaseModel

from apps.accounts.models import User
from apps.agents.models import AgentProfile, ProfileSet
from apps.common.errors import ApplicationError, FieldError
from apps.common.locking import copy_stored, locked
from apps.common.texts import NOT_TEXT, is_text
from apps.roles.models import PoolVersion
from workers.core.methods.base import AsksProfiles
from workers.core.specs import MEMORY_TITLE, PROMPT_MAX_CHARS, OwnProfile

MOST_CHARS = 2_000_000
"""Limit on the own prompts and memories of all agents of a run together, in characters."""


@transaction.atomic
def profile_update(*, agent: AgentProfile, values: dict[str, str], by: User) -> AgentProfile:
    """Changes only `values` (`prompt`, `memory`), so what another curator changed since then stays.
    It applies to what starts from now on. Afterwards `agent` is as stored. Raises ApplicationError
    if a value is not text, or if both together are too long for an agent."""
    errors = [
        FieldError(name, "not_text", str(NOT_TEXT))
        for name, text in values.items()
        if not is_text(text)
    ]
    if errors:
        raise ApplicationError.of_fields(errors)
    stored = locked(agent)
    changed = {name: text for name, text in values.items() if getattr(stored, name) != text}
    for name, text in changed.items():
        setattr(stored, name, text)
    if changed:
        _check_room(stored)
        stored.edited_at, stored.edited_by = timezone.now(), by.username
        stored.save(update_fields=[*changed, "edited_at", "edited_by", "updated_at"])
    return copy_stored(stored, agent)


def _check_room(agent: AgentProfile) -> None:
    prompt = agent.prompt or agent.role.prompt
    over = len(prompt) + len(MEMORY_TITLE) + len(agent.memory) - PROMPT_MAX_CHARS
    if agent.memory and over > 0:
        message = _(
            "The prompt and the memory together are %(over)s characters too long. Shorten one of "
            "them."
        ) % {"over": f"{over:,}"}
        raise ApplicationError.of_fields([FieldError("memory", "too_long", message)])


def profiles_taken(
    *, config: BaseModel, pool: PoolVersion | None, endpoint: str
) -> ProfileSet | None:
    """What a run, a training or an evaluation takes: the own prompts and memories, as they are now,
    of the pool's agents on the endpoint and on those of the method's config. None if there are
    none, or if the config does not ask for them.

    Raises ApplicationError if they are too long.
    """
    if pool is None or not isinstance(config, AsksProfiles):
        return None
    endpoints = {endpoint, *config.agents_on()}
    own = AgentProfile.objects.filter(
        ~Q(prompt="") | ~Q(memory=""), role__pool_id=pool.pool_id, endpoint__key__in=endpoints
    ).order_by("role__key", "endpoint__key")
    played = {role["key"] for role in pool.spec["roles"]}
    found = [
        OwnProfile(role=role, endpoint=endpoint, prompt=prompt, memory=memory)
        for role, endpoint, prompt, memory in own.values_list(
            "role__key", "endpoint__key", "prompt", "memory"
        )
        if role in played
    ]
    if not found:
        return None
    if sum(len(each.prompt) + len(each.memory) for each in found) > MOST_CHARS:
        message = _(
            "The prompts and memories of the agents have more than %(limit)s characters in "
            "total. Choose fewer endpoints, or shorten them."
        ) % {"limit": f"{MOST_CHARS:,}"}
        raise ApplicationError.of_fields([FieldError("pool", "too_much", message)])
    return _stored([each.model_dump(mode="json") for each in found])


def _stored(profiles: list[dict[str, Any]]) -> ProfileSet:
    digest = sha256(orjson.dumps(profiles, option=orjson.OPT_SORT_KEYS)).hexdigest()
    kept, _created = ProfileSet.objects.get_or_create(
        digest=digest, defaults={"profiles": profiles}
    )
    return kept


def profiles_of(stored: ProfileSet) -> tuple[OwnProfile, ...]:
    """Raises ValidationError if another version of the studio wrote it."""
    return tuple(map(OwnProfile.model_validate, stored.profiles))
