"""Multi-persona: one model plays several experts in one message (Wang et al., arXiv 2307.05300).

Solo performance prompting: the model names the experts that the question needs, lets them speak in
turn, and lets their leader give the answer.

Deviations:
 1. The paper shows two worked examples of such a discussion. Here only the instruction asks for it
    (zero-shot).
 2. The numbers of experts and rounds are settings. The paper leaves both to the model.
"""

from collections.abc import AsyncGenerator

from pydantic import BaseModel, ConfigDict, Field

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.configuration import read_config
from workers.core.methods.single import answer_alone
from workers.core.specs import RoleSpec, TaskSpec


class MultiPersonaConfig(BaseModel):
    """How many experts the model plays, and how long they talk."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    personas: int = Field(default=3, ge=2, le=8, description="Most experts that the model plays.")
    rounds: int = Field(default=2, ge=1, le=5, description="Most times that each expert speaks.")


class MultiPersona:
    key = "multi_persona"
    name = "Multi-persona"
    description = (
        "One call in which the model plays several experts who discuss the question and agree on "
        "an answer."
    )
    source = "arXiv:2307.05300"
    needs_pool = False
    learns = False
    config_schema = MultiPersonaConfig

    def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        config = read_config(MultiPersonaConfig, context.config)
        return answer_alone(persona_role(config), task, context)


def persona_role(config: MultiPersonaConfig) -> RoleSpec:
    """The first line says it all: it is what a small model reads."""
    times = "once" if config.rounds == 1 else f"at most {config.rounds} times"
    return RoleSpec(
        key="multi-persona",
        name="Many experts",
        family="baseline",
        description="Plays several experts who discuss the question and agree on an answer.",
        prompt=(
            f"Play {config.personas} experts who solve the question together, then give the answer "
            "they agree on.\n"
            "1. Name the experts that this question needs, and what each is good at. The first "
            "one leads.\n"
            "2. The leader proposes a solution.\n"
            f"3. Each of the others speaks {times}: what is right, what is wrong, what is missing. "
            "The leader mends the solution each time.\n"
            "4. Stop as soon as nobody objects. The leader gives the answer.\n"
            "Begin each contribution with the expert's name. Keep each one to a few sentences."
        ),
    )
