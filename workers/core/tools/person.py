"""Asks a person: a role that lists `person` gives the text that a person writes for it.

The role's whole turn is that text. The run waits for it as long as it takes, and no model is asked.
Only a run that a person started can ask (`workers.core.mas.control`).
"""

from workers.core.tools.base import WholeTurn

PERSON_TOOL = "person"

PERSON = WholeTurn(
    key=PERSON_TOOL,
    name="A person answers",
    description=("The run waits until a person writes the role's message. The role asks no model."),
    refusal="A person is asked for a role that lists this tool.",
)
