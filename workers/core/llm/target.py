"""What the client keeps per endpoint: URL, slots, and what its server does not accept."""

import asyncio
import os
import re

import aiohttp
from yarl import URL

from workers.core.llm import errors
from workers.core.llm.request import Dialect
from workers.core.net.guard import check_url
from workers.core.specs import EndpointSpec

CONNECT_SECONDS = 10.0
KEY_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*_API_(KEY|TOKEN)")
USABLE_KEY = re.compile(r"[\x21-\x7e]+")


def check_api_key_env(variable: str) -> None:
    """Raise LLMError for a variable whose value must not leave this machine.

    A person who edits an endpoint chooses both the variable and the server that gets its value. If
    every name were allowed, they could get the database password. `apps/llms/keys.py` decides which
    server gets which key.
    """
    if variable and not KEY_NAME.fullmatch(variable):
        raise errors.refused_key_name(variable)


def read_api_key(variable: str) -> str:
    """The key, or "" if the endpoint needs none. Raises LLMError if it is missing."""
    if not variable:
        return ""
    check_api_key_env(variable)
    key = os.environ.get(variable, "").strip()
    if not USABLE_KEY.fullmatch(key):
        raise errors.missing_key(variable)
    return key


def under(base_url: str, path: str) -> URL:
    """`chat/completions` under the base URL, with the URL's query: some servers want a version or a
    deployment there."""
    base = URL(base_url)
    return base.joinpath(*path.split("/")).with_query(base.query)


class Target:
    """One endpoint as the client sees it. Raises AddressRefused for a refused base URL.

    `slow`: its replies take a large part of the timeout. `counts`: its streams report usage.
    """

    __slots__ = ("counts", "dialect", "endpoint", "slots", "slow", "timeout", "url")

    def __init__(self, endpoint: EndpointSpec) -> None:
        self.endpoint = endpoint
        check_url(endpoint.base_url, allow_private=endpoint.allow_private_address)
        self.url = under(endpoint.base_url, "chat/completions")
        self.slots = asyncio.Semaphore(endpoint.max_concurrency)
        self.dialect = Dialect()
        self.slow, self.counts = False, True
        # the client times out on silence, not on the whole: a slow model may speak for long
        self.timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=min(CONNECT_SECONDS, endpoint.timeout_seconds)
        )
