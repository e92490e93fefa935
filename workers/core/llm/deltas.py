"""Streams text across retries without repeating or contradicting what was already shown."""

from workers.core.llm.types import OnDelta


class DeltaGate:
    """A filter between the stream and `on_delta`.

    After a retry the text starts from the beginning. While it equals the text already sent, nothing
    is sent; then sending continues from there. So at temperature 0 a reader notices no retry. If
    the text differs and `on_delta` has `restart()` (`RestartableDelta`), it is called and the new
    text is sent from its start. A plain function gets nothing more; the result has the whole text.
    """

    __slots__ = ("_muted", "_on_delta", "_replayed", "_replaying", "_sent")

    def __init__(self, on_delta: OnDelta) -> None:
        self._on_delta = on_delta
        self._sent: list[str] = []
        self._replayed = 0
        self._replaying = False
        self._muted = False

    def try_again(self) -> None:
        self._replaying = bool(self._sent)
        self._replayed = 0

    def send(self, text: str) -> None:
        if self._replaying:
            text = self._skip_known(text)
        if text and not self._muted:
            self._sent.append(text)
            self._on_delta(text)

    def finish(self) -> None:
        """The answer is complete. If it is shorter than what was sent, it replaces that."""
        if self._replaying and self._replayed < len(self._known()):
            self.send(self._start_over(""))

    def _known(self) -> str:
        if len(self._sent) != 1:
            self._sent = ["".join(self._sent)]
        return self._sent[0]

    def _skip_known(self, text: str) -> str:
        known = self._known()
        expected = known[self._replayed : self._replayed + len(text)]
        if not text.startswith(expected):
            return self._start_over(text)
        self._replayed += len(expected)
        self._replaying = self._replayed < len(known)
        return text[len(expected) :]

    def _start_over(self, text: str) -> str:
        """Take back what was sent and return what to send instead."""
        text = self._known()[: self._replayed] + text
        self._replaying = False
        restart = getattr(self._on_delta, "restart", None)
        if restart is None:
            self._muted = True
            return ""
        self._sent = []
        restart()
        return text
