"""The guarded client: aiohttp that checks the scheme, and the address at each connect.

`_checked_socket` makes every socket. aiohttp gives it the exact address before it connects, so host
names, literal addresses, redirects and names that change their answer between two look-ups (DNS
rebinding) all pass through it. Before that, the resolver refuses a name if any of its addresses is
refused. `check_url` is for saving a URL: it looks nothing up.
"""

import ipaddress
import re
import socket
from functools import partial
from typing import Any
from urllib.parse import unquote

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from workers.core.net.addresses import IPAddress, reach
from workers.core.net.lookups import Lookups, SystemResolver

SCHEMES = frozenset({"http", "https"})
MAX_URL_CHARS = 4_096
_SEPARATORS = re.compile(r"[/\\]")
KEEPALIVE_SECONDS = 30.0
DNS_CACHE_SECONDS = 30
LOOKUPS = Lookups()
"""The default resolver."""

ALLOW_PRIVATE = "If the server is yours, a curator can allow private addresses for this endpoint."
KEY_ELSEWHERE = "Remove it. Use an environment variable for the key instead."
PUBLIC_ONLY = "Use the server's public address."


class AddressRefused(Exception):
    """A URL or address that may not be used. The sentences are for people."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class PrivateRefused(AddressRefused):
    """A private address, which a person could allow."""


class RedirectRefused(AddressRefused):
    """What a server redirects to may not be used: this address, or one redirect more."""


def check_url(url: str, *, allow_private: bool = False) -> URL:
    """The parsed URL, if its syntax, scheme and literal address are allowed. Raises AddressRefused.

    Host names are not resolved here: their addresses are checked when a connection is made.
    """
    parsed = _parse(url)
    if parsed.scheme not in SCHEMES:
        raise AddressRefused(
            f"The address {_cut(url)} is not a web address.", "Start it with http:// or https://."
        )
    if parsed.raw_user is not None or parsed.raw_password is not None:
        raise AddressRefused("The address contains a user name or password.", KEY_ELSEWHERE)
    if not parsed.raw_host:
        raise AddressRefused(
            f"The address {_cut(url)} has no host.", "Write it as http://host:port."
        )
    _check_host(parsed.raw_host, allow_private=allow_private)
    return parsed


def check_address(text: str, *, allow_private: bool, host: str = "") -> None:
    """Raise AddressRefused for a forbidden IP address. `host`: the name that was looked up; the
    message does not reveal its address."""
    address = ipaddress.ip_address(text.partition("%")[0])
    _check_ip(address, allow_private=allow_private, host=host)


def is_below(target: URL, base: str) -> bool:
    """Whether the address is that of `base`, or below it."""
    if not base or not target.absolute:
        return False
    root = URL(base)
    path = root.path.rstrip("/") + "/"
    if target.origin() != root.origin() or not f"{target.path}/".startswith(path):
        return False
    # A server may decode a path before it follows the dots. A title may have dots: “Wait...”.
    return ".." not in _SEPARATORS.split(unquote(target.raw_path))


def guarded_connector(
    *, allow_private: bool, names: AbstractResolver | None = None
) -> aiohttp.TCPConnector:
    """A connector without a connection limit that refuses addresses at connect. `names` looks up
    names instead of the system."""
    return aiohttp.TCPConnector(
        limit=0,
        resolver=GuardedResolver(allow_private=allow_private, inner=names),
        ttl_dns_cache=DNS_CACHE_SECONDS,
        keepalive_timeout=KEEPALIVE_SECONDS,
        socket_factory=partial(_checked_socket, allow_private=allow_private),
    )


def guarded_session(
    *, allow_private: bool, names: AbstractResolver | None = None, **options: Any
) -> aiohttp.ClientSession:
    """A session over a guarded connector: no proxy from the environment, no cookies kept."""
    connector = guarded_connector(allow_private=allow_private, names=names)
    return aiohttp.ClientSession(
        connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False, **options
    )


class GuardedResolver(AbstractResolver):
    """The system's resolver. It refuses a name if one of its addresses is refused."""

    def __init__(self, *, allow_private: bool, inner: AbstractResolver | None = None) -> None:
        self._allow_private = allow_private
        self._inner = inner or SystemResolver(LOOKUPS)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        for result in found:
            check_address(result["host"], allow_private=self._allow_private, host=host)
        return found

    async def close(self) -> None:
        await self._inner.close()


def _parse(url: str) -> URL:
    if len(url) > MAX_URL_CHARS or any(character.isspace() for character in url):
        raise AddressRefused("The address is too long or contains spaces.", "Check the address.")
    try:
        parsed = URL(url)
        _ = parsed.port, parsed.host
    except ValueError as error:
        raise AddressRefused(
            f"The address {_cut(url)} can't be read.", "Check the address."
        ) from error
    return parsed


def _check_host(host: str, *, allow_private: bool) -> None:
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        _check_ip(ipaddress.IPv4Address("127.0.0.1"), allow_private=allow_private)
        return
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        _refuse_disguised(name)
        return
    _check_ip(address, allow_private=allow_private)


def _refuse_disguised(name: str) -> None:
    """2130706433, 0x7f.1 and 0177.0.0.1 are IPv4 addresses to the system's resolver."""
    try:
        plain = socket.inet_ntoa(socket.inet_aton(name))
    except (OSError, UnicodeError):
        return
    except ValueError as error:  # a NUL
        raise AddressRefused(
            f"The host {_cut(name)} can't be read.", "Check the address."
        ) from error
    raise AddressRefused(
        f"The host {_cut(name)} is another way to write {plain}.", f"Use {plain} instead."
    )


def _check_ip(address: IPAddress, *, allow_private: bool, host: str = "") -> None:
    kind = reach(address)
    if kind == "public" or (kind == "private" and allow_private):
        return
    remedy = ALLOW_PRIVATE if kind == "private" else PUBLIC_ONLY
    name = "private" if kind == "private" else "reserved"
    which = f"{_cut(host)} has" if host else f"{address} is"
    refusal = PrivateRefused if kind == "private" else AddressRefused
    raise refusal(f"{which} a {name} address, which is not allowed.", remedy)


def _checked_socket(info: aiohttp.AddrInfoType, *, allow_private: bool) -> socket.socket:
    family, kind, protocol, _, address = info
    check_address(str(address[0]), allow_private=allow_private)
    return socket.socket(family=family, type=kind, proto=protocol)


def _cut(text: str) -> str:
    return f"“{text[:100]}”"
