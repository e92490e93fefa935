"""The SSE body for one browser: snapshots, then what happens, a heartbeat when nothing does."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from time import monotonic
from uuid import UUID

from django.conf import settings
from django.http import StreamingHttpResponse

from apps.common.errors import ApplicationError
from apps.runs.api.follower import Follower
from apps.runs.api.frames import HEARTBEAT, RETRY, Frame
from apps.runs.api.hub import Subscription, current_hub
from apps.runs.selectors import Position

HEARTBEAT_SECONDS = 15.0
HEADERS = {
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}

open_streams: Counter[UUID] = Counter()
"""Streams of each user in this process."""


def stream_response(
    user_id: UUID, runs: Mapping[str, Position | None], *, with_ids: bool
) -> StreamingHttpResponse:
    """Raises ApplicationError (429) when the user has as many streams open as are allowed.

    The stream is counted when it begins, not here: a response that is never read would be counted
    for ever.
    """
    if open_streams[user_id] >= settings.STREAMS_PER_USER:
        raise ApplicationError(
            code="too_many_streams",
            message=f"You have {open_streams[user_id]} event streams open, which is the limit.",
            remedy="Close some pages, or watch several runs with /api/events?runs=.",
            status_code=429,
            headers={"Retry-After": "10"},
        )
    body = run_stream(user_id, runs, with_ids=with_ids)
    return StreamingHttpResponse(body, content_type="text/event-stream", headers=HEADERS)


async def run_stream(
    user_id: UUID, runs: Mapping[str, Position | None], *, with_ids: bool
) -> AsyncGenerator[bytes]:
    """`runs`: id → resume after this event, or None for a snapshot. Ends when all runs have."""
    hub = current_hub()
    subscription = Subscription(runs)
    followers = {
        run_id: Follower(hub, run_id, after=after, with_ids=with_ids)
        for run_id, after in runs.items()
    }
    open_streams[user_id] += 1
    # Subscribed before the snapshot is read, so that nothing falls between the two.
    hub.add(subscription)
    try:
        await hub.attached()
        yield RETRY
        async for chunk in _follow(subscription, followers):
            if chunk:
                yield chunk
    finally:
        open_streams[user_id] -= 1
        if not open_streams[user_id]:
            del open_streams[user_id]
        await hub.remove(subscription)


async def _follow(
    subscription: Subscription, followers: Mapping[str, Follower]
) -> AsyncIterator[bytes]:
    """Everything that waits goes out as one chunk: a write per burst, not per frame."""
    for follower in followers.values():
        async for chunk in follower.open():
            yield chunk
    sent = monotonic()
    while not all(follower.ended for follower in followers.values()):
        frames = await subscription.take(max(0.0, sent + HEARTBEAT_SECONDS - monotonic()))
        chunk = await _chunk(frames, followers)
        if not chunk and monotonic() - sent >= HEARTBEAT_SECONDS:
            chunk = HEARTBEAT
        if chunk:
            yield chunk
            sent = monotonic()


async def _chunk(frames: list[Frame] | None, followers: Mapping[str, Follower]) -> bytes:
    """What `frames` make the browser receive; None, some were dropped, makes fresh snapshots."""
    if frames is not None:
        return b"".join(
            [chunk for frame in frames async for chunk in followers[frame.run_id].take(frame)]
        )
    chunks = []
    for follower in followers.values():
        if not follower.ended:
            follower.restart()
            chunks += [chunk async for chunk in follower.open()]
    return b"".join(chunks)
