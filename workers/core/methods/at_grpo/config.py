"""The settings of a run with AT-GRPO."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from workers.core.environments import code, games, math
from workers.core.environments.base import Order
from workers.core.environments.games import Proposes, Wording

METHOD_KEY = "at_grpo"
Plays = Literal[games.Plays, math.Plays, code.Plays]


class PlayConfig(BaseModel):
    """How a team plays an episode, in a run as in a training."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turns: int = Field(
        default=4, ge=1, le=32, description="Most turns of an episode (T; the paper: 4)."
    )
    order: Order = Field(
        default="sequential",
        description=(
            "sequential: each agent sees what the agents before it did in the same turn. "
            "parallel: all see the start of the turn."
        ),
    )
    proposes: Proposes = Field(
        default="program",
        description=(
            "What the first agent of a game writes: a program that prints a proposal, or the "
            "proposal itself."
        ),
    )
    wording: Wording = Field(
        default="sentences",
        description=(
            "How agents are told of a game. letters: each cell by two letters and its mark, in "
            "half of the tokens. Nano reads nothing else."
        ),
    )
    plays: Plays = Field(
        default="both",
        description=(
            "Who plays: the team, or one of its agents alone. Of a game that is the proposer or "
            "the planner, of a question with a value as its answer the reasoner or the tool_user, "
            "of a programming task the coder."
        ),
    )

    def play(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in PlayConfig.model_fields}


class AtGrpoConfig(PlayConfig):
    temperature: float = Field(
        default=0.0,
        ge=0,
        le=2,
        description="Temperature of the agents. 0: the most probable token each time.",
    )
    swapped: bool = Field(
        default=False,
        description=(
            "Each agent asks the model that was trained for the other one. A control: a team of "
            "specialists should then fail."
        ),
    )
