"""Role match on the real embedder: known roles, known queries."""

import json
from pathlib import Path

import pytest

from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.evaluation.rationality import (
    closest_role,
    domain_text,
    role_rationality,
)
from workers.core.pools import load_builtin_pool
from workers.core.specs import RoleSpec
from workers.core.tests.support import known

ROLES = {role.key: role for role in load_builtin_pool("general").roles}
BAKER = "A baker sells 14 loaves at 3 dollars and 5 cakes at 12 dollars. How much in all?"
GSM8K = Path(__file__).parents[5] / "shared" / "datasets" / "gsm8k_dev.jsonl"


def of_family(family: str) -> list[RoleSpec]:
    return [role for role in ROLES.values() if role.family == family]


async def test_a_fitting_team_matches_and_a_strange_one_does_not(embedder: MiniLMEmbedder) -> None:
    fitting = known(
        await closest_role(
            of_family("mathematics"), query=BAKER, domain="mathematics", embedder=embedder
        )
    )
    (stranger,) = of_family("medicine")
    found = await role_rationality(
        [fitting, stranger], query=BAKER, domain="mathematics", embedder=embedder
    )
    assert [match.matches for match in found.roles] == [True, False]
    assert found.share == 0.5
    assert found.roles[0].similarity > found.roles[1].similarity
    assert found.mean_similarity == pytest.approx(sum(m.similarity for m in found.roles) / 2)


async def test_roles_of_a_process_are_shown_and_not_judged(embedder: MiniLMEmbedder) -> None:
    found = await role_rationality(of_family("planning"), query=BAKER, embedder=embedder)
    assert [match.matches for match in found.roles] == [None, None]
    assert (found.share, found.mean_similarity) == (None, None)


async def test_a_role_chosen_twice_counts_twice(embedder: MiniLMEmbedder) -> None:
    fitting = known(await closest_role(ROLES.values(), query=BAKER, embedder=embedder))
    (stranger,) = of_family("law")
    found = await role_rationality([fitting, fitting, stranger], query=BAKER, embedder=embedder)
    assert found.share == pytest.approx(2 / 3)


async def test_nobody_chosen_is_not_judged(embedder: MiniLMEmbedder) -> None:
    found = await role_rationality([], query=BAKER, embedder=embedder)
    assert (found.roles, found.share) == ((), None)
    assert await closest_role(of_family("critique"), query=BAKER, embedder=embedder) is None


async def test_the_threshold_parts_families_on_real_queries(embedder: MiniLMEmbedder) -> None:
    """What the module says of its threshold, on a sample."""
    if not GSM8K.exists():
        pytest.skip("the shared datasets are not on this machine")
    queries = [json.loads(line)["question"] for line in GSM8K.read_text().splitlines()[:20]]
    far = [*of_family("law"), *of_family("medicine"), *of_family("languages")]
    best, strange = 0, 0
    for query in queries:
        own = await role_rationality(
            of_family("mathematics"), query=query, domain="mathematics", embedder=embedder
        )
        other = await role_rationality(far, query=query, domain="mathematics", embedder=embedder)
        best += any(match.matches for match in own.roles)
        strange += sum(bool(match.matches) for match in other.roles)
    assert best >= 0.95 * len(queries)
    assert strange <= 0.10 * len(queries) * len(far)


def test_a_domain_is_spelled_out() -> None:
    assert domain_text("Why?", "commonsense") == "Common sense. Why?"
    assert domain_text("Why?", "chess") == "chess. Why?"
    assert domain_text("Why?") == "Why?"
