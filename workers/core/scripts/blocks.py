"""The blocks of a script, and what each means.

This file uses the standard library alone. It is the module `workflow` of a script in the sandbox
and of an exported script, and it plays teams that are data in the studio.

What a block does is a generator. It yields a `Call` and is sent the message, or yields `Together`
and is sent the messages of its parts. `Playing` drives it and answers nothing itself: the studio
does, or the sandbox's channel, or the export's client.

Rules that hold for every block:
- An agent reads the question and the messages of its call, never anything else. So those who are to
  go on from what they said read it as well.
- A message of an agent that failed is unusable. It is read by nobody and counts in no vote. A block
  whose agents all failed leaves an unusable message.
- `rounds` says how often at most something is done again after the first answers.
- What a block is asked for (a verdict, a route) is asked of the parts whose message it leaves.
"""

import math
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from types import FrameType
from typing import ClassVar, Literal, TypeVar

NAMES = (
    *("agent", "ensemble", "reflection", "debate", "router"),
    *("sequence", "conditional", "loop", "graph", "deliver", "question"),
)
"""What a script may import from `workflow`."""
__all__ = NAMES  # noqa: PLE0605 - what “import *” gives
WAYS = ("majority", "weighted", "consensus", "judge")
MOST_AGENTS = 64
"""Agents in one block, each counted as often as it stands there."""
MOST_DEPTH = 12
MOST_ROUNDS = 10
MOST_PASSES = 20
MOST_TURNS = 32
NAME_CHARS = 80
PROMPT_CHARS = 8_000

Kind = Literal["answer", "verdict", "route"]
Same = Callable[[Sequence[str]], list[list[int]]]
"""The positions of answers that are equal, in the order of the answers."""


class BlockError(ValueError):
    """A block that can't be: the sentence says what is wrong and what to write."""


@dataclass(frozen=True)
class Message:
    """What was said. `answer`: what was read as its answer. `number`: the call that it replies to;
    0: the script wrote it. An unusable message is that of an agent that failed."""

    name: str
    text: str
    answer: str | None = None
    usable: bool = True
    number: int = 0

    def __str__(self) -> str:
        return self.text

    def __hash__(self) -> int:
        """So a set of messages has the same order each time."""
        return self.number


UNUSABLE = Message("", "", usable=False)


@dataclass(frozen=True)
class Wanted:
    """What the reply is to say. `choices`: the labels of a route."""

    kind: Kind = "answer"
    choices: tuple[str, ...] = ()

    @property
    def instruction(self) -> str:
        if self.kind == "verdict":
            return (
                "Check the work above. End with one line: `Verdict: correct` or "
                "`Verdict: incorrect`."
            )
        if self.kind == "route":
            return f"End with one line `Route: LABEL`. The labels: {', '.join(self.choices)}."
        return ""


ANSWER = Wanted()
VERDICT = Wanted("verdict")


@dataclass(frozen=True)
class Call:
    """One agent is to speak. `reads`: the messages it reads beside the question. `lines`: where the
    script asks, then those of the blocks around the agent, from outside in. `place`: which call of
    the script's this is part of, then the step of each part it is in, and its number beside the
    others of this step. It is the same however fast other agents are."""

    agent: "Agent"
    reads: tuple[Message, ...] = ()
    wanted: Wanted = ANSWER
    lines: tuple[int, ...] = ()
    place: tuple[int, ...] = ()

    @property
    def asks(self) -> str:
        """An instruction for this call alone; empty: an answer is wanted."""
        return self.wanted.instruction


@dataclass(frozen=True)
class Together:
    """Parts that are played side by side; the result is the list of their messages. `after`: for
    each part those that must have ended before it starts; empty: all start at once."""

    plays: "Sequence[Play]"
    after: Sequence[Sequence[int]] = ()


Play = Generator[Call | Together, "Message | list[Message]", Message]


def alike(answers: Sequence[str]) -> list[list[int]]:
    """Equal texts, capitals aside, or equal numbers."""
    groups: dict[object, list[int]] = {}
    for place, answer in enumerate(answers):
        groups.setdefault(_comparable(answer), []).append(place)
    return list(groups.values())


def _comparable(answer: str) -> object:
    text = " ".join(answer.split()).casefold().rstrip(".")
    try:
        number = float(text.replace(",", "").lstrip("$"))
    except ValueError:
        return text
    return number if math.isfinite(number) else text


