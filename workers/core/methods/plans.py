"""What a graph does not say about a planned team: how its agents sample, and whose answers
count."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import Field

from workers.core.mas.outcome import GREEDY, Sampling
from workers.core.methods.seeds import sample_seed
from workers.core.specs import AgentId, Spec

MAX_SAMPLE = 2**31 - 1


class AgentSampling(Spec):
    """How an agent's model samples. `sample`: which of the run's samples it draws, from 0, each
    with its own seed made from the run's. None: the run's seed itself."""

    temperature: float = Field(default=0.0, ge=0, le=2)
    sample: int | None = Field(default=None, ge=0, le=MAX_SAMPLE)


@dataclass(frozen=True, slots=True)
class Plan:
    """`sampling` by agent; missing agents are greedy. `voters`: the agents whose most frequent
    answer is the team's, in counting order; none: no vote."""

    sampling: Mapping[AgentId, AgentSampling] = field(default_factory=dict)
    voters: tuple[AgentId, ...] = ()
    summary_temperature: float = 0.0

    def samplings(self, run_seed: int) -> dict[AgentId, Sampling]:
        """The sampling that `execute_graph` gets in a run with this seed."""
        return {agent_id: seeded(each, run_seed) for agent_id, each in self.sampling.items()}

    def summary_sampling(self) -> Sampling:
        return Sampling(self.summary_temperature) if self.summary_temperature else GREEDY


def samples(ids: Iterable[AgentId], temperature: float) -> dict[AgentId, AgentSampling]:
    """A separate sample for each."""
    return {
        agent_id: AgentSampling(temperature=temperature, sample=index)
        for index, agent_id in enumerate(ids)
    }


def seeded(sampling: AgentSampling, run_seed: int) -> Sampling:
    if sampling.sample is None:
        return Sampling(sampling.temperature)
    return Sampling(sampling.temperature, sample_seed(run_seed, sampling.sample))
