"""Compares LaTeX expressions in a separate process: one JSON line in, one out.

It is started as a script, so it imports nothing of the studio. Request: `[reference, answer,
seconds]`. Reply: `{"equal": bool, "timed_out": bool, "side": str}`, where `side` is the expression
that took too long to read, or "" if the comparison did. Limits count processor time, so a busy
machine does not make a right answer wrong. A signal ends a parse or a comparison after `seconds`.
If Python does not see the signal (one huge power), the kernel ends this process.
"""

import json
import logging
import re
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY_BYTES = 2 * 1024**3
KILLED_AFTER_SECONDS = 3
"""More processor time than two parses and a comparison may use."""
_DELIMITED = re.compile(r"(?<!\\)\$|\\\(|\\\[|\\boxed\b")
_ARGUMENT = r"\s{0,4}(\\[a-zA-Z]{1,20}|[a-zA-Z0-9])"
_BARE_FRACTION = re.compile(rf"\\[dtc]?frac{_ARGUMENT}{_ARGUMENT}")


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    logging.disable(logging.CRITICAL)
    sys.set_int_max_str_digits(10_000)
    from math_verify import (
        LatexExtractionConfig,
        grader,
        parse,
        verify,
    )

    sys.path.append(str(Path(__file__).parent))  # this process begins without its own folder
    from latex_numbers import numbers_equal  # type: ignore[import-not-found]  # by that path

    grader.sympy_numeric_eq = numbers_equal
    forms = [LatexExtractionConfig()]

    def parsed(text: str, seconds: float, side: str) -> list[object]:
        with limited(seconds, side):
            return list(
                parse(as_latex(text), forms, fallback_mode="no_fallback", parsing_timeout=None)
            )

    def equal(reference: str, answer: str, seconds: float) -> bool:
        expected = parsed(reference, seconds, "reference")
        given = parsed(answer, seconds, "answer")
        with limited(seconds, ""):
            return bool(expected and given and verify(expected, given, timeout_seconds=None))

    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        reference, answer, seconds = json.loads(line)
        last = int(time.process_time() + 3 * seconds) + KILLED_AFTER_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (last, hard))
        try:
            reply = {"equal": equal(reference, answer, seconds), "timed_out": False, "side": ""}
        except TooLong as error:
            reply = {"equal": False, "timed_out": True, "side": str(error)}
        print(json.dumps(reply), flush=True)


class TooLong(BaseException):
    """Its text names the side. It is no Exception, because the libraries catch those and
    continue."""


@contextmanager
def limited(seconds: float, side: str = "") -> Iterator[None]:
    """Inside, TooLong is raised after these seconds of processor time. Use it in the main
    thread."""

    def stop(signum: int, frame: object) -> None:
        raise TooLong(side)

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def as_latex(text: str) -> str:
    """An expression without delimiters is one as a whole; `\\frac \\pi 2` gets its braces."""
    text = _BARE_FRACTION.sub(r"\\frac{\1}{\2}", text.replace(r"\$", ""))
    return text if _DELIMITED.search(text) else f"${text}$"


if __name__ == "__main__":
    main()