@dataclass(frozen=True)
class Given:
    """What a play is given: the messages that it reads, the lines around it, what it is asked for,
    and who says which answers are equal. `question` is for tests that are functions."""

    reads: tuple[Message, ...] = ()
    lines: tuple[int, ...] = ()
    wanted: Wanted = ANSWER
    same: Same = alike
    question: str = ""

    def reading(self, *messages: Message, wanted: Wanted | None = None) -> "Given":
        """The same with these messages beside those it read."""
        return self.only(*self.reads, *messages, wanted=wanted)

    def only(self, *messages: Message, wanted: Wanted | None = None) -> "Given":
        """The same with these messages alone. None is read twice."""
        heard: dict[object, Message] = {}
        for message in messages:
            if message.usable:
                heard.setdefault(message.number or message, message)
        return replace(self, reads=tuple(heard.values()), wanted=wanted or self.wanted)

    def inside(self, block: "Block") -> "Given":
        return replace(self, lines=(*self.lines, block.line))

    @property
    def equal(self) -> Same:
        """Who says which answers are equal. Verdicts and labels are words."""
        return self.same if self.wanted.kind == "answer" else alike

    @property
    def last(self) -> Message:
        return self.reads[-1] if self.reads else Message("question", self.question)


@dataclass(frozen=True, eq=False)
class Block:
    """A part of a team, or the team. Blocks are equal only to themselves. `line`: where the script
    makes it. `number`: how many blocks were made before it."""

    kind: ClassVar[str]
    line: int = field(kw_only=True)
    number: int = field(init=False, repr=False, default_factory=count().__next__, kw_only=True)

    def __hash__(self) -> int:
        """So a set of blocks has the same order each time."""
        return self.number

    @property
    def parts(self) -> "tuple[Block, ...]":
        """The blocks directly inside, in the order of the arguments."""
        return ()

    @property
    def is_data(self) -> bool:
        """Whether no function of the script is in it."""
        return all(part.is_data for part in self.parts)

    def play(self, given: Given) -> Play:
        raise NotImplementedError

    def __call__(self, *messages: "Message | str | Sequence[Message | str]") -> Message:
        """Ask it. Its agents read the question and these messages."""
        return _staged().asked(self, _messages(messages), _line())


Test = Block | Callable[[Message], object]
B = TypeVar("B", bound=Block)


@dataclass(frozen=True, eq=False)
class Agent(Block):
    """`place`: how many agents the same line had made before it."""

    kind: ClassVar[str] = "agent"
    name: str
    prompt: str
    tools: tuple[str, ...] = ()
    temperature: float = 0.0
    turns: int | None = None
    place: int = field(default=0, kw_only=True)

    def play(self, given: Given) -> Play:
        said = yield from _one(Call(self, given.reads, given.wanted, given.lines))
        if given.wanted.kind == "verdict":
            return replace(said, answer="correct" if verdict(said.text) else "incorrect")
        if given.wanted.kind == "route":
            return replace(said, answer=route(said.text, given.wanted.choices))
        return said


@dataclass(frozen=True, eq=False)
class Ensemble(Block):
    kind: ClassVar[str] = "ensemble"
    members: tuple[Block, ...]
    by: str = "majority"
    weights: tuple[float, ...] | None = None
    judge: Block | None = None
    rounds: int = 2

    @property
    def parts(self) -> tuple[Block, ...]:
        return (*self.members, *_there(self.judge))

    def play(self, given: Given) -> Play:
        given = given.inside(self)
        said = yield from _all(self.members, given)
        if self.by == "consensus":
            for _ in range(self.rounds):
                if _agreed(said, given.equal):
                    break
                said = yield from _again(self.members, said, given)
        return (yield from _picked(said, given, self.judge, self.weights))


@dataclass(frozen=True, eq=False)
class Reflection(Block):
    kind: ClassVar[str] = "reflection"
    worker: Block
    critic: Block
    rounds: int = 2

    @property
    def parts(self) -> tuple[Block, ...]:
        return (self.worker, self.critic)

    def play(self, given: Given) -> Play:
        given = given.inside(self)
        said = yield from self.worker.play(given)
        for _ in range(self.rounds if said.usable else 0):
            judged = yield from self.critic.play(given.reading(said, wanted=VERDICT))
            if not judged.usable or judged.answer == "correct":
                break
            revised = yield from self.worker.play(given.reading(said, judged))
            if not revised.usable:
                break
            said = revised
        return said


@dataclass(frozen=True, eq=False)
class Debate(Block):
    kind: ClassVar[str] = "debate"
    debaters: tuple[Block, ...]
    judge: Block | None = None
    rounds: int = 2

    @property
    def parts(self) -> tuple[Block, ...]:
        return (*self.debaters, *_there(self.judge))

    def play(self, given: Given) -> Play:
        given = given.inside(self)
        said = yield from _all(self.debaters, given)
        for _ in range(self.rounds):
            said = yield from _again(self.debaters, said, given)
        return (yield from _picked(said, given, self.judge))


