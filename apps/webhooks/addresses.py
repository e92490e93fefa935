"""What may be shown and logged of an address."""

import ipaddress

from yarl import URL


def origin_of(url: str) -> str:
    """Scheme, host and port. The path and query of a receiver's address may be secret."""
    try:
        return str(URL(url).origin())
    except ValueError:
        return "the address"


def names_host(url: str) -> bool:
    """Whether its host is a name that is looked up, not an IP address."""
    try:
        ipaddress.ip_address((URL(url).host or "").partition("%")[0])
    except ValueError:
        return True
    return False
