"""The outcome of one agent, and how the agents of a call sample."""

from dataclasses import dataclass

from workers.core.errors import Failure


@dataclass(frozen=True, slots=True)
class AgentOutcome:
    """The end of one agent: a message, a refusal or a failure. An `agent_id` of "": a text that no
    agent wrote.

    `answer` is the message's answer (`mas.contribution`): a text, or the program of a code task.
    None for a refusal, a failure, or a message without a clear answer.
    """

    agent_id: str
    name: str
    message: str = ""
    answer: str | None = None
    refused: bool = False
    failure: Failure | None = None

    @property
    def usable(self) -> bool:
        """Whether other agents and the summary may read the message."""
        return self.failure is None and not self.refused and bool(self.message)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the LLM samples. `seed` None takes the run's seed; at temperature 0 none is sent."""

    temperature: float = 0.0
    seed: int | None = None


GREEDY = Sampling()
