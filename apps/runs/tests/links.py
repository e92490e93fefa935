"""Making links to runs through the API, and opening them."""

from typing import Any

from rest_framework.test import APIClient

from apps.runs.models import Run


def links(run: Run) -> str:
    return f"/api/runs/{run.id}/shares"


def share(client: APIClient, run: Run, **body: Any) -> Any:
    return client.post(links(run), body, format="json")


def opened(path: str, *, address: str = "127.0.0.1") -> Any:
    """What the link shows to somebody without an account."""
    return APIClient(REMOTE_ADDR=address).get(path.replace("/shared/", "/api/shared/"))
