"""Teams as scripts, in the pieces that are the model's tokens."""

from bench.common.teams.model import (
    CLOSE,
    COMMA,
    CRITIC,
    DELIVER,
    EACH,
    ENSEMBLE,
    HEADER,
    MAJORITY,
    MEMBERS,
    REFLECTION,
    ROUNDS,
    SEQUENCE,
    SOLVER,
)
from bench.common.teams.teams import Agent, Chain, Ensemble, Reflection, Team


def script_of(team: Team) -> str:
    return f"{HEADER}{DELIVER}{_written(team)}{CLOSE}"


def _written(team: Team) -> str:
    match team:
        case Agent():
            return SOLVER
        case Ensemble(members):
            return f"{ENSEMBLE}{_members(members)}{MEMBERS}{MAJORITY}{CLOSE}"
        case Chain(parts):
            return f"{SEQUENCE}{COMMA.join(map(_written, parts))}{CLOSE}"
        case Reflection(worker, rounds):
            return f"{REFLECTION}{_written(worker)}{COMMA}{CRITIC}{ROUNDS}{rounds}{CLOSE}"


def _members(members: tuple[Team, ...]) -> str:
    if len(set(members)) == 1:
        return f"{_written(members[0])}{EACH}{len(members)}{CLOSE}"
    return COMMA.join(map(_written, members))
