"""What a model of less than a billion parameters needs: less to read.

Measured with SmolLM2-135M on questions of our own: a system message makes it answer in another
language, a numbered procedure is copied instead of followed, a refuse condition is repeated as the
answer, and the block that calls a tool was never written, with an example before it or without.

Which model is small, its endpoint says (`EndpointSpec.parameters`). A name only suggests a size.
"""

from __future__ import annotations

import re

_SIZE = re.compile(r"(?<![a-z0-9.])(\d{1,6}(?:\.\d{1,6})?)([mb])(?![a-z0-9])", re.IGNORECASE)
_WITHOUT_POINT = re.compile(r"(?<![0-9.])0(\d{1,2})b(?![a-z0-9])", re.IGNORECASE)
"""`qwen05b.gguf`: file names leave the point out."""


def suggested_parameters(model: str) -> int | None:
    """How many parameters the model's name tells of: `…-135m-…`, `…-0.5B`, the largest of several.
    None: it tells nothing."""
    sizes = [
        float(number) * (1e6 if unit in "mM" else 1e9) for number, unit in _SIZE.findall(model)
    ]
    sizes += [float(f"0.{digits}") * 1e9 for digits in _WITHOUT_POINT.findall(model)]
    largest = round(max(sizes, default=0.0))
    return largest or None
