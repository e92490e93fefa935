"""Direct: one call without asked-for reasoning. Every other method is compared with it."""

from collections.abc import AsyncGenerator

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.configuration import NoOptions, read_config
from workers.core.methods.single import answer_alone
from workers.core.methods.wordings import SMALL_DIRECT, worded
from workers.core.specs import RoleSpec, TaskSpec

ROLE = RoleSpec(
    key="direct",
    name="Direct answer",
    family="baseline",
    description="Answers the question at once, without showing any reasoning.",
    prompt="Answer the question. Give only the answer, without an explanation.",
)


class Direct:
    key = "direct"
    name = "Direct"
    description = "One call to the model, only for the answer. The cheapest baseline."
    source = "baseline"
    needs_pool = False
    learns = False
    config_schema = NoOptions

    def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        read_config(NoOptions, context.config)
        role = worded(ROLE, SMALL_DIRECT, context.endpoint, context.answer_form)
        return answer_alone(role, task, context)
