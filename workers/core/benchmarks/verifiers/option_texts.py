"""Finds the texts of a question's options in an answer."""

import re
from collections.abc import Sequence
from string import ascii_uppercase

from workers.core.answers.notation import plain_text

_HAS_LETTER = re.compile(r"(?<![\w'’])[A-Za-z](?![\w'’])")
_GAP = r"[\s*_]{1,6}"
_ELIDED = r"(?:\s?(?:or|and|nor|/|&)\s?[A-Z](?![\w'’]))"


def without_texts(text: str, choices: Sequence[str]) -> str:
    """Replace each option's text that contains a single letter by a 0. The D of “vitamin D” names
    no option, nor does the D of “vitamin C and D”."""
    longest_first = sorted((choice.strip(" .,:;()[]*_$") for choice in choices), key=len)[::-1]
    words = ([word for word in re.split(_GAP, choice) if word] for choice in longest_first)
    own = [each for each in words if len("".join(each)) > 1 and _HAS_LETTER.search(" ".join(each))]
    if not own:
        return text
    texts = "|".join(_GAP.join(map(re.escape, each)) for each in own)
    return re.sub(rf"(?<!\w)(?:{texts})(?!\w){_ELIDED}{{0,8}}", "0", text, flags=re.IGNORECASE)


def lettered(choices: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(ascii_uppercase, choices, strict=False))


_LETTERED = re.compile(
    r"[\s*_`(\[$]{0,8}(?![AaIi]\s{1,8}\w)([A-Za-z])[\s*_`)\].:–—-]{1,8}(\S.*)", re.DOTALL
)
"""`A dog` begins with a word, not with a letter of an option."""
_AFTERWARDS = re.compile(r"(\S.*?)[\s*_`(\[–—-]{1,8}\(?([A-Z])[*_`)\].]{1,4}\s*", re.DOTALL)


def beside_another(text: str, choices: Sequence[str]) -> bool:
    """Whether the answer is one option's letter beside another option's whole text: `A) blue`."""
    texts = {letter: plain_text(choice) for letter, choice in lettered(choices)}
    before, after = _LETTERED.fullmatch(text), _AFTERWARDS.fullmatch(text)
    pairs = [(each[1], each[2]) for each in [before] if each]
    pairs += [(each[2], each[1]) for each in [after] if each]
    for letter, said in pairs:
        own, given = texts.get(letter.upper()), plain_text(said)
        if own is not None and own != given and len(given) > 1 and given in texts.values():
            return True
    return False


_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|neither|nor|rather than|instead of)|n't)"
    r"(?: (?:be|a|an|the|really|necessarily)){0,2} $"
)
_IS_WRONG = re.compile(r" (?:is|are|was|would be) (?:wrong|incorrect|not\b)")


def by_text(text: str, choices: Sequence[str]) -> str | None:
    """The one option whose text occurs as whole words and is not denied. An option inside a longer
    one does not count. With two options, denying one names the other."""
    rest = f" {plain_text(text)} "
    found: list[str] = []
    denied: list[str] = []
    by_length = sorted(lettered(choices), key=lambda pair: -len(pair[1]))
    for letter, choice in by_length:
        wanted = plain_text(choice)
        if not wanted:
            continue
        before = r"(?<![\w.,+/−–-])" if wanted[0].isdigit() else r"(?<!\w)(?<!\w-)"
        pattern = re.compile(rf"{before}{re.escape(wanted)}(?!-?\w|\^|/\w|[.,]\d)")
        places = list(pattern.finditer(rest))
        if places:
            wanting = all(_is_denied(rest, each) for each in places)
            (denied if wanting else found).append(letter)
        rest = pattern.sub("\0", rest)
    if not found and len(denied) == 1 and len(choices) == 2:
        return "A" if denied == ["B"] else "B"
    return found[0] if len(found) == 1 else None


def _is_denied(text: str, found: re.Match[str]) -> bool:
    before = text[max(found.start() - 40, 0) : found.start()]
    return (_DENIED.search(before) or _IS_WRONG.match(text, found.end())) is not None
