r"""Multiple choice: which option does the answer commit to?

`metadata.choices` is the list of option texts; the reference is a letter (`A`…`Z`) or the text of
an option. Accepted: `C`, `(c)`, `C.`, `C) 4 m/s`, `\boxed{C}`, `\text{(C)}`, `option C`, `the
answer is C`, `A is wrong, so C`, the text of an option, or prose that holds the text of exactly
one. `A` as an article is no choice. An answer that leaves several options open (`A or B`) is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from workers.core.benchmarks.base import Verdict, VerifierError
from workers.core.benchmarks.verifiers.notation import plain_text
from workers.core.benchmarks.verifiers.reasons import no_answer, no_reference, right, wrong
from workers.core.specs import TaskSpec

MAX_CHOICES = len(ascii_uppercase)
_MAX_CHARS = 4_000
_WRAPPING = re.compile(r"\\(?:boxed|fbox|text|textbf|mathrm|mathbf)\s{0,4}\{([^{}]{0,2000})\}")
_ALONE = re.compile(r"\W{0,20}([A-Za-z])\W{0,20}")
_LEADING = re.compile(r"[\s*_`$(\[]{0,20}([A-Z])(?:\s?[).\]:]|\*\*|\s[-–—])[\s*_`]{0,10}(?=\S)")
_NAMED = re.compile(
    r"\b(?:option|choice|answer|letter)(?: is|:| is:)?[\s*_`(\[]{1,10}([A-Z])(?![\w'’])"
    r"|[(\[]([A-Z])[)\]]|\*\*([A-Z])[.):]?\*\*|^([A-Z])(?=[,;] )",
    re.IGNORECASE,
)
_LONE_CAPITAL = re.compile(
    r"(?<![\w'’])([B-HJ-Z]|A(?=\s{0,3}(?:[.,;:)]|$|is\b|or\b|and\b)))(?![\w'’])"
)
_REJECTED = re.compile(
    r"(?:\bnot|\bneither|\bnor|\brather than|\binstead of|n't(?: be)?)[\s(*]{1,5}"
    r"(?:option |choice |answer )?\(?([A-Z])\b"
    r"|\(?\b([A-Z])\b\)?(?: is| are|,)? (?:is )?(?:wrong|incorrect|false|not\b|ruled out)"
)


@dataclass(frozen=True, slots=True)
class Choice:
    key: str = "choice"
    name: str = "Multiple choice"
    description: str = "Reads which option an answer names, by its letter, its text or in prose."

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        choices = _choices(task)
        expected = _reference(task, choices)
        if answer is None:
            return no_answer()
        shown = f"{expected}. {choices[ascii_uppercase.index(expected)]}"
        given = chosen(answer, choices)
        if given is None:
            return wrong(answer, shown, "it does not commit to one option")
        return right(answer, shown) if given == expected else wrong(answer, shown)


def chosen(answer: str, choices: Sequence[str]) -> str | None:
    """The letter of the option that an answer commits to; None for none or several."""
    text = _unwrapped(answer[-_MAX_CHARS:]).strip()
    letters = ascii_uppercase[: len(choices)]
    alone = _ALONE.fullmatch(text)
    if alone:
        return alone.group(1).upper() if alone.group(1).upper() in letters else None
    exact = [
        letter for letter, choice in _lettered(choices) if plain_text(choice) == plain_text(text)
    ]
    if len(exact) == 1:
        return exact[0]
    leading = _LEADING.match(text)
    if leading and leading.group(1) in letters and not _open(text, letters):
        return leading.group(1)
    return _by_letter(text, letters) or _by_text(text, choices)


def _unwrapped(text: str) -> str:
    for _ in range(3):  # \boxed{\text{(C)}}
        text = _WRAPPING.sub(r"\1", text)
    return text


def _lettered(choices: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(ascii_uppercase, choices, strict=False))


def _open(text: str, letters: str) -> bool:
    """`A or B`, `A/B`, `(A) and (C)`: several letters on equal terms."""
    pair = r"[(\[]?([A-Z])[)\].]{0,2}\s?(?:or|and|/|,|&)\s?[(\[]?([A-Z])(?![\w'’])"
    return any(
        {left, right} <= set(letters) and left != right for left, right in re.findall(pair, text)
    )


def _by_letter(text: str, letters: str) -> str | None:
    """The last letter that is named and not ruled out."""
    if _open(text, letters):
        return None
    rejected = {letter for pair in _REJECTED.findall(text) for letter in pair if letter}
    for pattern in (_NAMED, _LONE_CAPITAL):
        named = [
            next(group for group in found.groups() if group).upper()
            for found in pattern.finditer(text)
        ]
        left = [letter for letter in named if letter in letters and letter not in rejected]
        if left:
            return left[-1]
    return None


def _by_text(text: str, choices: Sequence[str]) -> str | None:
    """The one option whose text occurs as whole words; one inside a longer one does not count."""
    rest, found = f" {plain_text(text)} ", []
    by_length = sorted(_lettered(choices), key=lambda pair: -len(pair[1]))
    for letter, choice in by_length:
        wanted = plain_text(choice)
        pattern = rf"(?<!\w){re.escape(wanted)}(?!\w)"
        if wanted and re.search(pattern, rest):
            found.append(letter)
            rest = re.sub(pattern, "\0", rest)
    return found[0] if len(found) == 1 else None


def _choices(task: TaskSpec) -> list[str]:
    choices = task.metadata.get("choices")
    if (
        isinstance(choices, list)
        and 2 <= len(choices) <= MAX_CHOICES
        and all(isinstance(choice, str) for choice in choices)
    ):
        return choices
    raise VerifierError(
        code="no_choices",
        message=f"The task has no list of 2 to {MAX_CHOICES} options.",
        remedy="Give the texts of the options in metadata.choices.",
    )


def _reference(task: TaskSpec, choices: Sequence[str]) -> str:
    """The letter of the right option. Raises VerifierError."""
    if not task.reference:
        raise no_reference()
    wanted = task.reference.strip()
    if wanted.upper() in ascii_uppercase[: len(choices)] and len(wanted) == 1:
        return wanted.upper()
    found = [
        letter for letter, text in _lettered(choices) if plain_text(text) == plain_text(wanted)
    ]
    if len(found) == 1:
        return found[0]
    raise VerifierError(
        code="bad_reference",
        message=f"The reference “{wanted[:80]}” is none of the {len(choices)} options.",
        remedy="Give the letter or the text of the right option.",
    )
