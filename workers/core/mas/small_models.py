"""Decides which models are small (below a billion parameters). They need shorter prompts.

Measured with SmolLM2-135M on our own questions: with a system message it answers in another
language; it copies a numbered procedure instead of following it; it repeats a refuse condition as
the answer; it never wrote the block that calls a tool, with or without an example.

The endpoint says which model is small (`EndpointSpec.parameters`). A name only suggests a size.
"""

import re

_SIZE = re.compile(r"(?<![a-z0-9.])(\d{1,6}(?:\.\d{1,6})?)([mb])(?![a-z0-9])", re.IGNORECASE)
_WITHOUT_POINT = re.compile(r"(?<![0-9.])0(\d{1,2})b(?![a-z0-9])", re.IGNORECASE)
"""`qwen05b.gguf`: file names omit the point."""
_UNDERSCORED = re.compile(r"(?<![0-9])0_(?=\d{1,2}b)", re.IGNORECASE)


def suggested_parameters(model: str) -> int | None:
    """The number of parameters in a model's name: `…-135m-…`, `…-0.5B`, the largest of several.
    None if the name has none."""
    model = _UNDERSCORED.sub("0.", model)
    sizes = [
        float(number) * (1e6 if unit in "mM" else 1e9) for number, unit in _SIZE.findall(model)
    ]
    sizes += [float(f"0.{digits}") * 1e9 for digits in _WITHOUT_POINT.findall(model)]
    largest = round(max(sizes, default=0.0))
    return largest or None
