"""Reads a message as other evaluators do: lm-eval's usual filters and math-verify.

The filters follow the public definition of lm-eval's task gsm8k: a pattern, which of its matches
counts, and an exact match that ignores commas, dollars, a final point and everything before `####
`. For option letters they use the pattern of its mmlu_pro, and the last letter alone. Both are
written again here. math-verify judges in a separate process, which is killed if one message takes
too long: its own limits do not stop one huge power.
"""

import logging
import multiprocessing
import re
import resource
from multiprocessing.connection import Connection

SECONDS = 20.0
MEMORY_BYTES = 2 * 1024**3
_STRICT = {
    "numeric": re.compile(r"#### (-?[0-9.,]+)"),
    "choice": re.compile(r"answer is \(?([A-J])\)?"),
}
_FLEXIBLE = {
    "numeric": re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)"),
    "choice": re.compile(r"\(([A-Z])\)|\b([A-Z])\b"),
}
_IGNORED = re.compile(r",|\$|(?s:.*)#### |\.$")


def strict_match(kind: str, message: str, reference: str) -> bool | None:
    """The first match; None for a kind of task without such a filter."""
    found = _STRICT[kind].search(message) if kind in _STRICT else None
    return None if kind not in _STRICT else found is not None and _same(found[1], reference)


def flexible_extract(kind: str, message: str, reference: str) -> bool | None:
    """The last match; None for a kind of task without such a filter."""
    if kind not in _FLEXIBLE:
        return None
    found = [*_FLEXIBLE[kind].finditer(message)]
    return bool(found) and _same(found[-1][1] or found[-1][2], reference)


def _same(given: str, reference: str) -> bool:
    return _IGNORED.sub("", given).casefold() == _IGNORED.sub("", reference).casefold()


class MathVerify:
    """math-verify with its defaults, called as in its documentation. `close` ends its process."""

    KINDS = frozenset({"numeric", "choice", "latex"})

    def __init__(self) -> None:
        self._start()

    def right(self, kind: str, message: str, reference: str) -> bool | None:
        """The verdict; None for a kind of task that it does not read. Too slow counts as wrong."""
        if kind not in self.KINDS:
            return None
        self._ours.send((kind, message, reference))
        if self._ours.poll(SECONDS):
            try:
                return bool(self._ours.recv())
            except EOFError:
                pass
        self.close()
        self._start()
        return False

    def close(self) -> None:
        self._process.kill()
        self._process.join()
        self._ours.close()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_judging, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._ours.recv()


def _judging(channel: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    logging.disable(logging.CRITICAL)
    from math_verify import (
        ExprExtractionConfig,
        LatexExtractionConfig,
        StringExtractionConfig,
        parse,
        verify,
    )

    number = (LatexExtractionConfig(), ExprExtractionConfig())
    letter = (StringExtractionConfig(strings=tuple("ABCDEFGHIJ")),)
    channel.send(True)
    while True:
        kind, message, reference = channel.recv()
        forms = letter if kind == "choice" else number
        wanted = f"${reference}$" if kind == "latex" else reference
        try:
            right = verify(parse(wanted, forms), parse(message, forms))
        except Exception:
            right = False  # a reader that fails has not read
        channel.send(bool(right))
