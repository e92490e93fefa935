"""The policy finds roles by their profile's embedding: the right family must rank high.

`queries.yaml` was used while the descriptions were written; `queries_unseen.yaml` came afterwards
and only measures.
"""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.pools import FAMILIES, load_builtin_pool

ROLES = load_builtin_pool("general").roles
Query = tuple[str, str]


SETS = ("queries", "queries_unseen")


@pytest.fixture(scope="module")
def profiles(embedder: MiniLMEmbedder) -> NDArray[np.float32]:
    return embedder.embed_now([role.profile() for role in ROLES])


@pytest.fixture(scope="module")
def rankings(
    embedder: MiniLMEmbedder, profiles: NDArray[np.float32]
) -> dict[str, NDArray[np.int64]]:
    """Per set of N queries, (N, K): indices of the roles, most similar first."""
    vectors = {name: embedder.embed_now([query for _, query in _queries(name)]) for name in SETS}
    return {name: np.argsort(-(matrix @ profiles.T), axis=1) for name, matrix in vectors.items()}


@pytest.mark.parametrize("name", SETS)
def test_the_queries_cover_every_family(name: str) -> None:
    counts = Counter(family for family, _ in _queries(name))
    assert set(counts) == set(FAMILIES)
    assert min(counts.values()) >= 4


@pytest.mark.parametrize(("name", "wanted"), [("queries", 0.95), ("queries_unseen", 0.88)])
def test_the_right_family_is_among_the_first_three(
    name: str, wanted: float, rankings: dict[str, NDArray[np.int64]]
) -> None:
    queries = _queries(name)
    missed = [
        (family, query)
        for (family, query), order in zip(queries, rankings[name], strict=True)
        if family not in {ROLES[i].family for i in order[:3]}
    ]
    assert 1 - len(missed) / len(queries) >= wanted, missed


@pytest.mark.parametrize("name", SETS)
def test_no_role_is_out_of_reach(name: str, rankings: dict[str, NDArray[np.int64]]) -> None:
    reached = {int(i) for order in rankings[name] for i in order[:5]}
    assert [role.key for i, role in enumerate(ROLES) if i not in reached] == []


def test_no_profile_is_nearly_another(profiles: NDArray[np.float32]) -> None:
    similarity = profiles @ profiles.T - np.eye(len(ROLES))  # (K, K)
    assert similarity.max() < 0.8


def _queries(name: str) -> list[Query]:
    text = Path(__file__).with_name(f"{name}.yaml").read_text(encoding="utf-8")
    by_family: dict[str, list[str]] = yaml.safe_load(text)
    return [(family, query) for family, queries in by_family.items() for query in queries]
