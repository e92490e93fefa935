"""How a delivery is claimed, tried again and given up, so that none is lost.

    pending ──claim, send──▶ delivered
       ▲            │                     both ──by hand──▶ pending
       └── BACKOFF ─┴──▶ failed

A claim raises `tries` and moves `next_try_at` by `SENDING`. Until then no other sender sends it; if
the sender vanishes, it is due again at that time. So each delivery is sent at least once, and twice
only if a sender vanishes between the response and its record. No lock is held while something is
sent. Code that locks a webhook and its deliveries locks the webhook first.
"""

from datetime import timedelta
from threading import Event
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet, Window
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now, RowNumber
from django.utils import timezone

from apps.accounts.permissions import acts_as
from apps.common.locking import locked
from apps.home.endings import KEPT
from apps.webhooks import reasons
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.sending import GONE, Reply, notice_of, send
from apps.webhooks.switching import SWITCHED, switch_off
from workers.core.errors import Failure

BACKOFF = (
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
)
"""Waits after the first try, the second, and so on. There is one more try than waits."""
SENDING = timedelta(minutes=2)
"""Much longer than a batch takes."""
BATCH = 50
SHARE = 10
"""Limit per owner in a batch, so that one owner's slow receivers do not delay others for several
batches."""
ROUND_SECONDS = 20.0
SWEPT_AFTER = KEPT + timedelta(days=1)
"""Longer than endings are looked for, because a deleted one would be found again."""
TESTS_KEPT = 50

Status = Delivery.Status
NOT_ALLOWED = Reply(None, reasons.NOT_ALLOWED, permanent=True, asked=False)


def deliveries_send(stopping: Event | None = None) -> int:
    """Sends what is due, batch by batch, for at most about `ROUND_SECONDS`. Starts no batch after
    `stopping` is set. Returns how many deliveries were tried. Safe to run anywhere, any number of
    times at once."""
    began, sent = monotonic(), 0
    while monotonic() - began < ROUND_SECONDS and not (stopping and stopping.is_set()):
        batch = deliveries_claim()
        allowed = [each for each in batch if acts_as(each.webhook.owner, "operator")]
        replies = send([notice_of(each) for each in allowed])
        for delivery, reply in zip(allowed, replies, strict=True):
            delivery_settle(delivery, reply)
        for delivery in batch:
            if delivery not in allowed:
                delivery_settle(delivery, NOT_ALLOWED)
        sent += len(batch)
        if not batch:
            break
    return sent


def send_test(*, webhook: Webhook) -> tuple[Delivery, Reply]:
    """Sends the event `test` now, once, even to a webhook that is off, and keeps the outcome.

    Raises ApplicationError (404) if the webhook was deleted in the meantime.
    """
    asked = timezone.now()
    delivery = Delivery(webhook=webhook, kind=Delivery.Kind.TEST, event="test", ended_at=asked)
    reply = send([notice_of(delivery)])[0]
    with transaction.atomic():
        stored = locked(webhook)
        delivery.tries, delivery.finished_at = 1, timezone.now()
        delivery.status = Status.FAILED if reply.failure else Status.DELIVERED
        delivery.http_status, delivery.failure = reply.http_status, _json(reply.failure)
        delivery.save(force_insert=True)
        _note(stored, reply, given_up=False)
        tests = stored.deliveries.filter(kind=Delivery.Kind.TEST).values("pk")
        stored.deliveries.filter(pk__in=tests[TESTS_KEPT:]).delete()
    return delivery, reply


def delivery_renew(delivery: Delivery) -> bool:
    """Makes the delivery due now, as if it had just been found. False while it is being sent, or
    about to be."""
    waits = Q(status=Status.PENDING, next_try_at__gt=_in(SENDING))
    return bool(
        Delivery.objects.filter(~Q(status=Status.PENDING) | waits, pk=delivery.pk).update(
            status=Status.PENDING,
            tries=0,
            next_try_at=Now(),
            http_status=None,
            failure=None,
            finished_at=None,
        )
    )


def deliveries_sweep() -> int:
    """Deletes old finished deliveries; returns how many."""
    old = Delivery.objects.exclude(status=Status.PENDING).filter(ended_at__lt=Now() - SWEPT_AFTER)
    return old.delete()[0]


@transaction.atomic
def deliveries_claim() -> list[Delivery]:
    """The deliveries that are due longest, at most `SHARE` of each owner. Their owners come with
    their groups."""
    place = Window(RowNumber(), partition_by="webhook__owner", order_by="next_try_at")
    shares = _due().annotate(place=place).filter(place__lte=SHARE)
    due = list(
        _due()
        .select_for_update(skip_locked=True, of=("self",))
        .filter(pk__in=shares.values("pk"))
        .select_related("webhook__owner")
        .prefetch_related("webhook__owner__groups")
        .order_by("next_try_at")[:BATCH]
    )
    Delivery.objects.filter(pk__in=[each.pk for each in due]).update(
        tries=F("tries") + 1, next_try_at=_in(SENDING)
    )
    for delivery in due:
        delivery.tries += 1
    return due


def delivery_settle(delivery: Delivery, reply: Reply) -> None:
    """Stores the outcome of a try, unless another sender has taken it over. A try that sent nothing
    to the receiver does not count."""
    with transaction.atomic():
        own = Webhook.objects.select_for_update(no_key=True).filter(pk=delivery.webhook_id)
        webhook = own.first()
        if webhook is None:  # deleted, and its deliveries with it
            return
        tried = delivery.tries if reply.asked else delivery.tries - 1
        given_up = reply.failure is not None and (
            reply.permanent or not webhook.is_active or tried > len(BACKOFF)
        )
        values: dict[str, Any] = {
            "http_status": reply.http_status,
            "failure": _json(reply.failure),
            "status": Status.FAILED if given_up else Status.DELIVERED,
            "next_try_at": None,
            "finished_at": Now(),
        }
        if reply.failure and not given_up:
            later = BACKOFF[delivery.tries - 1] if reply.asked else BACKOFF[0]
            values |= {"status": Status.PENDING, "next_try_at": _in(later), "finished_at": None}
        held = Delivery.objects.filter(pk=delivery.pk, tries=delivery.tries)
        if reply.failure:  # what was dropped meanwhile stays so, unless it has arrived
            held = held.filter(status=Status.PENDING)
        if held.update(**values, tries=tried):
            _note(webhook, reply, given_up=given_up)


def _note(webhook: Webhook, reply: Reply, *, given_up: bool) -> None:
    """Stores the outcome on the webhook, whose row is locked. A test is never given up, because its
    sender sees the outcome."""
    if not reply.asked:
        return
    if reply.failure is None:
        webhook.failures = 0
    elif given_up and webhook.is_active:
        webhook.failures += 1
        if reply.http_status == GONE:
            switch_off(webhook, Webhook.Off.GONE)
        elif webhook.failures >= reasons.FAILURES:
            switch_off(webhook, Webhook.Off.FAILING)
    webhook.last_at = timezone.now()
    webhook.last_http_status = reply.http_status
    webhook.last_failure = _json(reply.failure)
    last = ("last_at", "last_http_status", "last_failure", "failures")
    webhook.save(update_fields=[*last, *SWITCHED])


def _due() -> QuerySet[Delivery]:
    return Delivery.objects.filter(
        status=Status.PENDING, next_try_at__lte=Now(), webhook__is_active=True
    )


def _json(failure: Failure | None) -> dict[str, Any] | None:
    return failure.model_dump() if failure else None


def _in(delay: timedelta) -> CombinedExpression:
    return Now() + delay
