"""Counts answers: a role that lists `vote` gives the most frequent answer that it reads.

The role's whole turn is the count (`workers.core.mas.counting`): it costs no tokens, and no message
can persuade it. The tool is not offered to models.
"""

from workers.core.tools.base import WholeTurn

VOTE_TOOL = "vote"

VOTE = WholeTurn(
    key=VOTE_TOOL,
    name="Vote over answers",
    description=("Counts the answers of the agents that the role reads. The role asks no model."),
    refusal="Votes are counted for a role that lists this tool.",
)
