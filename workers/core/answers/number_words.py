"""Turns English number words into digits: `twenty-five`, `one hundred and five`, `one and a
half`."""

import re

_ONES = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen",
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SMALL = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * place for place, word in enumerate(_TENS, start=2)
}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_UP = {"hundred", *_LARGE}
_ORDINALS = ["third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_PARTS = {word + end: size for size, word in enumerate(_ORDINALS, start=3) for end in ("", "s")}
_PARTS |= {"half": 2, "halves": 2, "fourth": 4, "fourths": 4}
_MAX_WORDS = 400
_WORD = re.compile(r"(?<![a-zA-Z])[a-zA-Z]{1,20}(?![a-zA-Z])")
_PART = re.compile(rf"\b(\d{{1,2}})[\s-]({'|'.join(_PARTS)})\b")
_HALF = re.compile(r"\bhalf\b(?: an?\b)?", re.IGNORECASE)
_HALF_A = re.compile(r"\bhalf an? (?=hundred|thousand|million|billion|dozen)", re.IGNORECASE)
_DOZEN = re.compile(r"\ba(?= dozen\b)", re.IGNORECASE)
_COUNTED = {"is", "are", "be", "equals", "answer", "leaves", "exactly", "only", "just"}


def in_digits(text: str) -> str:
    """A text without digits, with its number words as digits. `one` is a number only as the whole
    answer or at the end of a clause (`the answer is one.`): “no one knows” has none. `half` is a
    number only if there is no other."""
    text = _HALF_A.sub("0.5 ", text)
    words = list(_WORD.finditer(_DOZEN.sub("one", text)))[-_MAX_WORDS:]
    source = words[0].string if words else text
    lower = [word.group().lower() for word in words]
    pieces, done, place = [], 0, 0
    while place < len(words):
        length = _length(lower, place)
        if length and not _is_pronoun(source, words, place, length):
            pieces += [
                source[done : words[place].start()],
                str(_value(lower[place : place + length])),
            ]
            done = words[place + length - 1].end()
        place += length or 1
    found = _PART.sub(_fraction, "".join(pieces) + source[done:])
    return found if re.search(r"\d", found) else _HALF.sub("1/2", found, count=1)


def _fraction(found: re.Match[str]) -> str:
    return f"{found[1]}/{_PARTS[found[2]]}"


def _is_pronoun(text: str, words: list[re.Match[str]], place: int, length: int) -> bool:
    if length > 1 or words[place].group().lower() != "one" or len(words) <= 2:
        return False
    after = text[words[place].end() : words[place].end() + 12].lstrip(" -")
    if re.match(rf"(?:dozen|and (?:a|one) half|{'|'.join(_PARTS)})\b", after):
        return False
    before = words[place - 1].group().lower() if place else ""
    if before == "point":
        return False
    return before not in _COUNTED or re.match(r"[.,;!)*]|$", after) is None


def _length(words: list[str], start: int) -> int:
    """The number of words from `start` that belong to one number."""
    following = words[start + 1] if start + 1 < len(words) else ""
    if words[start] not in _SMALL and not (words[start] == "a" and following in _UP):
        return 0
    place = start + 1
    while place < len(words):
        joined = words[place] == "and" and _goes_on(words, place)
        known = words[place] in _SMALL or words[place] in _UP
        if not (joined or known) or _new_number(words, place):
            break
        place += 1
    return place - start


def _goes_on(words: list[str], place: int) -> bool:
    """`one hundred and five`, but not `three and five`."""
    after = words[place + 1] if place + 1 < len(words) else ""
    return after in _SMALL and words[place - 1] in _UP


def _new_number(words: list[str], place: int) -> bool:
    """Whether they are one number: two small words are only as tens and ones, `twenty five`."""
    before, word = words[place - 1], words[place]
    if before not in _SMALL or word not in _SMALL:
        return False
    return not (before in _TENS and 1 <= _SMALL[word] <= 9)


def _value(words: list[str]) -> int:
    total = group = 0
    for word in words:
        if word == "hundred":
            group = max(group, 1) * 100
        elif word in _LARGE:
            total, group = total + max(group, 1) * _LARGE[word], 0
        else:
            group += _SMALL.get(word, 0)
    return total + group
