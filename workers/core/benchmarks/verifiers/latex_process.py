"""Runs in a process of its own: compares LaTeX expressions, one JSON line in, one out.

Started as a script, so that nothing of the studio is imported here. Request: `[reference,
answer]`; reply: `{"equal": bool}`. The parser and the comparison stop themselves by
a signal, which works in a main thread alone; whoever holds the other end kills this process when
even that does not help.
"""

import json
import logging
import re
import resource
import sys

MEMORY_BYTES = 2 * 1024**3
SECONDS = 4
_DELIMITED = re.compile(r"(?<!\\)\$|\\\(|\\\[|\\boxed\b")
_ARGUMENT = r"\s{0,4}(\\[a-zA-Z]{1,20}|[a-zA-Z0-9])"
_BARE_FRACTION = re.compile(rf"\\[dtc]?frac{_ARGUMENT}{_ARGUMENT}")


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    logging.disable(logging.CRITICAL)
    sys.set_int_max_str_digits(10_000)
    from math_verify import (  # type: ignore[import-untyped]  # it ships no types
        LatexExtractionConfig,
        parse,
        verify,
    )

    forms = [LatexExtractionConfig()]

    def parsed(text: str) -> list[object]:
        found = parse(as_latex(text), forms, fallback_mode="no_fallback", parsing_timeout=SECONDS)
        return list(found)

    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        reference, answer = json.loads(line)
        expected, given = parsed(reference), parsed(answer)
        equal = bool(expected and given) and verify(expected, given, timeout_seconds=SECONDS)
        print(json.dumps({"equal": bool(equal)}), flush=True)


def as_latex(text: str) -> str:
    """An expression without delimiters is one as a whole; `\\frac \\pi 2` gets its braces."""
    text = _BARE_FRACTION.sub(r"\\frac{\1}{\2}", text.replace(r"\$", ""))
    return text if _DELIMITED.search(text) else f"${text}$"


if __name__ == "__main__":
    main()
