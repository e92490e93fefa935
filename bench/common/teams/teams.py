"""Teams as data: what the designer's tokens can write, as far as it is enumerated."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class Agent:
    calls: int = 1
    """The most calls that it takes."""


@dataclass(frozen=True, slots=True)
class Ensemble:
    """The most frequent answer of its members."""

    members: tuple["Team", ...]

    @property
    def calls(self) -> int:
        return sum(member.calls for member in self.members)


@dataclass(frozen=True, slots=True)
class Chain:
    """`sequence` in the language: each part reads the delivery of the one before."""

    parts: tuple["Team", ...]

    @property
    def calls(self) -> int:
        return sum(part.calls for part in self.parts)


@dataclass(frozen=True, slots=True)
class Reflection:
    """The worker answers again until the critic, an agent, accepts it, at most `rounds` times."""

    worker: "Team"
    rounds: int

    @property
    def calls(self) -> int:
        return self.worker.calls * (self.rounds + 1) + self.rounds


Team = Agent | Ensemble | Chain | Reflection
MOST_MEMBERS, MOST_PARTS, MOST_ROUNDS = 7, 4, 3


def all_teams(most: int) -> list[Team]:
    """Teams of at most `most` calls: blocks of agents, and blocks of these once more. The members
    of an ensemble are alike, or at most three. A critic is one agent, since it tells the truth."""
    simple = [Agent(), *_blocks([Agent()], most)]
    return list(dict.fromkeys([*simple, *_blocks(simple, most)]))


def _blocks(of: Sequence[Team], most: int) -> Iterator[Team]:
    for team in of:
        for members in range(2, MOST_MEMBERS + 1):
            yield from _small(Ensemble((team,) * members), most)
        for parts in range(2, MOST_PARTS + 1):
            yield from _small(Chain((team,) * parts), most)
    for some in (2, 3):
        for unlike in product(of, repeat=some):
            yield from _small(Ensemble(unlike), most)
            yield from _small(Chain(unlike), most)
    for worker in of:
        for rounds in range(1, MOST_ROUNDS + 1):
            yield from _small(Reflection(worker, rounds), most)


def _small(team: Team, most: int) -> Iterator[Team]:
    if team.calls <= most:
        yield team


def shape(team: Team) -> str:
    """A short name, for people."""
    match team:
        case Agent():
            return "agent"
        case Ensemble(members) if len(set(members)) == 1:
            return f"ensemble({shape(members[0])} × {len(members)})"
        case Ensemble(members):
            return f"ensemble({', '.join(map(shape, members))})"
        case Chain(parts):
            return f"sequence({', '.join(map(shape, parts))})"
        case Reflection(worker, rounds):
            return f"reflection({shape(worker)}, {rounds} rounds)"
