"""What went wrong with a webhook, in words: the cause and the remedy."""

import ssl

import aiohttp

from apps.webhooks.addresses import names_host, origin_of
from apps.webhooks.models import Webhook
from workers.core.errors import Failure
from workers.core.net.guard import ALLOW_PRIVATE, KEY_ELSEWHERE, AddressRefused
from workers.core.net.lookups import LookupsBusy, LookupUnanswered

SECONDS = 10.0
"""Limit on the wait for a receiver's response."""
LOOKUP_SECONDS = 8.0
"""Of these seconds, the limit for looking up its host's name."""
FAILURES = 20
"""After this many failed deliveries in a row, a webhook is switched off."""
UNKNOWN = "dns_failed"
UNKNOWN_SECONDS = 2.0
"""A host is called unknown only after a multiple of this time. A name of this network is found
sooner than a name that does not exist. Without the wait, the time would show which names exist
inside."""

REMEDIES = {
    ALLOW_PRIVATE: (
        "Use a public address. Curators can allow private addresses for their own webhooks."
    ),
    KEY_ELSEWHERE: "Leave it out. The receiver recognizes the studio by the signature.",
}
"""Replaces the guard's remedies that are about endpoints."""

OFF = {
    Webhook.Off.FAILING: Failure(
        code="failing",
        message=f"The studio switched it off, because {FAILURES} deliveries in a row failed.",
        remedy="Repair the receiver, send a test, then switch it on again.",
    ),
    Webhook.Off.GONE: Failure(
        code="gone",
        message="The studio switched it off, because the receiver answered 410 (gone for good).",
        remedy="Enter the address of another receiver, or delete the webhook.",
    ),
}
SWITCHED_OFF = Failure(
    code="switched_off",
    message="The webhook was switched off before this was delivered.",
    remedy="Switch it on. It then gets what ends from then on.",
)
NOT_ALLOWED = Failure(
    code="owner_not_allowed",
    message="Its owner is no longer an operator, or the account is not active.",
    remedy="Ask an admin to add the owner to the group “operator”, or to activate the account.",
)
BUSY = Failure(
    code="studio_busy",
    message="The studio was looking up too many names at once, so it did not send this.",
    remedy="You need not do anything. It is sent as soon as possible, and this does not count as "
    "a try.",
)
NOT_SENT = Failure(
    code="not_sent",
    message="The studio could not send it.",
    remedy="If this happens again, an admin finds the cause in the worker's log.",
)


def of_status(url: str, status: int) -> Failure | None:
    """None for 200 to 299, which means delivered."""
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
    """The failure for an error while sending. Leaves out the address's path and query, which may be
    secret."""
    if isinstance(error, AddressRefused):
        return _unknown(url) if names_host(url) else refused(error)
    if isinstance(error, TimeoutError):
        return Failure(
            code="timeout",
            message=f"{origin_of(url)} did not answer within {SECONDS:g} s.",
            remedy="Let the receiver answer at once, and do the work afterwards.",
        )
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return Failure(
            code="tls_failed",
            message=f"The studio could not connect securely to {origin_of(url)}.",
            remedy="Check its certificate. If it has no TLS, use http://.",
        )
    if isinstance(error, aiohttp.ClientConnectorDNSError | UnicodeError):
        return _not_found(url, error)
    if isinstance(error, aiohttp.ClientConnectorError):
        return Failure(
            code="connection_failed",
            message=f"The studio could not connect to {origin_of(url)}: {_system(error.os_error)}.",
            remedy="Start the receiver, or check the host, port and network.",
        )
    return Failure(
        code="connection_lost",
        message=f"{origin_of(url)} did not answer in HTTP.",
        remedy="Look at the receiver's log.",
    )


def _not_found(url: str, error: aiohttp.ClientConnectorDNSError | UnicodeError) -> Failure:
    cause = None if isinstance(error, UnicodeError) else error.os_error
    if isinstance(cause, LookupsBusy):
        return BUSY
    if isinstance(cause, LookupUnanswered):
        return Failure(
            code="dns_timeout",
            message=f"The address of {origin_of(url)} was not found within {LOOKUP_SECONDS:g} s.",
            remedy="Check its name, or the name server.",
        )
    return _unknown(url)


def _unknown(url: str) -> Failure:
    """The same for a name that does not exist and for one with a private address. A difference
    would show which names exist inside."""
    return Failure(
        code=UNKNOWN,
        message=f"The host of {origin_of(url)} is unknown, or has a private address.",
        remedy="Check its name. Curators can allow private addresses for their own webhooks.",
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
        return "Enter the address that it redirects to. The studio does not follow redirects."
    if status in {401, 403}:
        return "Let the receiver accept requests by their signature. The studio sends no other key."
    if status in {404, 405}:
        return "Check the address. It must accept POST."
    if status == 410:
        return OFF[Webhook.Off.GONE].remedy
    if status >= 500:
        return "Look at the receiver's log."
    return "Let the receiver answer 200 to 299 when it accepts a delivery."
