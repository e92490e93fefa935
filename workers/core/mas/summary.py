"""The summary agent: reads what the team wrote and gives the team's one answer."""

from collections.abc import AsyncGenerator, Sequence

from workers.core.events import Event
from workers.core.mas.agent import Team, run_agent
from workers.core.mas.outcome import GREEDY, AgentOutcome, Sampling
from workers.core.mas.prompts import SUMMARY_ROLE
from workers.core.specs import AgentNode

SUMMARY_ID = "summary"


def run_summary(
    inputs: Sequence[AgentOutcome],
    *,
    team: Team,
    agent_id: str = SUMMARY_ID,
    sampling: Sampling = GREEDY,
) -> AsyncGenerator[Event]:
    """Events of the summary agent over the usable `inputs`; `outcomes[agent_id]` is its end.

    Without a usable input it fails with `no_input`: a team without messages has nothing to sum up.
    Two summaries in a run need two `agent_id`s.
    """
    silent = [AgentOutcome("nobody", "nobody")]
    node = AgentNode(id=agent_id, role=SUMMARY_ROLE)
    return run_agent(node, inputs or silent, team=team, sampling=sampling, summary=True)
