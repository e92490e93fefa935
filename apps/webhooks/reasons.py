"""What went wrong with a webhook, in words: the cause and the way out."""

from __future__ import annotations

import ssl

import aiohttp

from apps.webhooks.addresses import names_host, origin_of
from apps.webhooks.models import Webhook
from workers.core.errors import Failure
from workers.core.net.guard import ALLOW_PRIVATE, KEY_ELSEWHERE, AddressRefused
from workers.core.net.lookups import LookupsBusy, LookupUnanswered

SECONDS = 10.0
"""May pass until a receiver has answered."""
LOOKUP_SECONDS = 8.0
"""Of them, until the name of its host is looked up."""
FAILURES = 20
"""Deliveries that are given up in a row switch a webhook off."""
UNKNOWN = "dns_failed"
UNKNOWN_SECONDS = 2.0
"""A host is called unknown after a multiple of this. A name of this network is found sooner than a
name that does not exist. Without the wait, the time would tell which names there are inside."""

REMEDIES = {
    ALLOW_PRIVATE: "Use a public address. A curator can allow private ones for webhooks of theirs.",
    KEY_ELSEWHERE: "Leave it out; the receiver knows the studio by the signature.",
}
"""Where the guard's own words are about endpoints."""

OFF = {
    Webhook.Off.FAILING: Failure(
        code="failing",
        message=f"The studio switched it off: {FAILURES} deliveries in a row came to nothing.",
        remedy="Repair the receiver, send a test, then switch it on again.",
    ),
    Webhook.Off.GONE: Failure(
        code="gone",
        message="The studio switched it off: the receiver answered 410, which is gone for good.",
        remedy="Enter the address of another receiver, or delete the webhook.",
    ),
}
SWITCHED_OFF = Failure(
    code="switched_off",
    message="The webhook was switched off before this was delivered.",
    remedy="Switch it on: it is told of what ends from then on.",
)
NOT_ALLOWED = Failure(
    code="owner_not_allowed",
    message="Its owner is no operator any more, or the account is not active.",
    remedy="An admin gives the group back.",
)
BUSY = Failure(
    code="studio_busy",
    message="The studio looks up too many names at once, and did not get to this one.",
    remedy="Nothing to do: it is sent as soon as that is over, and this does not count as a try.",
)
NOT_SENT = Failure(
    code="not_sent",
    message="The studio could not send it.",
    remedy="If it stays so, an admin finds the cause in the worker's log.",
)


def of_status(url: str, status: int) -> Failure | None:
    """None for 200 to 299, which is delivered."""
    if 200 <= status < 300:
        return None
    redirects = 300 <= status < 400
    return Failure(
        code="redirected" if redirects else "http_status",
        message=f"{origin_of(url)} {'redirects elsewhere' if redirects else 'answered'} "
        f"{f'(status {status})' if redirects else status}.",
        remedy=_remedy(status),
    )


def of_error(url: str, error: BaseException) -> Failure:
    """Of what sending raises. The address's path and query are left out: they may be a secret."""
    if isinstance(error, AddressRefused):
        return _unknown(url) if names_host(url) else refused(error)
    if isinstance(error, TimeoutError):
        return Failure(
            code="timeout",
            message=f"{origin_of(url)} did not answer within {SECONDS:g} s.",
            remedy="Answer at once, and do the work afterwards.",
        )
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return Failure(
            code="tls_failed",
            message=f"No secure connection to {origin_of(url)}.",
            remedy="Check its certificate, or write http:// if it speaks no TLS.",
        )
    if isinstance(error, aiohttp.ClientConnectorDNSError | UnicodeError):
        return _not_found(url, error)
    if isinstance(error, aiohttp.ClientConnectorError):
        return Failure(
            code="connection_failed",
            message=f"No connection to {origin_of(url)}: {_system(error.os_error)}.",
            remedy="Start the receiver, or check host, port and network.",
        )
    return Failure(
        code="connection_lost",
        message=f"{origin_of(url)} gave no answer that is HTTP.",
        remedy="Look at the receiver's log.",
    )


def _not_found(url: str, error: aiohttp.ClientConnectorDNSError | UnicodeError) -> Failure:
    cause = None if isinstance(error, UnicodeError) else error.os_error
    if isinstance(cause, LookupsBusy):
        return BUSY
    if isinstance(cause, LookupUnanswered):
        return Failure(
            code="dns_timeout",
            message=f"Nobody told the address of {origin_of(url)} within {LOOKUP_SECONDS:g} s.",
            remedy="Check its name, or the name server that answers for it.",
        )
    return _unknown(url)


def _unknown(url: str) -> Failure:
    """Alike for a name that does not exist and for one of a private address: else the answer would
    tell which names there are inside."""
    return Failure(
        code=UNKNOWN,
        message=f"The host of {origin_of(url)} is not known, or has a private address.",
        remedy="Check its name. A curator can allow private addresses for webhooks of theirs.",
    )


def refused(error: AddressRefused) -> Failure:
    remedy = REMEDIES.get(error.remedy, error.remedy)
    return Failure(code="address_refused", message=error.message, remedy=remedy)


def _system(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    return (error.strerror or type(error).__name__)[:200]


def _remedy(status: int) -> str:
    if status < 400:
        return "Enter the address it redirects to: redirects are not followed."
    if status in {401, 403}:
        return "The receiver lets the studio in by its signature; it has no other key to show."
    if status in {404, 405}:
        return "Check the address: it has to accept POST."
    if status == 410:
        return OFF[Webhook.Off.GONE].remedy
    if status >= 500:
        return "Look at the receiver's log."
    return "The receiver answers 200 to 299 for what it has taken."
