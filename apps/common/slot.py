"""What an app needs from an app above it, which it may not import."""

from typing import Generic, TypeVar

T = TypeVar("T")


class Slot(Generic[T]):
    """The app above fills it when Django is ready."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._content: T | None = None

    def fill(self, content: T) -> None:
        self._content = content

    @property
    def content(self) -> T:
        """Raises LookupError while the slot is empty: then an app is not installed."""
        if self._content is None:
            raise LookupError(f"the slot “{self._name}” is empty")
        return self._content
