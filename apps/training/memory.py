"""How much memory a training will take."""

from typing import Any

from pydantic import ValidationError

from apps.common.errors import ApplicationError
from apps.setups.learning import complete_config, learning_methods
from workers.core.methods.base import TellsMemory
from workers.core.rollouts.memory import Estimate


def training_memory(*, method: str, preset: str, config: dict[str, Any]) -> Estimate | None:
    """None: not known before it starts. Raises ApplicationError for settings that don't fit."""
    found = learning_methods().get(method)
    if not isinstance(found, TellsMemory):
        return None
    try:
        return found.memory(complete_config(found, preset, config))
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="config") from error
