"""One signed POST per delivery, through the guarded client. It follows no redirect and reads only
the status of the response.

An owner has a share of the name look-ups, so names that get no answer delay no other owner.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import aiohttp
from django.conf import settings

from apps.accounts.models import User
from apps.accounts.permissions import acts_as
from apps.common.connections import connection_release
from apps.webhooks import reasons
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.payload import body_of
from apps.webhooks.signing import HEADER, signature
from workers.core.errors import Failure
from workers.core.net.guard import AddressRefused
from workers.core.net.lookups import Lookups, SystemResolver
from workers.core.net.outbound import OutboundClient

log = logging.getLogger(__name__)

NAME = f"MAS-Studio/{settings.VERSION}"
GONE = 410
"""After this status nothing more is sent."""
LOOKUPS = Lookups(limit=64, share=10)
"""`share` is per owner: each of an owner's webhooks may have a different address."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What is sent for a delivery, and where to."""

    url: str
    owner_id: UUID
    secrets: tuple[str, ...]
    event: str
    delivery: str
    body: bytes
    allow_private: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """`failure` None: delivered. `http_status` None: there was no response. `permanent`: another
    try would not help. `asked` False: nothing was sent, and the receiver is not to blame."""

    http_status: int | None
    failure: Failure | None
    milliseconds: int = 0
    permanent: bool = False
    asked: bool = True


def reaches_private(webhook: Webhook, owner: User) -> bool:
    """The permission ends when the person who gave it leaves the group."""
    return webhook.allow_private_address and acts_as(owner, "curator")


def notice_of(delivery: Delivery) -> Notice:
    webhook = delivery.webhook
    return Notice(
        url=webhook.url,
        owner_id=webhook.owner_id,
        secrets=webhook.secrets,
        event=delivery.event,
        delivery=str(delivery.id),
        body=body_of(delivery),
        allow_private=reaches_private(webhook, webhook.owner),
    )


def send(notices: Sequence[Notice]) -> list[Reply]:
    """Sends all at once, in at most about `reasons.SECONDS`. It holds no database connection during
    that time, and uses a loop of this thread, not a server's. Never raises because of a
    receiver."""
    if not notices:
        return []
    connection_release()
    return asyncio.run(_send(notices))


async def _send(notices: Sequence[Notice]) -> list[Reply]:
    told = await asyncio.gather(*map(_post, notices), return_exceptions=True)
    return [
        reply if isinstance(reply, Reply) else _bug(notice, reply)
        for notice, reply in zip(notices, told, strict=True)
    ]


async def _post(notice: Notice) -> Reply:
    began = time.perf_counter()
    status, failure, asked = None, None, True
    names = SystemResolver(LOOKUPS, asker=notice.owner_id, seconds=reasons.LOOKUP_SECONDS)
    try:
        async with OutboundClient(
            allow_private=notice.allow_private, seconds=reasons.SECONDS, names=names
        ) as client:
            answer = await client.request(
                "POST", notice.url, headers=_headers(notice), data=notice.body, max_bytes=0
            )
        status = answer.status
        failure = reasons.of_status(notice.url, status)
    except (aiohttp.ClientError, AddressRefused, OSError, UnicodeError) as error:
        failure = reasons.of_error(notice.url, error)
        asked = failure is not reasons.BUSY
        if failure.code == reasons.UNKNOWN:
            await asyncio.sleep(-(time.perf_counter() - began) % reasons.UNKNOWN_SECONDS)
    milliseconds = round((time.perf_counter() - began) * 1_000)
    return Reply(status, failure, milliseconds, permanent=status == GONE, asked=asked)


def _headers(notice: Notice) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "User-Agent": NAME,
        "X-MAS-Studio-Event": notice.event,
        "X-MAS-Studio-Delivery": notice.delivery,
        HEADER: signature(notice.secrets, notice.body, at=int(time.time())),
    }


def _bug(notice: Notice, error: BaseException) -> Reply:
    """Delays no other delivery; this one is tried again."""
    if not isinstance(error, Exception):
        raise error
    log.error("delivery %s could not be sent", notice.delivery, exc_info=error)
    return Reply(None, reasons.NOT_SENT)
