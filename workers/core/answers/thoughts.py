"""Separates a model's thoughts from its message.

Reasoning models think aloud in their text if the server does not remove it: between tags
(`<think>`, `[THINK]`, `<|START_THINKING|>`), in a channel of gpt-oss, or before a lone closing tag
whose opening tag is in the prompt. Thoughts contain guesses. They are not an answer, a vote, a
program or a prompt for other agents. The trace keeps them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORDS = (
    r"(?:[a-z]{1,20}[:_]){0,2}(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad"
    r"|antthinking|monologue|cot)(?:_(?:process|content|block|text))?"
)
_OPENS = (
    rf"(?:<|&lt;)\|?{_WORDS}(?:\s[a-z]{{1,20}}=[^<>\n]{{0,80}})?\|?(?:>|&gt;)"
    r"|\[THINK\]|◁think▷|<\|channel>thoughts?\b|<unused94>(?:thought)?"
)
_CLOSES = (
    rf"(?:<|&lt;)(?:/\s?|\|/?){_WORDS}\s?\|?(?:>|&gt;)"
    r"|\[/THINK\]|◁/think▷|<channel\|>|<unused95>"
)
_MARK = re.compile(
    rf"(?P<fence>^[ \t]{{0,3}}```)|(?P<closes>{_CLOSES})|(?P<opens>{_OPENS})",
    re.IGNORECASE | re.MULTILINE,
)
_HINT = re.compile(
    r"think|thought|reason|reflection|scratchpad|monologue|cot\b|unused9", re.IGNORECASE
)
_QUOTED = frozenset({("`", "`"), ("'", "'"), ('"', '"'), ("‘", "’"), ("“", "”")})

_CHANNEL = re.compile(r"<\|channel\|>\s{0,4}(\w{1,20})[^<\n]{0,80}(?:<\|constrain\|>\w{1,20})?")
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_BODY = "<|message|>"
_PLAIN_CHANNEL = re.compile(r"\s{0,8}analysis(?=[A-Z\"'“(\d])")
_PLAIN_FINAL = re.compile(r"assistant\s?final(?![a-z])")
_WRAPPERS = re.compile(
    r"<\|(?:begin|end)_of_solution\|>|<\|(?:START|END)_RESPONSE\|>|<\|(?:return|end|im_end)\|>"
)
_GRANITE = re.compile(r"\s{0,8}Here is my thought process:")
_GRANITE_SAYS = "Here is my response:"


@dataclass(frozen=True, slots=True)
class Written:
    """Other agents read `message`, never `thoughts`. Both are stripped."""

    message: str
    thoughts: str


def parted(text: str) -> Written:
    """A model's text as its message and its thoughts.

    A tag counts if it is markup, not in quotes or in a fenced block of the message. A block that is
    never closed reaches to the end. Before a lone closing tag everything is thoughts, unless a
    message is already there and nothing follows.
    """
    if "<|channel|>" in text:
        return _channels(text)
    plain = _PLAIN_CHANNEL.match(text)
    if plain:
        finals = [*_PLAIN_FINAL.finditer(text)]
        if not finals:
            return _written([], [text])
        return _written([text[finals[-1].end() :]], [text[plain.end() : finals[-1].start()]])
    granite = _GRANITE.match(text)
    if granite:
        thoughts, _, message = text[granite.end() :].partition(_GRANITE_SAYS)
        return _written([message], [thoughts])
    return _tagged(text) if _HINT.search(text) else _written([text], [])


def _tagged(text: str) -> Written:
    said: list[str] = []
    thoughts: list[str] = []
    start, thinking, fenced, blocks = 0, False, False, 0
    last_fence, last_word = text.rfind("```"), len(text.rstrip())
    for mark in _marks(text):
        kind = mark.lastgroup
        if kind == "fence":
            fenced = not fenced and not thinking
        elif kind == "opens" and not thinking and not fenced:
            said.append(text[start : mark.start()])
            start, thinking, blocks = mark.end(), True, blocks + 1
        elif kind == "closes" and thinking:
            thoughts.append(text[start : mark.start()])
            start, thinking, fenced = mark.end(), False, False
        elif kind == "closes" and not (fenced and last_fence > mark.end()):
            said.append(text[start : mark.start()])
            start, fenced = mark.end(), False
            if blocks == 0 or start < last_word:
                thoughts += said
                said = []
            blocks += 1
    (thoughts if thinking else said).append(text[start:])
    return _written(said, thoughts)


def _marks(text: str) -> Iterator[re.Match[str]]:
    for mark in _MARK.finditer(text):
        around = text[mark.start() - 1 : mark.start()], text[mark.end() : mark.end() + 1]
        if around not in _QUOTED:
            yield mark


def _channels(text: str) -> Written:
    """gpt-oss: the channel `final` is the message; text outside channels is not."""
    said: list[str] = []
    thoughts: list[str] = []
    place = 0
    for channel in _CHANNEL.finditer(text):
        if channel.start() < place:
            continue
        thoughts.append(text[place : channel.start()])
        start = channel.end()
        if text.startswith(_BODY, start):
            start += len(_BODY)
        end = _CHANNEL_END.search(text, start)
        place = end.start() if end else len(text)
        (said if channel[1].lower() == "final" else thoughts).append(text[start:place])
    return _written(said, [*thoughts, text[place:]])


def _written(said: list[str], thoughts: list[str]) -> Written:
    return Written(*("\n\n".join(_bare(parts)) for parts in (said, thoughts)))


def _bare(parts: list[str]) -> list[str]:
    stripped = (_WRAPPERS.sub("", part).strip() for part in parts)
    return [part for part in stripped if part and not _EMPTY_TURN.fullmatch(part)]


_EMPTY_TURN = re.compile(r"(?:<\|start\|>)?(?:assistant)?")
