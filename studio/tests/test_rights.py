"""Who may do what: every address of the API, asked by every member of the cast.

Nothing is stored, so a person who is let in is told that the thing does not exist or that the body
is wrong.
"""

import re
from collections.abc import Iterable, Iterator
from uuid import UUID

import pytest
from django.urls import URLPattern, URLResolver
from rest_framework.test import APIClient

from apps.accounts.tests.cast import CAST, AsUser, TokenClient, by_group
from studio.urls import api

READ_BY = {
    "anonymous": ("health", "auth/", "shared/"),
    "operator": ("runs/<uuid:run_id>/shares",),
    "curator": ("datasets/imports/",),
}
"""Addresses that begin so. All others are read by all members."""
WRITTEN_BY = {
    "anonymous": ("auth/",),
    "viewer": ("me/", "agents/search"),
    "operator": ("runs", "uploads", "designs", "evaluations", "training-jobs", "webhooks"),
    "curator": ("endpoints", "pools", "checkpoints", "agents", "datasets", "games", "questions"),
}
ELSEWHERE = ("auth/logout", "schema", "docs")
"""Logs out, takes seconds, or leads to the login. Other tests ask these."""
PLACES = {"uuid": str(UUID(int=1)), "slug": "none", "str": "none", "int": "1"}
SCOPES = {"operator": "run", "curator": "curate"}
"""What a token needs for what only these groups may do."""
WITHOUT_BODY = ("cancel", "retry", "resume", "pause", "discard", "promote", "rotate", "resend")
Patterns = Iterable[URLPattern | URLResolver]


def addresses(patterns: Patterns) -> Iterator[tuple[str, str]]:
    """The method and the address of everything that the API accepts."""
    for each in patterns:
        if isinstance(each, URLResolver):
            yield from addresses(each.url_patterns)
            continue
        if str(each.pattern) in ELSEWHERE:
            continue
        view = vars(each.callback)["view_class"]
        for method in ("get", "post", "put", "patch", "delete"):
            if hasattr(view, method) and method in view.http_method_names:
                yield method, str(each.pattern)


def least(method: str, address: str) -> str:
    """The lowest group that may. Raises StopIteration for a write that the table above lacks."""
    table = READ_BY if method == "get" else WRITTEN_BY
    found = (group for group, begins in table.items() if address.startswith(begins))
    return next(found, "viewer") if method == "get" else next(found)


def asked(client: APIClient, method: str, address: str) -> int:
    """The status of the answer."""
    place = re.sub(r"<(\w+):\w+>", lambda found: PLACES[found[1]], address)
    status: int = getattr(client, method)(f"/api/{place}", {}).status_code
    return status


@pytest.mark.django_db
@pytest.mark.parametrize("who", CAST)
def test_every_address_lets_in_whom_it_should(as_user: AsUser, who: str) -> None:
    client = as_user(who)
    for method, address in addresses(api):
        status, group = asked(client, method, address), least(method, address)
        expected = dict(by_group(group))[who] if group != "anonymous" else 200
        said = f"{method} {address}: {status}"
        if expected != 200:
            assert status == expected, said
        elif "<" in address and (method == "get" or address.endswith(WITHOUT_BODY)):
            assert status == 404, said
        else:
            assert status not in {401, 403} or address == "auth/login", said
            assert status < 500 or address == "health", said


@pytest.mark.django_db
@pytest.mark.parametrize("scopes", [("read",), ("run",), ("curate",), ("run", "curate")])
def test_a_token_reads_and_writes_what_its_scopes_name(
    with_token: TokenClient, scopes: tuple[str, ...]
) -> None:
    client = with_token("admin", *scopes)
    for method, address in addresses(api):
        needed = {SCOPES.get(least(method, address), scopes[0])}
        if address.endswith("/try"):
            needed = {"run", "curate"}
        refused = not needed <= set(scopes)
        if method != "get" and address.startswith("me/"):
            refused = scopes == ("read",) or address.startswith("me/tokens")
        assert (asked(client, method, address) == 403) is refused, f"{method} {address}"
