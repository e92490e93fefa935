"""One browser's view of one training or evaluation: what it has received and needs next."""

from collections.abc import AsyncIterator
from functools import partial

from apps.common.in_thread import in_thread
from apps.live.frames import Frame, MetricFrame, RowFrame, message
from apps.live.job_rows import evaluation_frames, job_frames, metric_frames, watched_progress

PAGE_STEPS = 1_000


class JobFollower:
    """Sends `metric` frames without gap or repeat, and `job` frames when the row changed.

    Invariant: the metrics of every step up to `position` were sent, in order, once. The `job` frame
    of an ended job comes after all of its metrics, and nothing follows it.
    """

    def __init__(self, job_id: str, *, after: int | None) -> None:
        self.ended = False
        self._job_id = job_id
        self._position = after or 0
        self._told = ""

    async def open(self) -> AsyncIterator[bytes]:
        """All metrics, or after a resume the missed ones; then the job as it is."""
        frames = await in_thread(_job_now, self._job_id)
        if not frames:
            self.ended = True
            return
        async for chunk in self._catch_up():
            yield chunk
        async for chunk in self._row(frames[0]):
            yield chunk

    def restart(self) -> None:
        """Metrics continue where they were, because they are read from Postgres."""
        self._told = ""

    async def take(self, frame: Frame) -> AsyncIterator[bytes]:
        if self.ended:
            return
        if isinstance(frame, RowFrame):
            async for chunk in self._row(frame):
                yield chunk
        elif isinstance(frame, MetricFrame) and frame.step > self._position:
            if frame.data and frame.step == self._position + 1:
                yield self._metric(frame)
            else:
                async for chunk in self._catch_up():
                    yield chunk

    async def _row(self, frame: RowFrame) -> AsyncIterator[bytes]:
        if frame.token == self._told:
            return
        self._told = frame.token
        if frame.ended:
            async for chunk in self._catch_up():
                yield chunk
            self.ended = True
        yield message(b"job", frame.data)

    async def _catch_up(self) -> AsyncIterator[bytes]:
        while True:
            read = partial(metric_frames, self._job_id, after=self._position, limit=PAGE_STEPS)
            frames = await in_thread(read)
            yield b"".join([self._metric(frame) for frame in frames])
            if len(frames) < PAGE_STEPS:
                return

    def _metric(self, frame: MetricFrame) -> bytes:
        self._position = frame.step
        return message(b"metric", frame.data)


class EvaluationFollower:
    """`evaluation` frames when the row changed; nothing follows the frame of an ended
    evaluation."""

    def __init__(self, evaluation_id: str) -> None:
        self.ended = False
        self._id = evaluation_id
        self._told = ""

    async def open(self) -> AsyncIterator[bytes]:
        frames = await in_thread(_evaluation_now, self._id)
        if not frames:
            self.ended = True
            return
        async for chunk in self.take(frames[0]):
            yield chunk

    def restart(self) -> None:
        self._told = ""

    async def take(self, frame: Frame) -> AsyncIterator[bytes]:
        if isinstance(frame, RowFrame) and not self.ended and frame.token != self._told:
            self._told, self.ended = frame.token, frame.ended
            yield message(b"evaluation", frame.data)


def _job_now(job_id: str) -> list[RowFrame]:
    return job_frames(watched_progress([job_id], []))


def _evaluation_now(evaluation_id: str) -> list[RowFrame]:
    return evaluation_frames(watched_progress([], [evaluation_id]))
