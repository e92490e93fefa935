"""Pictures of the pages that agents look at, for people: no model reads them."""

from typing import Protocol
from uuid import UUID

PICTURES_MAX = 20
"""Of one attempt at a run."""
PICTURE_BYTES = 100_000


class Pictures(Protocol):
    """Keeps the pictures of one run. Where they can't be kept, the run goes on without them."""

    @property
    def wanted(self) -> bool:
        """False once there are `PICTURES_MAX`."""

    async def keep(self, jpeg: bytes) -> UUID | None:
        """The id by which it is kept; the same picture has the same. None: it is not kept."""


def is_picture(data: bytes) -> bool:
    """Whether it begins and ends as a JPEG and is small enough: it comes from a process in which
    foreign pages run."""
    is_jpeg = data.startswith(b"\xff\xd8\xff") and data.endswith(b"\xff\xd9")
    return is_jpeg and len(data) <= PICTURE_BYTES
