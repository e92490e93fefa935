"""What a model of less than a billion parameters needs: less to read, less room to ramble in.

Measured with SmolLM2-135M on questions of our own: a system message makes it answer in another
language, a numbered procedure is copied instead of followed, a refuse condition is repeated as the
answer, and the block that calls a tool was never written, with an example before it or without.
"""

from __future__ import annotations

import re

COMPLETION_TOKENS = 256
"""A small model that has not answered by then is repeating itself."""

_SIZE = re.compile(r"(?<![a-z0-9.])(\d{1,6}(?:\.\d{1,6})?)([mb])(?![a-z0-9])", re.IGNORECASE)


def is_small(model: str) -> bool:
    """Whether the model's name tells of fewer than a billion parameters: `…-135m-…`, `…-0.5B`."""
    sizes = [
        float(number) * (1e6 if unit in "mM" else 1e9) for number, unit in _SIZE.findall(model)
    ]
    return bool(sizes) and max(sizes) < 1e9
