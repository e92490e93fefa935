"""Decides which IP addresses our servers may connect to when a person enters them."""

import ipaddress
from typing import Literal

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Reach = Literal["public", "private", "forbidden"]

METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in (
        "168.63.129.16",
        "192.0.0.192",
        "100.100.100.200",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
    )
)
"""Cloud metadata services outside the link-local range: they give out a machine's credentials."""

PRIVATE = tuple(
    ipaddress.ip_network(text)
    for text in (
        "127.0.0.0/8",
        "::1/128",
        "0.0.0.0/32",
        "::/128",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
        "fc00::/7",
        "fec0::/10",
    )
)
"""This machine and its networks: reachable if a curator allowed it. 0.0.0.0 is this machine."""

RELAYS = tuple(ipaddress.ip_network(text) for text in ("192.88.99.0/24", "2001::/32"))
NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"),)


def reach(address: IPAddress) -> Reach:
    """`public`, `private` (allowed only on request) or `forbidden` (never).

    An IPv6 address that contains an IPv4 address is judged by that one: ::ffff:a.b.c.d (mapped),
    ::a.b.c.d (compatible), 2002:: (6to4) and 64:ff9b:: (NAT64).
    """
    inner = _embedded(address)
    if inner is not None:
        return reach(inner)
    if address in METADATA:
        return "forbidden"
    if any(address in network for network in PRIVATE if network.version == address.version):
        return "private"
    relayed = any(address in network for network in RELAYS if network.version == address.version)
    refused = address.is_multicast or address.is_reserved or address.is_link_local
    return "forbidden" if relayed or refused or not address.is_global else "public"


def _embedded(address: IPAddress) -> ipaddress.IPv4Address | None:
    if isinstance(address, ipaddress.IPv4Address):
        return None
    number = int(address)
    if address.ipv4_mapped or any(address in network for network in NAT64):
        return ipaddress.IPv4Address(number & 0xFFFFFFFF)
    if address.sixtofour:
        return address.sixtofour
    # ::1 and :: are addresses of their own, everything else below 2**32 carries IPv4
    return ipaddress.IPv4Address(number) if 1 < number < 2**32 else None
