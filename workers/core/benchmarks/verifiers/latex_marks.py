r"""Finds what the parser of expressions drops without a word: primes, `^T`, units, some words.

It reads `f'`, `A^T` and `5\text{ or more}` as `f`, `A` and `5`. So these marks are compared before
the expressions are.
"""

import re
from collections import Counter

from workers.core.answers.equality import equal_quantities
from workers.core.answers.quantities import quantity
from workers.core.answers.units import UNITS

_TEXT = re.compile(r"\\(?:text(?:bf|rm|it)?|mathrm|mbox)\s?\{([^{}]{0,200})\}")
_WORDS = re.compile(
    r"\b(?:or (?:more|less|fewer)|at (?:least|most)|(?:more|less|fewer) than|not"
    r"|hundred|thousand|[mbtr]illion|dozen)s?\b"
)
_PRIME = re.compile(r"(?<=[\w)}\]'’′])['’′](?!\w)|\\prime\b")
_DOUBLE_PRIME = re.compile(r"(?<=\d)\"|″")
_QUOTED = re.compile(r"\A['‘](.*)['’]\Z", re.DOTALL)
_DELIMITED = re.compile(r"\$([^$]{0,200})\$")
_TRANSPOSED = re.compile(r"\^\s?\{?\s?(?:T(?![\w])|\\(?:top|intercal)\b|\\mathsf\s?\{?T)")
_CONTINUED = re.compile(r",\s?(?:\\[lc]?dots\b|\.\.\.|…)")
_DOUBLE = re.compile(r"(?:\d+|[a-zA-Z)}\]])\s?!\s?!")


def primes(expression: str) -> int:
    """How many primes it has, as in `f''` and `30'`. Quotation marks around it are none."""
    maths = _QUOTED.sub(r"\1", _TEXT.sub(" ", expression).strip())
    return len(_PRIME.findall(maths)) + 2 * len(_DOUBLE_PRIME.findall(maths))


def means_more(given: str, reference: str) -> bool:
    """Whether the expressions differ in something that the parser drops."""
    ours, theirs = _units(given), _units(reference)
    return _marks(given) != _marks(reference) or bool(ours and theirs and ours != theirs)


def same_amount(given: str, reference: str) -> bool | None:
    """Whether two numbers with units are one amount: `0.1 m` and `10 cm`. None for all else."""
    one, other = (quantity(_plain(each)) for each in (given, reference))
    if one is None or other is None or one.unit is None or other.unit is None:
        return None
    return equal_quantities(one, other)


def _plain(expression: str) -> str:
    return _TEXT.sub(r" \1 ", _DELIMITED.sub(r"\1", expression))


def _marks(expression: str) -> Counter[str]:
    said = " ".join(_TEXT.findall(expression)).lower()
    maths = _TEXT.sub(" ", expression)
    found = Counter(_WORDS.findall(said))
    found["prime"] = primes(expression)
    found["transposed"] = len(_TRANSPOSED.findall(maths))
    found["continued"] = len(_CONTINUED.findall(maths))
    found["double factorial"] = len(_DOUBLE.findall(maths))
    return found


def _units(expression: str) -> set[tuple[str, object]]:
    said = " ".join(_TEXT.findall(expression)).lower()
    return {UNITS[word] for word in re.findall(r"[a-z]+", said) if word in UNITS}
