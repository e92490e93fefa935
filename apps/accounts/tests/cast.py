"""What each member of the cast is answered. Their clients are fixtures of the root's conftest."""

from collections.abc import Callable

from rest_framework.test import APIClient

AsUser = Callable[[str], APIClient]
TokenClient = Callable[..., APIClient]
CAST = ("anonymous", "outsider", "viewer", "operator", "curator", "admin")
OWNED = [("operator", 200), ("curator", 403), ("admin", 200)]
"""Who, and their status where only the owner, who is the operator, and admins may."""


def by_group(least: str, done: int = 200) -> list[tuple[str, int]]:
    """Who, and the status that they get of what a `least` and the groups above it may do."""
    allowed = CAST[CAST.index(least) :]
    refused = {who: 401 if who == "anonymous" else 403 for who in CAST}
    return [(who, done if who in allowed else refused[who]) for who in CAST]
