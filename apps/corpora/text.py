"""A document's text: its passages for search, and its page. HTML in a text is text."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

PASSAGE_CHARS = 1_000
"""About the 256 tokens that the embedder reads."""
SECTIONS = ("h1", "h2")
MOST_WORDS = 4
"""Of a title that is linked where a text mentions it."""
LINKED_CHARS = 20_000
SHORTEST_LINKED = 4
WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")

Links = Callable[[set[str]], dict[str, str]]
"""Lower-case titles that a text may mention → addresses of those that there are."""


@dataclass(frozen=True, slots=True)
class Piece:
    heading: str
    text: str


@cache
def _parser(form: str) -> MarkdownIt:
    """Of Markdown with tables, or (`text`) of paragraphs alone."""
    if form == "text":
        return MarkdownIt("zero")
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("image", _words_of_image)
    return parser


def _words_of_image(
    _renderer: object, tokens: Sequence[Token], place: int, _options: object, _env: object
) -> str:
    """A page of the studio loads nothing from elsewhere."""
    return escapeHtml(tokens[place].content)


def pieces(text: str, form: str, *, lead: str = "") -> list[Piece]:
    """The text in passages of at most about `PASSAGE_CHARS`, each within one section: what stands
    below a heading of the first or second level. `lead` is the heading of what comes before."""
    found: list[Piece] = []
    for heading, line in _lines(_parser(form).parse(text), lead):
        for part in _parts(line):
            last = found[-1] if found else None
            if last and last.heading == heading and len(last.text) + len(part) < PASSAGE_CHARS:
                found[-1] = Piece(heading, f"{last.text}\n{part}")
            else:
                found.append(Piece(heading, part))
    return found


def _lines(tokens: list[Token], lead: str) -> Iterator[tuple[str, str]]:
    """(section, plain text) of each paragraph, list item, code block and table row. The first of
    them below a smaller heading begins with that heading."""
    section, smaller = lead, ""
    row: list[str] | None = None
    for place, token in enumerate(tokens):
        line = ""
        if token.type == "tr_open":
            row = []
        elif token.type == "tr_close" and row is not None:
            line, row = _row(row), None
        elif token.type in {"fence", "code_block"}:
            line = token.content.strip()
        elif token.type == "inline":
            plain = _plain(token)
            opened = tokens[place - 1]
            if opened.type == "heading_open" and opened.tag in SECTIONS:
                section, smaller = plain[:300], ""
            elif opened.type == "heading_open":
                smaller = plain
            elif row is not None:
                row.append(plain)
            else:
                line = plain
        if line:
            yield section, f"{smaller}: {line}" if smaller else line
            smaller = ""


def _row(cells: list[str]) -> str:
    cells = [cell for cell in cells if cell]
    return ": ".join(cells) if len(cells) == 2 else " | ".join(cells)


def _plain(token: Token) -> str:
    breaks = {"softbreak": " ", "hardbreak": "\n"}
    parts = (breaks.get(each.type, each.content) for each in token.children or ())
    return "".join(parts).strip()


def _parts(line: str) -> Iterator[str]:
    """The line, cut at ends of sentences or, if it must be, anywhere."""
    rest = ""
    for sentence in SENTENCE_END.split(line) if len(line) > PASSAGE_CHARS else [line]:
        if rest and len(rest) + len(sentence) > PASSAGE_CHARS:
            yield rest
            rest = ""
        rest = f"{rest} {sentence}" if rest else sentence
        while len(rest) > PASSAGE_CHARS:
            yield rest[:PASSAGE_CHARS]
            rest = rest[PASSAGE_CHARS:]
    if rest.strip():
        yield rest


def rendered(text: str, form: str, links: Links, *, level: int = 2) -> str:
    """HTML of the text. The first mention of each title that `links` knows leads to its page, but
    not in a heading. Headings begin at `level`."""
    parser = _parser(form)
    tokens = parser.parse(text)
    mentions = _Mentions(links(_mentioned(text[:LINKED_CHARS])))
    for before, token in pairwise([Token("", "", 0), *tokens]):
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + level - 1, 6)}"
        if token.type == "inline" and token.children and before.type != "heading_open":
            token.children = list(mentions.linked(token.children))
    html: str = parser.renderer.render(tokens, parser.options, {})
    return html


def _mentioned(text: str) -> set[str]:
    """Every run of one to four words, in lower case."""
    words = [found.span() for found in WORD.finditer(text)]
    found = set()
    for first, (begin, _) in enumerate(words):
        for _, end in words[first : first + MOST_WORDS]:
            phrase = text[begin:end]
            if len(phrase) >= SHORTEST_LINKED:
                found.add(phrase.lower())
    return found


class _Mentions:
    def __init__(self, addresses: dict[str, str]) -> None:
        self._addresses = addresses
        longest_first = sorted(addresses, key=len, reverse=True)
        names = "|".join(map(re.escape, longest_first))
        self._names = re.compile(rf"\b(?:{names})\b", re.IGNORECASE) if names else None

    def linked(self, tokens: list[Token]) -> Iterator[Token]:
        inside = 0
        for token in tokens:
            inside += token.nesting if token.type in {"link_open", "link_close"} else 0
            if token.type == "text" and not inside and self._names:
                yield from self._split(token.content, self._names)
            else:
                yield token

    def _split(self, text: str, names: re.Pattern[str]) -> Iterator[Token]:
        done = 0
        for found in names.finditer(text):
            address = self._addresses.pop(found[0].lower(), None)
            if address is None:
                continue
            yield _text(text[done : found.start()])
            yield Token("link_open", "a", 1, attrs={"href": address})
            yield _text(found[0])
            yield Token("link_close", "a", -1)
            done = found.end()
        yield _text(text[done:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