@dataclass(frozen=True, eq=False)
class Router(Block):
    kind: ClassVar[str] = "router"
    by: Block
    routes: Mapping[str, Block]
    otherwise: Block | None = None

    @property
    def parts(self) -> tuple[Block, ...]:
        return (self.by, *self.routes.values(), *_there(self.otherwise))

    def play(self, given: Given) -> Play:
        given = given.inside(self)
        wanted = Wanted("route", tuple(self.routes))
        said = yield from self.by.play(given.only(*given.reads, wanted=wanted))
        chosen = self.routes.get(said.answer or "") if said.usable else None
        chosen = chosen or self.otherwise or next(iter(self.routes.values()))
        return (yield from chosen.play(given))


@dataclass(frozen=True, eq=False)
class Steps(Block):
    """A sequence."""

    kind: ClassVar[str] = "sequence"
    blocks: tuple[Block, ...]

    @property
    def parts(self) -> tuple[Block, ...]:
        return self.blocks

    def play(self, given: Given) -> Play:
        given = given.inside(self)
        said, reads = UNUSABLE, given.reads
        for number, block in enumerate(self.blocks, 1):
            wanted = given.wanted if number == len(self.blocks) else ANSWER
            next_said = yield from block.play(given.only(*reads, wanted=wanted))
            if next_said.usable:
                said, reads = next_said, (next_said,)
        return said


@dataclass(frozen=True, eq=False)
class Conditional(Block):
    kind: ClassVar[str] = "conditional"
    test: Test
    then: Block
    otherwise: Block | None = None

    @property
    def parts(self) -> tuple[Block, ...]:
        return (*_tested(self.test), self.then, *_there(self.otherwise))

    @property
    def is_data(self) -> bool:
        return isinstance(self.test, Block) and super().is_data

    def play(self, given: Given) -> Play:
        given = given.inside(self)
        holds, why = yield from _holds(self.test, given)
        chosen = self.then if holds else self.otherwise
        if chosen is None:
            return given.reads[-1] if given.reads else UNUSABLE
        return (yield from chosen.play(given.reading(*why)))


@dataclass(frozen=True, eq=False)
class Loop(Block):
    kind: ClassVar[str] = "loop"
    body: Block
    until: Test
    most: int = 3

    @property
    def parts(self) -> tuple[Block, ...]:
        return (self.body, *_tested(self.until))

    @property
    def is_data(self) -> bool:
        return isinstance(self.until, Block) and super().is_data

    def play(self, given: Given) -> Play:
        given = given.inside(self)
        said = yield from self.body.play(given)
        for _ in range(self.most - 1 if said.usable else 0):
            holds, why = yield from _holds(self.until, given.reading(said))
            if holds:
                break
            again = yield from self.body.play(given.reading(said, *why))
            if not again.usable:
                break
            said = again
        return said


@dataclass(frozen=True, eq=False)
class Graph(Block):
    """`output`: the node whose message the graph leaves."""

    kind: ClassVar[str] = "graph"
    nodes: Mapping[str, Block]
    edges: tuple[tuple[str, str], ...]
    output: str

    @property
    def parts(self) -> tuple[Block, ...]:
        return tuple(self.nodes.values())

    def play(self, given: Given) -> Play:
        given, said = given.inside(self), dict[str, Message]()
        names, edges = list(self.nodes), set(self.edges)
        before = {name: [a for a in names if (a, name) in edges] for name in names}

        def node(name: str) -> Play:
            heard = [said[source] for source in before[name] if said[source].usable]
            wanted = given.wanted if name == self.output else ANSWER
            reads = heard or given.reads
            said[name] = yield from self.nodes[name].play(given.only(*reads, wanted=wanted))
            return said[name]

        after = [[names.index(source) for source in before[name]] for name in names]
        yield Together([node(name) for name in names], after)
        return said[self.output]


# What the blocks share.


def _one(call: Call) -> Generator[Call | Together, "Message | list[Message]", Message]:
    said = yield call
    return said if isinstance(said, Message) else UNUSABLE


def _all(
    blocks: Sequence[Block], given: Given
) -> Generator[Call | Together, "Message | list[Message]", list[Message]]:
    said = yield Together([block.play(given) for block in blocks])
    return said if isinstance(said, list) else [said]


def _again(
    blocks: Sequence[Block], said: list[Message], given: Given
) -> Generator[Call | Together, "Message | list[Message]", list[Message]]:
    """They read each other. What one said before stands if it fails now."""
    if not any(message.usable for message in said):
        return said
    now = yield from _all(blocks, given.reading(*said))
    return [new if new.usable else old for old, new in zip(said, now, strict=True)]


def _picked(
    said: Sequence[Message],
    given: Given,
    judge: Block | None = None,
    weights: Sequence[float] | None = None,
) -> Play:
    usable = [message for message in said if message.usable]
    if judge is not None and usable:
        judged = yield from judge.play(given.reading(*usable))
        if judged.usable:
            return judged
    return _most(said, weights or [1.0] * len(said), given.equal)


