"""Counts the answers of a run that stopped at their token limit, by agent, and whether the run's
own answer is one of them."""

from dataclasses import dataclass, field

from workers.core.answers.equality import same_answer
from workers.core.events import (
    AgentFailed,
    AgentFinished,
    AgentStarted,
    Event,
    IntermediateAnswer,
    Replied,
)

PLANNER = "planner"
"""Stands for the model that divides a query, which is not an agent."""


@dataclass(slots=True)
class CutAnswers:
    """Folds a run's events. `answers` counts models' answers, of which `cut` were cut.

    An answer counts as cut if its message or a reply in its tool loop was cut. Votes, tried
    examples and a person's text are not models' answers. A model that was cut before it wrote
    anything has failed, and counts as well.
    """

    answers: int = 0
    cut: int = 0
    _agents: dict[str, None] = field(default_factory=dict)
    _messages: dict[str, bool] = field(default_factory=dict)
    _votes: dict[str, str | None] = field(default_factory=dict)
    _reads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _final: str | None = None

    @property
    def agents(self) -> list[str]:
        """The agents whose answers were cut, in that order."""
        return list(self._agents)

    @property
    def final(self) -> bool | None:
        """Whether the run's answer is from a cut message. A vote counts as cut if all agents that
        gave the answer were cut. None: the run has no answer from a model."""
        speaker = self._final
        if speaker is None:
            return None
        if speaker in self._messages:
            return self._messages[speaker]
        read = [each for each in self._reads.get(speaker, ()) if each in self._messages]
        said = self._votes.get(speaker)
        gave = [each for each in read if _same(self._votes.get(each), said)]
        return all(self._messages[each] for each in gave or read) if read else None

    def take(self, event: Event) -> None:
        if isinstance(event, AgentStarted):
            self._reads[event.agent_id] = event.reads
        elif isinstance(event, AgentFinished):
            self._votes[event.agent_id] = event.answer
            if event.calls or event.reused:
                self._messages[event.agent_id] = event.truncated
                self._count(event.agent_id, cut=event.truncated or bool(event.cut_calls))
        elif isinstance(event, AgentFailed) and event.cut_calls:
            self._count(event.agent_id, cut=True)
        elif isinstance(event, Replied) and event.truncated is not None:
            self._count(PLANNER, cut=event.truncated)
        elif isinstance(event, IntermediateAnswer):
            self._final = event.agent_id

    def _count(self, agent_id: str, *, cut: bool) -> None:
        self.answers += 1
        if cut:
            self.cut += 1
            self._agents[agent_id] = None


def _same(left: str | None, right: str | None) -> bool:
    return left is not None and right is not None and same_answer(left, right)
