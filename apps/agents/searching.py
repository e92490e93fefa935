"""Which agents of a pool a run would pick for a subtask, and why: the search of runs, shown to
people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from apps.agents.models import AgentProfile
from apps.agents.pools import Published, published_spec
from apps.agents.vectors import vectors_of
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.llms.models import Endpoint
from apps.roles.models import Role
from workers.core.agents.database import (
    AgentDatabase,
    AgentKey,
    Candidate,
    Statistics,
    require_agents,
)
from workers.core.agents.scoring import Floats, Scoring
from workers.core.errors import MethodError

MOST_SEARCHED = 100_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """`endpoints` (): all endpoints with known agents."""

    text: str
    pool: str
    endpoints: tuple[str, ...]
    k: int
    scoring: Scoring


@dataclass(frozen=True, slots=True)
class Suited:
    """`agent` None: it is not in the live database."""

    candidate: Candidate
    agent: int | None
    endpoint_name: str


@dataclass(frozen=True, slots=True)
class Answer:
    """`agents`: how many were searched. `reached`: whether the nearest agent suits the subtask."""

    candidates: tuple[Suited, ...]
    agents: int
    selections: int
    nearest: float
    threshold: float

    @property
    def reached(self) -> bool:
        return self.nearest >= self.threshold


def live_statistics(pool_key: str) -> dict[AgentKey, Statistics]:
    """The statistics of a pool's agents now, in one statement."""
    rows = AgentProfile.objects.filter(role__pool__key=pool_key)
    columns = ("role__key", "endpoint__key", "reward", "cost", "count")
    return {
        AgentKey(role, endpoint): Statistics(reward, cost, count)
        for role, endpoint, reward, cost, count in rows.values_list(*columns)
    }


def agents_search(wanted: Wanted, known: Mapping[AgentKey, Statistics]) -> Answer:
    """Searches as a run with these statistics would. Raises ApplicationError."""
    published = published_spec(wanted.pool)
    spec = published.spec
    there = {key.endpoint for key in known}
    endpoints = wanted.endpoints or tuple(sorted(there))
    _require_endpoints(set(endpoints) - there)
    _require_some(published, endpoints, known)
    texts = [role.profile() for role in spec.roles]
    embedded = _stored(published)
    asked = [wanted.text, *(text for text in texts if text not in embedded)]
    vectors = dict(zip(asked, vectors_of(asked), strict=True))
    rows = np.stack([embedded[t] if t in embedded else vectors[t] for t in texts])
    database = AgentDatabase(spec, endpoints, rows, scoring=wanted.scoring, known=known)
    found = database.search(vectors[wanted.text], wanted.k)
    return Answer(
        candidates=_suited(published, found.candidates),
        agents=len(spec.roles) * len(endpoints),
        selections=found.selections,
        nearest=found.nearest,
        threshold=wanted.scoring.threshold,
    )


def _require_endpoints(keys: set[str]) -> None:
    found = Endpoint.objects.filter(key__in=keys).values_list("key", flat=True)
    errors = [
        FieldError(
            "endpoints",
            "unknown_endpoint",
            _("There is no endpoint “%(key)s”, and no agent on it is known.") % {"key": key},
        )
        for key in sorted(keys - set(found))
    ]
    if errors:
        raise ApplicationError.of_fields(errors)


def _require_some(
    published: Published, endpoints: Sequence[str], known: Mapping[AgentKey, Statistics]
) -> None:
    if not known:
        raise conflict(
            "no_agents",
            _("The pool “%(pool)s” has no agents yet.") % {"pool": published.spec.key},
            _("Fill the agent database from the pool, or choose a checkpoint."),
        )
    try:
        require_agents(published.spec, endpoints, known)
    except MethodError as error:
        raise conflict(error.code, error.message, error.remedy) from error
    if len(published.spec.roles) * len(endpoints) > MOST_SEARCHED:
        raise ApplicationError(
            code="too_many",
            message=_(
                "This search has more than %(limit)s agents. Only runs can search so large a "
                "database."
            )
            % {"limit": f"{MOST_SEARCHED:,}"},
            remedy=_("Choose fewer endpoints."),
        )


def _stored(published: Published) -> dict[str, Floats]:
    """Vectors of the pool's roles by the text that was embedded. A role whose draft has changed has
    the vector of the draft, which is another text."""
    roles = Role.stored.filter(pool_id=published.pool_id, embedding__isnull=False)
    return {
        role.spec().profile(): np.array(role.embedding, dtype=np.float32)
        for role in roles
        if role.embedding is not None
    }


def _suited(published: Published, candidates: Sequence[Candidate]) -> tuple[Suited, ...]:
    keys = {candidate.endpoint for candidate in candidates}
    names = dict(Endpoint.objects.filter(key__in=keys).values_list("key", "name"))
    rows = AgentProfile.objects.filter(
        role__pool_id=published.pool_id,
        role__key__in={candidate.role.key for candidate in candidates},
        endpoint__key__in=keys,
    )
    ids = {(r, e): pk for pk, r, e in rows.values_list("id", "role__key", "endpoint__key")}
    return tuple(
        Suited(
            candidate=each,
            agent=ids.get((each.role.key, each.endpoint)),
            endpoint_name=names.get(each.endpoint, ""),
        )
        for each in candidates
    )