def _most(said: Sequence[Message], weights: Sequence[float], same: Same) -> Message:
    """The first message with the answer that weighs most; of equals the one given first."""
    votes = [
        (message, message.answer, weight)
        for message, weight in zip(said, weights, strict=True)
        if message.usable and message.answer is not None
    ]
    if not votes:
        return next((message for message in said if message.usable), UNUSABLE)
    groups = same([answer for _, answer, _ in votes])
    best = max(groups, key=lambda group: (_sum(votes[place][2] for place in group), -min(group)))
    return votes[min(best)][0]


def _sum(weights: Iterable[float]) -> float:
    """0.1 + 0.2 is as much as 0.3."""
    return float(f"{sum(weights):.12g}")


def _agreed(said: Sequence[Message], same: Same) -> bool:
    """Whether all who spoke gave the same answer."""
    usable = [message for message in said if message.usable]
    answers = [message.answer for message in usable if message.answer is not None]
    return not usable or (len(answers) == len(usable) and len(same(answers)) == 1)


def _holds(
    test: Test, given: Given
) -> Generator[Call | Together, "Message | list[Message]", tuple[bool, tuple[Message, ...]]]:
    """Whether it holds, and the message that says why."""
    if not isinstance(test, Block):
        return bool(test(given.last)), ()
    said = yield from test.play(given.only(*given.reads, wanted=VERDICT))
    return said.usable and said.answer == "correct", (said,)


def _there(block: Block | None) -> tuple[Block, ...]:
    return () if block is None else (block,)


def _tested(test: Test) -> tuple[Block, ...]:
    return (test,) if isinstance(test, Block) else ()


_MARKUP = re.compile(r"[*_`#>\"'“”‘’()\[\]{}.!]|\\boxed|\\text")
_VERDICT = re.compile(r"(?:[^:]*\W)?verdict\s*(?::|[—–]|-+(?=\s|$))(.*)", re.I)


def verdict(text: str) -> bool:
    """Whether the first word after the last `Verdict:` is correct; a dash is as good as the colon.
    Where nothing follows in its line, the first word of the next one counts. No such line means
    incorrect, and so does a line that offers both words (“correct or incorrect”)."""
    lines = [line for line in _MARKUP.sub(" ", text).splitlines() if line.strip()]
    marked = [_VERDICT.match(line.strip()) for line in lines]
    place = max((place for place, found in enumerate(marked) if found), default=None)
    found = None if place is None else marked[place]
    if place is None or found is None:
        return False
    said = found[1] if found[1].strip() else "".join(lines[place + 1 : place + 2])
    words: list[str] = re.findall(r"\w[\w-]*", said.casefold())
    return words[:1] == ["correct"] and "incorrect" not in words


def route(text: str, labels: Sequence[str]) -> str | None:
    """The label of the last line `Route: LABEL`, else the one label that occurs as a word of its
    own; None if there is none, or several."""
    line = _last_line(text, "route")
    for label in labels:
        if _plain(label) == _plain(line):
            return label
    return _only_one(line, labels) or _only_one(text, labels)


def _only_one(text: str, labels: Sequence[str]) -> str | None:
    plain = _plain(text)
    found = [
        label
        for label in labels
        if re.search(rf"(?<!\w){re.escape(_plain(label))}(?!\w)", plain) is not None
    ]
    # “advanced math” names “math” as well, but means the longer label
    whole = [a for a in found if not any(a != b and _plain(a) in _plain(b) for b in found)]
    return whole[0] if len(whole) == 1 else None


def _last_line(text: str, word: str) -> str:
    """What follows the colon in the last line that begins with this word."""
    for line in reversed(text.splitlines()):
        head, colon, tail = _MARKUP.sub(" ", line).partition(":")
        if colon and head.casefold().split()[-1:] == [word]:
            return tail.strip()
    return ""


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).casefold().split())


# Constructors: what a script calls. `line` is found where it is not given.


def agent(
    name: str,
    prompt: str,
    tools: Sequence[str] = (),
    temperature: float = 0.0,
    turns: int | None = None,
    *,
    line: int | None = None,
    place: int | None = None,
) -> Agent:
    """One agent, that speaks once when it is asked. `prompt` tells it its part. `tools`: ids of
    tools that it may use. `turns`: how often at most it may use them."""
    line = line or _line()
    _text(name, "The name of an agent", NAME_CHARS)
    _visible(name, "The name of an agent")
    _text(prompt, f"The prompt of {name!r}", PROMPT_CHARS)
    if isinstance(tools, str) or not isinstance(tools, Sequence):
        raise BlockError(f'tools of {name!r} is a list, such as ["python"].')
    for tool in tools:
        _text(tool, f"A tool of {name!r}", NAME_CHARS)
    heat = _number(temperature, f"temperature of {name!r}", 0.0, 2.0)
    if turns is not None:
        _whole(turns, f"turns of {name!r}", 1, MOST_TURNS)
    if place is None:
        place = _stage.places(line) if _stage else 0
    return Agent(name, prompt, tuple(dict.fromkeys(tools)), heat, turns, line=line, place=place)


