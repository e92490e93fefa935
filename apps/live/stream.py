"""The SSE body for one browser: snapshots, then changes, and a heartbeat in quiet times."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from django.conf import settings
from django.db import DatabaseError
from django.http import StreamingHttpResponse
from django.utils.translation import gettext_lazy as _

from apps.accounts.access import Access
from apps.common.in_thread import in_thread
from apps.common.under_way import UnderWay
from apps.live.frames import HEARTBEAT, RETRY, Frame
from apps.live.job_view import EvaluationFollower, JobFollower
from apps.live.poller import current_board
from apps.live.run_view import Follower as RunFollower
from apps.live.subscription import Subscription, current_hub
from apps.runs.selectors import Position

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 15.0
ACCESS_SECONDS = 60.0
"""Seconds between checks whether the user may still read."""
HEADERS = {
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}

open_streams = UnderWay(
    _("You have %(limit)s open event streams, which is the limit."),
    code="too_many_streams",
    remedy=_("Close some pages, or watch several things with one stream of /api/events."),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Ids → where to resume: after this event of a run, after this step of a training. None: from
    the beginning."""

    runs: Mapping[str, Position | None] = field(default_factory=dict)
    jobs: Mapping[str, int | None] = field(default_factory=dict)
    evaluations: Collection[str] = ()


class Follower(Protocol):
    """What one browser has received of one thing and needs next."""

    ended: bool

    def open(self) -> AsyncIterator[bytes]: ...

    def restart(self) -> None: ...

    def take(self, frame: Frame) -> AsyncIterator[bytes]: ...


def stream_response(access: Access, wanted: Wanted, *, with_ids: bool) -> StreamingHttpResponse:
    """Raises ApplicationError (429) when the user already has as many open streams as allowed."""
    open_streams.require_room(access.user_id, settings.STREAMS_PER_USER)
    body = event_stream(access, wanted, with_ids=with_ids)
    return StreamingHttpResponse(body, content_type="text/event-stream", headers=HEADERS)


async def event_stream(access: Access, wanted: Wanted, *, with_ids: bool) -> AsyncGenerator[bytes]:
    """Ends when everything wanted has ended, or soon after `access` no longer holds. `with_ids`:
    for a single run."""
    hub, board = current_hub(), current_board()
    subscription = Subscription(wanted.runs, wanted.jobs, wanted.evaluations)
    followers: dict[str, Follower] = {
        **{
            run_id: RunFollower(hub, run_id, after=after, with_ids=with_ids)
            for run_id, after in wanted.runs.items()
        },
        **{job_id: JobFollower(job_id, after=after) for job_id, after in wanted.jobs.items()},
        **{id: EvaluationFollower(id) for id in wanted.evaluations},
    }
    with open_streams.counted(access.user_id):
        # Subscribed before the snapshot is read, so that nothing falls between the two.
        hub.add(subscription)
        board.add(subscription)
        try:
            await hub.attached()
            yield RETRY
            async for chunk in _follow(subscription, followers, access):
                if chunk:
                    yield chunk
        finally:
            await hub.remove(subscription)
            await board.remove(subscription)


async def _follow(
    subscription: Subscription, followers: Mapping[str, Follower], access: Access
) -> AsyncIterator[bytes]:
    """Sends everything that waits as one chunk: a write per burst, not per frame."""
    for follower in followers.values():
        async for chunk in follower.open():
            yield chunk
    sent = asked = monotonic()
    while not all(follower.ended for follower in followers.values()):
        if monotonic() - asked >= ACCESS_SECONDS:
            if not await _holds(access):
                return
            asked = monotonic()
        frames = await subscription.take(max(0.0, sent + HEARTBEAT_SECONDS - monotonic()))
        chunk = await _chunk(frames, followers)
        if not chunk and monotonic() - sent >= HEARTBEAT_SECONDS:
            chunk = HEARTBEAT
        if chunk:
            yield chunk
            sent = monotonic()


async def _holds(access: Access) -> bool:
    try:
        return await in_thread(access.holds)
    except DatabaseError as error:  # says nothing about the user; the next time is soon
        log.warning("access to the stream can't be read from Postgres: %s", error)
        return True


async def _chunk(frames: list[Frame] | None, followers: Mapping[str, Follower]) -> bytes:
    """What the browser must receive because of `frames`. None: some were lost, so it gets fresh
    snapshots."""
    if frames is not None:
        return b"".join(
            [chunk for frame in frames async for chunk in followers[frame.topic].take(frame)]
        )
    chunks = []
    for follower in followers.values():
        if not follower.ended:
            follower.restart()
            chunks += [chunk async for chunk in follower.open()]
    return b"".join(chunks)
