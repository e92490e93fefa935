"""The settings of a MetaAgent-X run."""

from pydantic import BaseModel, ConfigDict, Field, field_validator

from workers.core.scripts.language import SCRIPT_CHARS
from workers.core.specs import EndpointKey

METHOD_KEY = "metaagent_x"
DESIGNER = "designer"
EXECUTOR = "executor"
ROLES = (DESIGNER, EXECUTOR)
"""The two policies of a checkpoint, in order."""

PROMPT_TOKENS = 2_048
"""Room of a prompt in a training, unless its settings say otherwise."""

TOOLS = (
    *("calculator", "python", "program"),
    *("web_search", "read_page", "read_file", "browser"),
)
"""What agents of a script may use. The registry's other tools take the place of a model, or ask a
person."""


SAMPLE_SCRIPT = """\
# Three solvers answer and vote. A checker reads the answer that won,
# and has the last word.
from workflow import agent, deliver, ensemble, sequence

prompt = "Solve the problem step by step."
solvers = [agent(f"Solver {n}", prompt, temperature=0.7) for n in (1, 2, 3)]
vote = ensemble(solvers, by="majority")
checker = agent("Checker", "Check the answer below, then give yours.")
deliver(sequence(vote, checker))
"""
"""A team that any model can run. Forms offer it."""


class PlayConfig(BaseModel):
    """What a team may do, in a run as in a training."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tools: str = Field(
        default=", ".join(TOOLS),
        max_length=400,
        description=(
            "Tools that the script may give its agents, separated by commas. Another one is a "
            "problem of the script. Empty: no tools."
        ),
    )
    max_calls: int = Field(
        default=32,
        ge=1,
        le=256,
        description="Most calls of agents. A script that asks more often has failed.",
    )

    @field_validator("tools", "script", mode="before", check_fields=False)
    @classmethod
    def _emptied(cls, value: object) -> object:
        """A form sends nothing for a field that was emptied."""
        return "" if value is None else value

    @field_validator("tools")
    @classmethod
    def _known(cls, value: str) -> str:
        keys = _keys(value)
        if unknown := [key for key in keys if key not in TOOLS]:
            raise ValueError(f"there is no tool “{unknown[0]}” here; use {', '.join(TOOLS)}")
        return ", ".join(keys)

    @property
    def tool_keys(self) -> tuple[str, ...]:
        return _keys(self.tools)


class MetaAgentXConfig(PlayConfig):
    """The options of one run."""

    script: str = Field(
        default="",
        max_length=SCRIPT_CHARS,
        json_schema_extra={"format": "code"},
        examples=[SAMPLE_SCRIPT],
        description="The script of the team. Empty: the designer writes one for the question.",
    )
    designer: EndpointKey | None = Field(
        default=None,
        json_schema_extra={"writes": "script"},
        description="Endpoint of the designer. Empty: that of the agents.",
    )
    repairs: int = Field(
        default=1,
        ge=0,
        le=5,
        description=(
            "How often the designer may correct a script that can't be used. It is told why."
        ),
    )
    temperature: float = Field(
        default=0.0,
        ge=0,
        le=2,
        description=(
            "Temperature of the designer, and of agents for which the script sets none. 0: the "
            "most probable token each time."
        ),
    )

    def named_endpoints(self) -> tuple[str, ...]:
        return (self.designer,) if self.designer else ()


def _keys(value: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key.strip() for key in value.split(",") if key.strip()))