def ensemble(
    members: Sequence[Block],
    by: str = "majority",
    weights: Sequence[float] | None = None,
    judge: Block | None = None,
    rounds: int = 2,
    *,
    line: int | None = None,
) -> Ensemble:
    """All members answer side by side, then one message is picked.

    - `majority`: the answer given most often; of equals the one given first. Messages without an
      answer are left out. The first message with that answer is the ensemble's. If there is no
      answer at all, it is the first usable message.
    - `weighted`: the same, and each member's answer counts its weight.
    - `consensus`: if all gave the same answer, that is it. Else each reads all of them, its own as
      well, and answers again, at most `rounds` times; then by majority.
    - `judge`: the judge reads all of them, and its message is the ensemble's. If it fails:
      majority.
    """
    line = line or _line()
    if isinstance(members, Block):
        raise BlockError("The members of an ensemble are one list: ensemble([a, b]).")
    found = _blocks(members, "An ensemble")
    if by not in WAYS:
        told = repr(by) if isinstance(by, str) else _kind(by)
        raise BlockError(f"by is one of {', '.join(WAYS)}, not {told}.")
    if (judge is not None) != (by == "judge"):
        raise BlockError('An ensemble has a judge if by="judge", and only then.')
    if (weights is not None) != (by == "weighted"):
        raise BlockError('An ensemble has weights if by="weighted", and only then.')
    if judge is not None:
        _block(judge, "The judge")
    heavy = None if weights is None else _weights(weights, len(found))
    _whole(rounds, "rounds", 0, MOST_ROUNDS)
    return _sized(Ensemble(found, by, heavy, judge, rounds, line=line))


def reflection(
    worker: Block, critic: Block, rounds: int = 2, *, line: int | None = None
) -> Reflection:
    """The worker answers. The critic reads that and ends with a line `Verdict: correct` or
    `Verdict: incorrect`. If it is correct, or the critic fails, the worker's message stands. Else
    the worker reads its message and the critic's and answers again. At most `rounds` critiques."""
    line = line or _line()
    _block(worker, "The worker")
    _block(critic, "The critic")
    _whole(rounds, "rounds", 0, MOST_ROUNDS)
    return _sized(Reflection(worker, critic, rounds, line=line))


def debate(
    debaters: Sequence[Block],
    judge: Block | None = None,
    rounds: int = 2,
    *,
    line: int | None = None,
) -> Debate:
    """All answer side by side. Then, `rounds` times, each reads what all said last, its own as
    well, and answers again. What one said stands if it fails later. In the end the judge reads what
    all said last; without a judge, or if it fails, the majority counts as in an ensemble."""
    line = line or _line()
    if isinstance(debaters, Block):
        raise BlockError("The debaters are one list: debate([a, b]).")
    found = _blocks(debaters, "A debate")
    if judge is not None:
        _block(judge, "The judge")
    _whole(rounds, "rounds", 0, MOST_ROUNDS)
    return _sized(Debate(found, judge, rounds, line=line))


def router(
    by: Block,
    routes: Mapping[str, Block],
    otherwise: Block | None = None,
    *,
    line: int | None = None,
) -> Router:
    """`by` ends with a line `Route: LABEL`, and the block of this route answers. Without such a
    line, a label counts that occurs alone in the message, as a word. Else `otherwise` answers, else
    the first route. The route reads what `by` read, but not what `by` said."""
    line = line or _line()
    _block(by, "by of a router")
    found = _named(routes, "routes", "A route")
    plain = Counter(_plain(label) for label in found)
    if twice := [label for label in found if not _plain(label) or plain[_plain(label)] > 1]:
        raise BlockError(f"The routes {', '.join(map(repr, twice))} can't be told apart.")
    if otherwise is not None:
        _block(otherwise, "otherwise")
    return _sized(Router(by, found, otherwise, line=line))


def sequence(*blocks: Block, line: int | None = None) -> Steps:
    """The blocks answer one after the other. The first reads what the sequence reads; each other
    one the message before it alone. A block that fails is passed over."""
    line = line or _line()
    if len(blocks) == 1 and isinstance(blocks[0], list | tuple):
        raise BlockError("sequence takes the blocks themselves: sequence(a, b) or sequence(*list).")
    return _sized(Steps(_blocks(blocks, "A sequence"), line=line))


