r"""Multiple choice: which option does the answer commit to?

`metadata.choices` is the list of option texts; the reference is a letter (`A`…`Z`) or the text of
an option. Accepted: `C`, `(c)`, `C.`, `C) 4 m/s`, `\boxed{C}`, `\text{(C)}`, `option C`, `the
answer is C`, `A is wrong, so C`, the text of an option, or prose with the text of exactly one. `A`
as an article is not a choice, nor is the `D` of an option's text “vitamin D”. “The answer is C”, “C
is correct” and a letter alone on the first line beat every other mention. An answer that leaves
several options open (`A or B`, `A B C D`) or only rules some out is wrong; `-8 m/s` and `0.8 m/s`
are not the option `8 m/s`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from workers.core.answers.marks import plain_marks
from workers.core.answers.notation import compatible, plain_text
from workers.core.benchmarks.base import Verdict, VerifierError
from workers.core.benchmarks.verifiers.option_texts import (
    beside_another,
    by_text,
    lettered,
    without_texts,
)
from workers.core.benchmarks.verifiers.reasons import no_answer, no_reference, right, wrong
from workers.core.specs import TaskSpec

MAX_CHOICES = len(ascii_uppercase)
_MAX_CHARS = 4_000
_WRAPPING = re.compile(r"\\(?:boxed|fbox|text|textbf|mathrm|mathbf)\s{0,4}\{([^{}]{0,2000})\}")
_ALONE = re.compile(r"\W{0,20}([A-Za-z])\W{0,20}")
_LEADING = re.compile(
    r"[\s*_`$(\[]{0,20}([A-Z])(?:\s?[).\]:]|\*\*(?!\w)|\s[-–—])[\s*_`]{0,10}(?=\S)"
)
_LETTER = (
    r"(?:[B-HJ-Z]|[AI](?=[\s)\]*_`$]{0,4}(?:[.,;:(—–-]|$"
    r"|(?:is|because|since|as|or|and|over|instead|rather)\b)))"
)
"""`A` and `I` may be words. Then something else follows."""
_NAMED = re.compile(
    rf"\b(?:option|choice|answer|letter)(?: is|:| is:)?[\s*_`(\[]{{1,10}}({_LETTER})(?![\w'’])"
    r"|[(\[]([A-Z])[)\]]|\*\*([A-Z])[.):]?\*\*(?!\w)|^([A-Z])(?=[,;] )",
    re.IGNORECASE,
)
_LONE_CAPITAL = re.compile(
    r"(?<![\w'’])([B-HJ-Z]|A(?=\s{0,3}(?:[.,;:)]|$|is\b|or\b|and\b)))(?![\w'’])"
)
_ANSWER_IS = re.compile(
    r"\banswer(?: is|:| is:)[\s*_`$(\[]{0,10}(?:(?:option|choice|letter)[\s*_`(]{1,5})?"
    rf"({_LETTER})(?![\w'’])",
    re.IGNORECASE | re.MULTILINE,
)
_IS_RIGHT = re.compile(
    rf"(?<![\w'’])({_LETTER})[\s)\]*_`]{{0,4}}(?:\bis|:)(?: the| clearly| definitely| indeed)?"
    r" (?:correct|right|true|yes|best|answer)\b",
    re.MULTILINE,
)
_RULED_OUT = re.compile(r"(?:[¬≠✗✘❌✖]\s?|(?<!\w)!|\\neg?\s?)(?=[*(\[]{0,3}[A-Z](?!\w))")
_FIRST_LINE = re.compile(r"\W{0,20}([A-Za-z])\W{0,20}\n")
_LISTED = re.compile(r"(?:^|[\s(*])([A-Z])[).:](?=\s)")
_SEVERAL = re.compile(r"\W{0,10}(?:[A-Z]\W{1,3}){1,25}[A-Z]\W{0,10}")
_LETTERS = (
    r"\(?[A-Z]\)?(?![\w'’])(?:(?:, ?(?:or |and )?| or | and | nor )\(?[A-Z]\)?(?![\w'’])){0,8}"
)
_REJECTED = re.compile(
    r"(?:n't|\b(?i:not|cannot|neither|nor|rather than|instead of|eliminate|exclude|rule out|over"
    r"|no longer|other than|(?:any(?:thing)?|every(?:thing)?|all|none|nothing) (?:but|except)))"
    rf"(?: be)?[\s(*]{{1,5}}(?:(?:option|choice|answer)s? )?({_LETTERS})"
    rf"|({_LETTERS})(?: is| are|,|:)? (?:is )?"
    r"(?:wrong|incorrect|false|not\b(?! {0,2}[(*]{0,2}(?:option )?[A-Z](?![\w'’]))|no\b|out\b"
    r"|ruled out|eliminated|impossible)"
    rf"|(?:不是|并非|並非|不选|不選|排除)\s?({_LETTERS})"
    rf"|({_LETTERS})\s?(?:选项|選項|项|項)?\s?(?:是)?(?:错|錯|不对|不對|不正确|不正確|有误|ではな|は違)"
)
_COMMITTED = re.compile(
    r"(?<!not )(?<!n't )(?<!never )\b(?:go(?:ing)? (?:with|for)|prefer|(?<!would )choose|chose"
    r"|pick(?:ed)?|select|opt for|settle (?:on|for)|conclude"
    r"|(?:my|final|best) (?:choice|answer|pick|guess)(?: is|:)|选|選|答案是|答案为|答案為)"
    rf"[\s*_`$(\[:]{{0,6}}(?:(?:option|choice|answer|letter)[\s*_`(]{{1,5}})?({_LETTER})(?![\w'’])",
    re.IGNORECASE,
)
_LAST_ALONE = re.compile(r"[?!.;:\n]\s{1,4}[*_`(\[$]{0,4}([A-Z])[*_`)\]$.]{0,5}\s{0,4}$")
_EXPLAINS = re.compile(
    r"\b(?:because|since|as|while|whereas|although|though|unlike|not|rather than|instead of)\b",
    re.IGNORECASE,
)
_SCRIPTS = re.compile(r"(?<=[^\x00-\u024f\W])(?=[A-Za-z])|(?<=[A-Za-z])(?=[^\x00-\u024f\W])")
"""Where a Latin letter touches a script that writes no spaces."""


@dataclass(frozen=True, slots=True)
class Choice:
    key: str = "choice"
    name: str = "Multiple choice"
    description: str = "Finds the option that an answer names by its letter, its text or in prose."

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        choices = _choices(task)
        expected = _reference(task, choices)
        if answer is None:
            return no_answer()
        shown = f"{expected}. {choices[ascii_uppercase.index(expected)]}"
        given = chosen(answer, choices)
        if given is None:
            return wrong(answer, shown, "it does not name exactly one option")
        return right(answer, shown) if given == expected else wrong(answer, shown)


def chosen(answer: str, choices: Sequence[str]) -> str | None:
    """The letter of the option that an answer commits to. None for none or several."""
    folded = plain_marks(compatible(_unwrapped(answer[-_MAX_CHARS:])))
    text = _SCRIPTS.sub(" ", folded).strip()
    letters = ascii_uppercase[: len(choices)]
    text = _RULED_OUT.sub(" not ", text)
    alone = _ALONE.fullmatch(text)
    if alone:
        return alone.group(1).upper() if alone.group(1).upper() in letters else None
    exact = [
        letter for letter, choice in lettered(choices) if plain_text(choice) == plain_text(text)
    ]
    if len(exact) == 1:
        return exact[0]
    if beside_another(text, choices):
        return None
    plain = without_texts(text, choices)
    explicit = _explicit(plain, letters)
    if explicit is not None:
        return explicit or None
    return _by_letter(plain, letters) or by_text(text, choices)


def _explicit(text: str, letters: str) -> str | None:
    """The option that is called the answer, or is alone at the beginning. "" for several, None for
    none."""
    announced = [found for found in _ANSWER_IS.finditer(text) if found[1].upper() in letters]
    if announced:
        last = announced[-1]
        pair = _PAIR.match(text[: last.end(1) + 12], last.start(1))
        if not pair or not set(pair.groups()) <= set(letters):
            return last[1].upper()
    decided = _decided(text, letters)
    if decided or announced:
        return decided
    confirmed = {found[1] for found in _IS_RIGHT.finditer(text) if found[1] in letters}
    if confirmed and not _open(text, letters):
        return confirmed.pop() if len(confirmed) == 1 else ""
    alone = _FIRST_LINE.match(text)
    if alone and alone[1].upper() in letters:
        return alone[1].upper()
    leading = _LEADING.match(text)
    head = _EXPLAINS.split(text, maxsplit=1)[0]
    if leading and leading[1] in letters and not _open(head, letters):
        return leading[1] if len(set(_LISTED.findall(head)) & set(letters)) <= 1 else ""
    return None


def _decided(text: str, letters: str) -> str:
    """`either B or C; I go with C`, `B or C? B.`: the letter that is chosen in words, or is alone
    at the end; "" without one."""
    chosen_in_words = [each for each in _COMMITTED.finditer(text) if each[1].upper() in letters]
    if chosen_in_words:
        last = chosen_in_words[-1]
        pair = _PAIR.match(text[: last.end(1) + 12], last.start(1))
        return "" if pair and set(pair.groups()) <= set(letters) else last[1].upper()
    alone = _LAST_ALONE.search(text)
    return alone[1] if alone and alone[1] in letters and _PAIR.search(text) else ""


def _unwrapped(text: str) -> str:
    for _ in range(3):  # \boxed{\text{(C)}}
        text = _WRAPPING.sub(r"\1", text)
    return text


_PAIR = re.compile(
    r"[(\[]?([A-Z])[)\].]{0,2}\s?(?:,?\s?or|,?\s?and|/|,|&|或|和|与|と|か)\s?[(\[]?([A-Z])(?![\w'’])"
)


def _open(text: str, letters: str) -> bool:
    """`A or B`, `A/B`, `(A) and (C)`, `A B C`: several letters on equal terms."""
    pairs = [pair for pair in _PAIR.findall(text) if set(pair) <= set(letters)]
    return any(left != right for left, right in pairs) or _SEVERAL.fullmatch(text) is not None


def _by_letter(text: str, letters: str) -> str | None:
    """The last letter that is named and not ruled out."""
    rejected = {
        letter for pair in _REJECTED.findall(text) for letter in re.findall("[A-Z]", "".join(pair))
    }
    text = _REJECTED.sub(" ", text)
    if _open(text, letters):
        return None
    for pattern in (_NAMED, _LONE_CAPITAL):
        named = [
            next(group for group in found.groups() if group).upper()
            for found in pattern.finditer(text)
        ]
        left = [letter for letter in named if letter in letters and letter not in rejected]
        if left:
            return left[-1]
    return None


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
        remedy="Put the texts of the options into metadata.choices.",
    )


def _reference(task: TaskSpec, choices: Sequence[str]) -> str:
    """The letter of the right option. Raises VerifierError."""
    if not task.reference:
        raise no_reference()
    wanted = task.reference.strip()
    if wanted.upper() in ascii_uppercase[: len(choices)] and len(wanted) == 1:
        return wanted.upper()
    found = [letter for letter, text in lettered(choices) if plain_text(text) == plain_text(wanted)]
    if len(found) == 1:
        return found[0]
    raise VerifierError(
        code="bad_reference",
        message=f"The reference “{wanted[:80]}” is not one of the {len(choices)} options.",
        remedy="Use the letter or the text of the right option as the reference.",
    )
