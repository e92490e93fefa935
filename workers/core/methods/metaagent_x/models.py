"""Which model each of the two roles asks, where a checkpoint has trained them."""

from dataclasses import replace

from workers.core.errors import MethodError
from workers.core.mas.context import MethodContext
from workers.core.methods.metaagent_x.config import ROLES
from workers.core.rollouts.kept import kept_in


def trained(context: MethodContext) -> tuple[MethodContext, MethodContext]:
    """The context of the designer and that of the executors: each with its own model at the run's
    endpoint. Raises MethodError for a checkpoint of other agents."""
    folder = context.checkpoint
    if folder is None:
        return context, context
    kept = kept_in(folder)
    if len(kept.agents) != len(ROLES):
        raise MethodError(
            code="checkpoint_other_agents",
            message=(
                f"The checkpoint {folder.name} was trained for {len(kept.agents)} agents, not for "
                "a designer and executors."
            ),
            remedy="Choose a checkpoint of this method.",
        )
    designer, executor = (
        replace(
            context,
            endpoint=context.endpoint.model_copy(update={"model": f"{folder.name}:{policy}"}),
        )
        for policy in kept.agents
    )
    return designer, executor