def conditional(
    test: Test, then: Block, otherwise: Block | None = None, *, line: int | None = None
) -> Conditional:
    """If the test holds `then` answers, else `otherwise`; without it the message before stays. A
    function is called with the message before (without one: with the question as a message). A
    block is asked for a verdict, and who answers then reads it as well."""
    line = line or _line()
    _test(test, "The test of a conditional")
    _block(then, "then")
    if otherwise is not None:
        _block(otherwise, "otherwise")
    return _sized(Conditional(test, then, otherwise, line=line))


def loop(body: Block, until: Test, most: int = 3, *, line: int | None = None) -> Loop:
    """The body answers, at most `most` times. After each time but the last, `until` is tried on its
    message: a function is called with it, a block is asked for a verdict. While it does not hold,
    the body reads its message, and what the block said, and answers again."""
    line = line or _line()
    _block(body, "The body of a loop")
    _test(until, "until of a loop")
    _whole(most, "most", 1, MOST_PASSES)
    return _sized(Loop(body, until, most, line=line))


def graph(
    nodes: Mapping[str, Block],
    edges: Sequence[tuple[str, str]] = (),
    output: str | None = None,
    *,
    line: int | None = None,
) -> Graph:
    """Each block answers as soon as all that point to it have, and reads their messages; a block to
    which none points reads what the graph reads, and so does one whose sources all failed. The
    message of `output` is the graph's; it may be left out if only one block points to no other."""
    line = line or _line()
    found = _named(nodes, "The first argument of graph", "A node")
    if len(_listed(edges, "edges")) > MOST_AGENTS**2:
        raise BlockError(f"The graph has {len(edges):,} edges. At most {MOST_AGENTS**2:,} may be.")
    pairs = tuple(_edge(edge, found) for edge in edges)
    _no_circle(found, pairs)
    last = [name for name in found if all(source != name for source, _ in pairs)]
    if output is None and len(last) > 1:
        raise BlockError(f"Several blocks are last: {', '.join(last)}. Name one as output.")
    if output is not None and output not in found:
        raise BlockError(f"output {output!r} is no node of the graph.")
    return _sized(Graph(found, tuple(dict.fromkeys(pairs)), output or last[0], line=line))


def deliver(said: "Block | Message | str") -> None:
    """End the script. A block is asked with the question alone; its message, this message or this
    text is the answer."""
    stage, line = _staged(), _line()
    if isinstance(said, Block):
        said = stage.asked(said, (), line)
    if not isinstance(said, Message | str):
        raise BlockError(
            f"deliver takes a block, a message or a text, not {_kind(said)}. A number: str(x)."
        )
    stage.delivered(said if isinstance(said, Message) else Message("", said))
    raise Delivered


# Checks of arguments.


def _kind(value: object) -> str:
    return type(value).__name__


def _text(value: object, what: str, most: int) -> None:
    if not isinstance(value, str):
        raise BlockError(f"{what} is a text, not {_kind(value)}.")
    if not value.strip():
        raise BlockError(f"{what} is empty.")
    if len(value) > most:
        raise BlockError(f"{what} has {len(value):,} characters. At most {most:,} are allowed.")


_INVISIBLE = {"Cc", "Cf", "Co", "Cs"}
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that are drawn as nothing."""


def _visible(text: str, what: str) -> None:
    """Characters that can't be seen, or that turn the text around, would show another name."""
    for character in text:
        if unicodedata.category(character) in _INVISIBLE or character in _BLANK:
            raise BlockError(
                f"{what} has the invisible character U+{ord(character):04X}. Leave it out."
            )


