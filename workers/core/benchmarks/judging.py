"""Which verifier judges a task that has a reference and names none."""

from __future__ import annotations

from typing import Literal

from workers.core.answers.quantities import is_number

BY_REFERENCE = ("numeric", "latex", "exact")
"""The verifiers that need nothing but a reference."""


def verifier_for(reference: str) -> Literal["numeric", "exact"]:
    """A number is compared as one, anything else as a text."""
    return "numeric" if is_number(reference) else "exact"
