"""What of an address may be shown and logged."""

from __future__ import annotations

import ipaddress

from yarl import URL


def origin_of(url: str) -> str:
    """Scheme, host and port. The path and the query of a receiver's address may be a secret."""
    try:
        return str(URL(url).origin())
    except ValueError:
        return "the address"


def names_host(url: str) -> bool:
    """Whether its host is a name, which is looked up, and not an address."""
    try:
        ipaddress.ip_address((URL(url).host or "").partition("%")[0])
    except ValueError:
        return True
    return False
