"""Which model each of the two roles asks, where a checkpoint has trained them."""

from dataclasses import replace

from workers.core.errors import MethodError
from workers.core.mas.context import MethodContext
from workers.core.mas.small_models import suggested_parameters
from workers.core.methods.metaagent_x.config import PROMPT_TOKENS, ROLES
from workers.core.rollouts.kept import kept_in, trained_with
from workers.core.weights.local import known_shape


def parameters_of(model: str) -> int | None:
    """How many weights the model of a training has: what a small one reads is short. By its files
    if it is among the local models, else by its name. None: not known."""
    shape = known_shape(model)
    return suggested_parameters(model) if shape is None else shape.parameters


def trained(context: MethodContext) -> tuple[MethodContext, MethodContext]:
    """The context of the designer and that of the executors: each with its own model at the run's
    endpoint, which reads what it read in its training. Raises MethodError for a checkpoint of other
    agents."""
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
    allowed = context.budget.max_completion_tokens_per_call
    as_trained = {
        "parameters": parameters_of(kept.model),
        # So that a prompt has the room that it had in the training.
        "context_length": int(trained_with(folder).get("prompt_tokens", PROMPT_TOKENS)) + allowed,
    }
    designer, executor = (
        replace(
            context,
            endpoint=context.endpoint.model_copy(
                update=as_trained | {"model": f"{folder.name}:{policy}"}
            ),
        )
        for policy in kept.agents
    )
    return designer, executor
