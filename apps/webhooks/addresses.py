"""What of an address may be shown and logged."""

from __future__ import annotations

from yarl import URL


def origin_of(url: str) -> str:
    """Scheme, host and port. The path and the query of a receiver's address may be a secret."""
    try:
        return str(URL(url).origin())
    except ValueError:
        return "the address"
