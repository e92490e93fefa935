"""Chain of thought: one call that reasons before it answers (Wei et al., arXiv 2201.11903).

Deviation: the paper shows worked examples. Here only the instruction asks for the steps
(zero-shot), so no example favours one domain.
"""

from collections.abc import AsyncGenerator

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.mas.rules import STEPS_FORM
from workers.core.methods.configuration import NoOptions, read_config
from workers.core.methods.single import answer_alone
from workers.core.methods.wordings import SMALL_STEPS, STEPS, worded
from workers.core.specs import RoleSpec, TaskSpec

ROLE = RoleSpec(
    key="chain-of-thought",
    name="Step-by-step reasoner",
    family="baseline",
    description="Works through the question step by step and then answers.",
    prompt=STEPS,
    output_form=STEPS_FORM,
)


class ChainOfThought:
    key = "chain_of_thought"
    name = "Chain of thought"
    description = "One call in which the model reasons step by step before it answers."
    source = "arXiv:2201.11903"
    needs_pool = False
    learns = False
    config_schema = NoOptions

    def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        read_config(NoOptions, context.config)
        role = worded(ROLE, SMALL_STEPS, context.endpoint, context.answer_form)
        return answer_alone(role, task, context)
