"""Reads TensorBoard's files as their format says: length, checksum, protobuf, checksum."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tensorboardX.proto.event_pb2 import Event


def scalars(job_folder: Path, tag: str) -> dict[int, float]:
    """Step → value. Raises AssertionError for a step that is there twice."""
    found: dict[int, float] = {}
    for event in events(job_folder):
        for value in event.summary.value:
            if value.tag == tag:
                assert event.step not in found, f"step {event.step} is there twice"
                found[event.step] = value.simple_value
    return found


def events(job_folder: Path) -> Iterator[Any]:
    """Of all files, as TensorBoard would read them together."""
    for file in sorted((job_folder / "tensorboard").glob("events.out.tfevents.*")):
        data, place = file.read_bytes(), 0
        while place < len(data):
            (length,) = struct.unpack_from("<Q", data, place)
            yield Event.FromString(data[place + 12 : place + 12 + length])
            place += 12 + length + 4
