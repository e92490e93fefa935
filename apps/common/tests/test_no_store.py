"""What one person may see is kept nowhere on its way."""

import pytest

from apps.accounts.tests.cast import AsUser

pytestmark = pytest.mark.django_db


def test_answers_of_the_api_are_kept_nowhere(as_user: AsUser) -> None:
    asked = {
        "viewer": "/api/me",
        "admin": "/api/runs",
        "operator": "/api/me/tokens",
        "curator": "/api/no-such-thing",
        "anonymous": "/api/me",
    }
    for who, address in asked.items():
        assert as_user(who).get(address).headers["Cache-Control"] == "no-store", who


def test_what_says_itself_how_it_may_be_kept_is_left_alone(as_user: AsUser) -> None:
    kept = as_user("anonymous").get("/api/auth/csrf").headers["Cache-Control"]
    assert "no-store" in kept
    assert "private" in kept
