"""What one person may see is kept nowhere on its way."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("who", "address"),
    [
        ("viewer", "/api/me"),
        ("admin", "/api/runs"),
        ("operator", "/api/me/tokens"),
        ("curator", "/api/endpoints"),
        ("anonymous", "/api/me"),
        ("viewer", "/api/no-such-thing"),
    ],
)
def test_answers_of_the_api_are_kept_nowhere(
    as_user: Callable[[str], APIClient], who: str, address: str
) -> None:
    assert as_user(who).get(address).headers["Cache-Control"] == "no-store"


def test_what_says_itself_how_it_may_be_kept_is_left_alone(
    as_user: Callable[[str], APIClient],
) -> None:
    kept = as_user("anonymous").get("/api/auth/csrf").headers["Cache-Control"]
    assert "no-store" in kept
    assert "private" in kept
