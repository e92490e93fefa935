"""Writes a job's metrics for TensorBoard: `tensorboard --logdir …/training`.

The file is a copy of what Postgres holds. Each attempt first writes it again from there. So it has
each step exactly once, however the attempt before ended.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensorboardX.record_writer import RecordWriter

log = logging.getLogger(__name__)

FOLDER = "tensorboard"
FILE_VERSION = "brain.Event:2"
Step = tuple[int, float, Mapping[str, float]]
"""Step, Unix seconds, values."""


class TensorBoard:
    """If the disk refuses, only these files are lost, with a warning, never the training."""

    def __init__(self, job_folder: Path, attempt: int) -> None:
        self._folder = job_folder / FOLDER
        self._name = f"events.out.tfevents.{int(time.time())}.attempt-{attempt}"
        self._writer: RecordWriter | None = None
        self._last = 0
        self._roles: set[str] = set()

    def begin(self, steps: Iterable[Step]) -> None:
        """Write everything stored so far into a new file, then delete the old ones."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            earlier = list(self._folder.glob("events.out.tfevents.*"))
            self._open()
            for step in steps:
                self._write(*step)
            self._flush()
            for file in earlier:
                if file.name != self._name:
                    file.unlink(missing_ok=True)
        except OSError as error:
            self._give_up(error)

    def add(self, step: int, at: float, values: Mapping[str, float]) -> None:
        """Write a step, unless the file already has it."""
        if self._writer is None or step <= self._last:
            return
        try:
            self._write(step, at, values)
            self._flush()
        except OSError as error:
            self._give_up(error)

    def close(self) -> None:
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()

    def _open(self) -> None:
        from tensorboardX.proto.event_pb2 import Event
        from tensorboardX.record_writer import RecordWriter

        path = self._folder / self._name
        path.unlink(missing_ok=True)
        self._writer = RecordWriter(str(path))
        head = Event(wall_time=time.time(), file_version=FILE_VERSION)
        self._writer.write(head.SerializeToString())

    def _write(self, step: int, at: float, values: Mapping[str, float]) -> None:
        from tensorboardX.proto.event_pb2 import Event
        from tensorboardX.proto.summary_pb2 import Summary

        # Of all roles only those are told that somebody plays; TensorBoard would draw a line from
        # one such step to the next.
        self._roles.update(name for name in values if name.startswith("role/"))
        told = dict.fromkeys(self._roles, 0.0) | dict(values)
        scalars = [
            Summary.Value(tag=name, simple_value=value) for name, value in sorted(told.items())
        ]
        event = Event(wall_time=at, step=step, summary=Summary(value=scalars))
        if self._writer is not None:
            self._writer.write(event.SerializeToString())
            self._last = step

    def _flush(self) -> None:
        if self._writer is not None:
            self._writer.flush()

    def _give_up(self, error: OSError) -> None:
        log.warning("TensorBoard files in %s can't be written: %s", self._folder, error)
        try:
            self.close()
        except OSError:
            self._writer = None
