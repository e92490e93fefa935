"""Chooses the verifier for a task that has a reference but names no verifier."""

from typing import Literal

from workers.core.answers.quantities import is_number

BY_REFERENCE = ("numeric", "latex", "exact", "gaia")
"""The verifiers that need only a reference."""


def verifier_for(reference: str) -> Literal["numeric", "exact"]:
    """A number is compared as a number, anything else as a text."""
    return "numeric" if is_number(reference) else "exact"
