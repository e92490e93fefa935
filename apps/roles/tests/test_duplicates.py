"""Near-duplicates, by vectors made here; the last test has the real ones."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.tests.cast import AsUser
from apps.roles import services
from apps.roles.duplicates import SIMILAR, pool_duplicates, role_duplicates
from apps.roles.models import EMBEDDING_DIMENSION, Role, RolePool
from apps.roles.tests.conftest import role_values
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.pools import load_builtin_pool

pytestmark = pytest.mark.django_db


def embed(key: str, cosine: float) -> None:
    """A vector of length 1 with this cosine to that of a role at 1."""
    vector = np.zeros(EMBEDDING_DIMENSION)
    vector[0], vector[1] = cosine, (1 - cosine**2) ** 0.5
    Role.objects.filter(key=key).update(embedding=vector.tolist())


def test_pairs_from_the_threshold_on(draft: RolePool) -> None:
    embed("solver", 1.0)
    embed("checker", SIMILAR + 0.001)
    found = pool_duplicates(draft)
    assert [(pair.left, pair.right) for pair in found.pairs] == [("solver", "checker")]
    assert found.pairs[0].similarity == pytest.approx(SIMILAR + 0.001, abs=1e-3)
    assert (found.count, found.waiting) == (1, 1)
    embed("checker", SIMILAR - 0.001)
    assert pool_duplicates(draft).pairs == ()


def test_roles_that_are_off_disturb_nobody(draft: RolePool) -> None:
    for key in ("solver", "checker", "writer"):
        embed(key, 1.0)
    assert pool_duplicates(draft).count == 3
    services.role_update(role=draft.roles.get(key="writer"), values={"enabled": False})
    assert pool_duplicates(draft).count == 1
    assert [other.key for other in role_duplicates(draft.roles.get(key="solver"))] == ["checker"]


def test_a_role_that_is_not_embedded_has_no_near_one(draft: RolePool) -> None:
    embed("checker", 1.0)
    assert role_duplicates(draft.roles.get(key="solver")) == []


def test_it_takes_one_statement_however_many_roles(draft: RolePool) -> None:
    Role.objects.bulk_create(
        Role(pool=draft, **role_values(f"r{n}"), embedding=np.eye(EMBEDDING_DIMENSION)[n].tolist())
        for n in range(300)
    )
    with CaptureQueriesContext(connection) as asked:
        assert pool_duplicates(draft).count == 0
    assert len(asked) == 1


def test_over_http(as_user: AsUser, draft: RolePool) -> None:
    embed("solver", 1.0)
    embed("checker", 1.0)
    assert as_user("viewer").get("/api/pools/small/duplicates").json() == {
        "threshold": SIMILAR,
        "pairs": [{"left": "solver", "right": "checker", "similarity": 1.0}],
        "count": 1,
        "waiting": 1,
    }


def test_the_admin_warns_on_the_pools_and_the_roles_page(as_user: AsUser, draft: RolePool) -> None:
    client = as_user("curator")
    role = draft.roles.get(key="solver")
    pages = (f"rolepool/{draft.pk}", f"role/{role.pk}")
    for warned in (False, True):
        for page in pages:
            said = client.get(f"/admin/roles/{page}/change/").content.decode()
            assert ("nearly" in said) is warned
        embed("solver", 1.0)
        embed("checker", 1.0)


def test_the_pool_that_comes_with_the_studio_warns_of_nothing_and_a_rewording_is_found() -> None:
    roles = load_builtin_pool("general").roles
    reworded = roles[0].model_copy(
        update={"description": roles[0].description.replace(".", ", step by step.")}
    )
    embedder = MiniLMEmbedder()
    try:
        vectors = embedder.embed_now([role.profile() for role in (*roles, reworded)])
    finally:
        embedder.close()
    cosines = vectors @ vectors.T - 2 * np.eye(len(vectors))
    assert cosines[:-1, :-1].max() < 0.8
    assert cosines[0, -1] >= SIMILAR
