"""Reads the URLs of PostgreSQL and Redis completely. A part it can't read stops the start.

libpq itself reads PostgreSQL's URL, so every parameter means what libpq's documentation says.
Messages never contain a part of a URL that may be a password.
"""

import re
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
WHOLE_NUMBERS = ("connect_timeout", "keepalives", "keepalives_idle", "tcp_user_timeout")
ENCODE = "In a password, write # as %23, / as %2F, ? as %3F, @ as %40 and % as %25."

REDIS_QUERY = frozenset(
    {"ssl_cert_reqs", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname"}
)
"""Parameters that the cache, the broker and the live events all understand."""


def database_parameters(url: str) -> dict[str, str]:
    """libpq's parameters of `DATABASE_URL` by name. Raises ImproperlyConfigured."""
    if not url.startswith(("postgres://", "postgresql://")):
        raise ImproperlyConfigured("DATABASE_URL must begin with postgresql://")
    if repeated := _repeated(url):
        raise _unreadable("DATABASE_URL", f"it gives {repeated} twice")
    try:
        found = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except ProgrammingError as error:
        raise _unreadable("DATABASE_URL", _without_values(str(error))) from error
    ports = found.get("port", "").split(",")
    if any(port and not port.isdecimal() for port in ports):
        raise _unreadable("DATABASE_URL", "its port is not a number")
    if re.search("[@?#]", found.get("host", "")):
        raise _unreadable("DATABASE_URL", "its host contains @, ? or #")
    if re.search("[/@?#]", found.get("dbname", "")):
        raise _unreadable("DATABASE_URL", "its database name contains / or @")
    if (mode := found.get("sslmode", "prefer")) not in SSL_MODES:
        raise _unreadable("DATABASE_URL", f"sslmode must be one of {', '.join(SSL_MODES)}", mode)
    for name in WHOLE_NUMBERS:
        if not found.get(name, "0").isdecimal():
            raise _unreadable("DATABASE_URL", f"{name} must be a whole number", found[name])
    return found


def _repeated(url: str) -> str:
    """The parameter that the URL gives more than once, or "". libpq would take the last one."""
    authority, _, rest = url.partition("://")[2].partition("/")
    user, _, host = authority.rpartition("@")
    path, _, query = rest.partition("?")
    name, _, password = user.partition(":")
    port = "" if host.endswith("]") else host.partition("]")[2] or host
    parts = {
        "host": host.removesuffix(port) if port.startswith(":") else host.partition(":")[0],
        "port": port.rpartition(":")[2] if ":" in port else "",
        "user": name,
        "password": password,
        "dbname": path,
    }
    given = [key for key, value in parts.items() if value]
    given += [pair.partition("=")[0] for pair in query.split("&") if pair]
    given = ["sslmode" if key == "ssl" else key for key in given]
    twice = next((key for key in given if given.count(key) > 1), "")
    return twice if not twice or twice in {*parts, "sslmode"} else "a parameter"


def database(url: str, *, pool: dict[str, int]) -> dict[str, Any]:
    """`postgresql://user:password@host:port/name?sslmode=verify-full…` → a Django database."""
    found = database_parameters(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": found.pop("dbname", ""),
        "USER": found.pop("user", ""),
        "PASSWORD": found.pop("password", ""),
        "HOST": found.pop("host", ""),
        "PORT": found.pop("port", ""),
        "OPTIONS": {**found, "pool": pool},
        "CONN_HEALTH_CHECKS": True,
    }


def redis(url: str) -> str:
    """`redis://` or `rediss://…:password@host:port/number` as all our clients read it.

    A URL over TLS gets `ssl_cert_reqs` if it has none: the broker's client would otherwise not
    verify the certificate. Raises ImproperlyConfigured.
    """
    try:
        parts = urlsplit(url)
        port_is_number = parts.port is None or parts.port > 0
    except ValueError:
        port_is_number = False
    if not port_is_number:
        raise _unreadable("REDIS_URL", "its port or host can't be read")
    if parts.scheme not in {"redis", "rediss"}:
        raise ImproperlyConfigured("REDIS_URL must begin with redis:// or rediss://")
    if "#" in url or not parts.hostname or not re.fullmatch(r"(/\d*)?", parts.path):
        raise _unreadable("REDIS_URL", "it must look like redis://:password@host:6379/0")
    return urlunsplit(parts._replace(query=_redis_query(parts.scheme, parts.query)))


def _redis_query(scheme: str, query: str) -> str:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError as error:
        raise _unreadable("REDIS_URL", "the part after its ? can't be read") from error
    given = dict(pairs)
    if len(given) < len(pairs):
        raise _unreadable("REDIS_URL", "it gives a parameter twice")
    if unknown := sorted(given.keys() - REDIS_QUERY):
        raise _unreadable(
            "REDIS_URL", "it has a parameter that the studio does not know", unknown[0]
        )
    if scheme == "redis":
        if given:
            raise _unreadable("REDIS_URL", f"{min(given)} needs rediss://")
        return ""
    asked = given.get("ssl_cert_reqs", "required")
    needs = asked.lower().removeprefix("cert_")
    if needs not in {"required", "optional", "none"}:
        raise _unreadable("REDIS_URL", "ssl_cert_reqs must be required, optional or none", asked)
    return urlencode({**given, "ssl_cert_reqs": needs})


def _without_values(message: str) -> str:
    """libpq's message. Of its quotes only a parameter's name is kept, never a piece of the URL."""
    line = (message.strip().splitlines() or ["its form is wrong"])[0]
    kept = line if line.startswith("invalid URI query parameter") else re.sub('"[^"]*"', "…", line)
    return kept.split(": …")[0]


def _unreadable(name: str, why: str, value: str = "") -> ImproperlyConfigured:
    said = f", not {value!r}" if value else ""
    return ImproperlyConfigured(f"{name} can't be read: {why}{said}. {ENCODE}")