def _whole(value: object, what: str, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BlockError(f"{what} is a whole number, not {_kind(value)}.")
    if not least <= value <= most:
        raise BlockError(f"{what} is from {least} to {most}.")


def _number(value: object, what: str, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BlockError(f"{what} is a number, not {_kind(value)}.")
    if not least <= value <= most:
        raise BlockError(f"{what} is from {least:g} to {most:g}.")
    return float(value)


def _weights(weights: object, count: int) -> tuple[float, ...]:
    found = tuple(_number(weight, "A weight", 0.0, 1e6) for weight in _listed(weights, "weights"))
    if len(found) != count:
        raise BlockError(f"There are {len(found)} weights for {count} members. Give one for each.")
    if not any(found):
        raise BlockError("All weights are 0. At least one must be larger.")
    return found


def _listed(value: object, what: str) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise BlockError(f"{what} is a list, not {_kind(value)}.")
    return value


def _block(value: object, what: str) -> Block:
    if not isinstance(value, Block):
        made = ": it has been asked already. Leave out the brackets" * isinstance(value, Message)
        raise BlockError(f"{what} is a block, not {_kind(value)}{made}.")
    return value


def _blocks(value: object, what: str) -> tuple[Block, ...]:
    found = _listed(value, f"What {what[0].lower()}{what[1:]} has")
    if not found:
        raise BlockError(f"{what} needs at least one block.")
    if len(found) > MOST_AGENTS:
        raise BlockError(f"{what} has {len(found):,} blocks. At most {MOST_AGENTS} are allowed.")
    return tuple(_block(block, "Each member") for block in found)


def _named(value: object, what: str, each: str) -> dict[str, Block]:
    if not isinstance(value, Mapping):
        raise BlockError(f'{what} is a dict, such as {{"name": block}}, not {_kind(value)}.')
    if not value:
        raise BlockError(f"{what} has no block. Give at least one.")
    for name, block in value.items():
        _text(name, f"{each}'s name", NAME_CHARS)
        _block(block, f"{each}")
    return dict(value)


def _test(value: object, what: str) -> None:
    if not isinstance(value, Block) and not callable(value):
        raise BlockError(f"{what} is a block or a function of the message, not {_kind(value)}.")


def _edge(edge: object, nodes: Mapping[str, Block]) -> tuple[str, str]:
    ends = _listed(edge, "An edge")
    if len(ends) != 2:
        raise BlockError('An edge is a pair of names, such as ("a", "b").')
    for end in ends:
        if not isinstance(end, str) or end not in nodes:
            raise BlockError(f"The edge {edge!r} names {end!r}, which is no node of the graph.")
    return str(ends[0]), str(ends[1])


def _no_circle(nodes: Mapping[str, Block], edges: Sequence[tuple[str, str]]) -> None:
    before: dict[str, set[str]] = {name: set() for name in nodes}
    for source, target in edges:
        before[target].add(source)
    left = dict.fromkeys(nodes)
    while free := [name for name in left if not before[name] & left.keys()]:
        left = {name: None for name in left if name not in free}
    if left:
        raise BlockError(f"The edges make a circle: {', '.join(left)}. Take one out, or use loop.")


def size(block: Block) -> tuple[int, int]:
    """How many agents it holds, each counted as often as it stands there, and how deep it is."""
    kept: dict[Block, tuple[int, int]] = {}

    def found(each: Block) -> tuple[int, int]:
        if each not in kept:
            inner = [found(part) for part in each.parts]
            agents = sum(count for count, _ in inner) or 1
            kept[each] = (agents, 1 + max((depth for _, depth in inner), default=0))
        return kept[each]

    return found(block)


def _sized(block: B) -> B:
    agents, depth = size(block)
    if agents > MOST_AGENTS:
        raise BlockError(
            f"The {block.kind} has {agents:,} agents. At most {MOST_AGENTS} may be in one block."
        )
    if depth > MOST_DEPTH:
        raise BlockError(f"The blocks are {depth} deep. At most {MOST_DEPTH} may be in each other.")
    return block


# Who answers: the place where a script is played.


class Delivered(BaseException):
    """Ends the script after `deliver`."""


class Stage:
    """Where blocks are asked. It says what agents reply, and takes what is delivered.

    A test that is a function may ask a block while another block is asked. The calls of all blocks
    share their numbers. A reply for an outer block is kept until the inner one has its message."""

    question: str = ""
    same: Same = staticmethod(alike)

    def __init__(self) -> None:
        self._made: Counter[int] = Counter()
        self._asks = 0
        self._calls = Calls()
        self._kept: dict[int, Message] = {}

    def places(self, line: int) -> int:
        self._made[line] += 1
        return self._made[line] - 1

    def asked(self, block: Block, reads: tuple[Message, ...], line: int) -> Message:
        playing = Playing(
            *(block, reads, (line,)),
            same=self.same,
            question=self.question,
            calls=self._calls,
            place=self._place(),
        )
        while playing.result is None:
            number = next((each for each in self._kept if playing.waits(each)), None)
            if number is None:
                self._kept |= self.replies(self._unanswered())
            else:
                playing.answer(number, self._kept.pop(number))
        return playing.result

    def _place(self) -> tuple[int, ...]:
        """Where this ask stands: in the part whose test asks, else in the script. How fast agents
        are decides which test runs first, so a count of all asks would not do."""
        if self._calls.running is not None:
            return self._calls.running.step()
        self._asks += 1
        return (self._asks,)

    def _unanswered(self) -> dict[int, Call]:
        waiting = self._calls.waiting.items()
        return {number: call for number, call in waiting if number not in self._kept}

    def replies(self, waiting: Mapping[int, Call]) -> Mapping[int, Message]:
        """What the agents of at least one of these calls said, by number."""
        raise NotImplementedError

    def delivered(self, message: Message) -> None:
        raise NotImplementedError


_stage: Stage | None = None
question = ""


def enter(stage: Stage) -> None:
    """From now on, blocks are asked there."""
    global _stage, question
    _stage, question = stage, stage.question


def _staged() -> Stage:
    if _stage is None:
        raise BlockError("Blocks can be asked only while a script is played.")
    return _stage


def _messages(given: Sequence[object]) -> tuple[Message, ...]:
    found: list[Message] = []
    for each in given:
        if isinstance(each, Message):
            found.append(each)
        elif isinstance(each, str):
            # every agent reads the question anyway
            found += [Message("", each)] * (each != question)
        elif isinstance(each, list | tuple):
            found += _messages(each)
        else:
            raise BlockError(f"A block reads messages and texts, not {_kind(each)}.")
    return tuple(message for message in found if message.usable)


_HERE = enter.__code__.co_filename


def _line() -> int:
    """The line of the nearest code outside this file."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == _HERE:
        frame = frame.f_back
    return frame.f_lineno if frame else 1


class _Part:
    """A generator that is being played, and where its result goes. `path`: the place of its calls,
    but for the step that it is at."""

    def __init__(
        self, play: Play, above: "_Group | None", place: int, path: tuple[int, ...]
    ) -> None:
        self.play, self.above, self.place = play, above, place
        self._path, self._steps = path, 0

    def step(self) -> tuple[int, ...]:
        """The place of its next step."""
        self._steps += 1
        return (*self._path, self._steps)


class Calls:
    """Those of one script, or of one team. Their numbers count from 1 in the order in which they
    came up. `waiting`: those that are not answered. `running`: the part that goes on now."""

    def __init__(self) -> None:
        self.last = 0
        self.waiting: dict[int, Call] = {}
        self.running: _Part | None = None

    def add(self, call: Call) -> int:
        self.last += 1
        self.waiting[self.last] = call
        return self.last


class _Group:
    """The parts of a `Together`, and who waits for them."""

    def __init__(self, together: Together, waits: _Part) -> None:
        self.waits, path = waits, waits.step()
        self.parts = [
            _Part(play, self, place, (*path, place + 1))
            for place, play in enumerate(together.plays)
        ]
        self.results: dict[int, Message] = {}
        self._after = [set(before) for before in together.after] or [set() for _ in self.parts]
        self._started: set[int] = set()

    def ready(self) -> list[_Part]:
        """Those that may start now, in their order. Each is given once."""
        found = [
            part
            for part in self.parts
            if part.place not in self._started and self._after[part.place] <= self.results.keys()
        ]
        self._started |= {part.place for part in found}
        return found


class Playing:
    """One block on one input: the calls that wait, and in the end its message.

    The same answers in the same order give its calls the same numbers, and the same answers in any
    order the same places. `calls`: where they are counted. `place`: what the places of its calls
    begin with. What can run side by side waits at the same time."""

    def __init__(
        self,
        block: Block,
        reads: tuple[Message, ...] = (),
        lines: tuple[int, ...] = (),
        *,
        same: Same = alike,
        question: str = "",
        calls: Calls | None = None,
        place: tuple[int, ...] = (1,),
    ) -> None:
        self.result: Message | None = None
        self._calls = calls or Calls()
        self._parts: dict[int, _Part] = {}
        """By call that waits, the part that made it."""
        given = Given((), lines, ANSWER, same, question).only(*reads)
        self._go_on(_Part(block.play(given), None, 0, place), None)

    @property
    def calls(self) -> int:
        """The number of the last call so far."""
        return self._calls.last

    def waiting(self) -> dict[int, Call]:
        """The calls that are not answered yet, by number."""
        return {number: self._calls.waiting[number] for number in self._parts}

    def waits(self, number: int) -> bool:
        return number in self._parts

    def answer(self, number: int, message: Message) -> None:
        """Go on as far as it can. Raises KeyError if no such call waits."""
        part = self._parts.pop(number)
        del self._calls.waiting[number]
        self._go_on(part, replace(message, number=number))

    def _go_on(self, part: _Part, sent: Message | list[Message] | None) -> None:
        steps: list[tuple[_Part, Message | list[Message] | None]] = [(part, sent)]
        while steps:
            part, sent = steps.pop(0)
            try:
                step = self._step(part, sent)
            except StopIteration as end:
                steps += self._ended(part, end.value)
                continue
            if isinstance(step, Call):
                number = self._calls.add(replace(step, place=part.step()))
                self._parts[number] = part
            else:
                ready = _Group(step, part).ready()
                steps += [(each, None) for each in ready] or [(part, [])]

    def _step(self, part: _Part, sent: Message | list[Message] | None) -> Call | Together:
        outer, self._calls.running = self._calls.running, part
        try:
            return next(part.play) if sent is None else part.play.send(sent)
        finally:
            self._calls.running = outer

    def _ended(
        self, part: _Part, message: Message
    ) -> list[tuple[_Part, Message | list[Message] | None]]:
        group = part.above
        if group is None:
            self.result = message
            return []
        group.results[part.place] = message
        if len(group.results) == len(group.parts):
            return [(group.waits, [group.results[place] for place in range(len(group.parts))])]
        return [(each, None) for each in group.ready()]
