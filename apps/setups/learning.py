"""Methods that learn, and the checkpoints that their configs name."""

from collections.abc import Mapping
from typing import Any, TypeGuard

from pydantic import ValidationError

from workers.core.methods.base import AsksOwnModels, LearningMethod, Method, NamesCheckpoints
from workers.core.methods.registry import METHODS


def learns(method: Method) -> TypeGuard[LearningMethod]:
    return method.learns and hasattr(method, "train")


def asks_endpoint(method: Method | None) -> bool:
    """Whether the method's trainings ask one. Some change language models themselves."""
    return not isinstance(method, AsksOwnModels)


def learning_methods(methods: Mapping[str, Method] = METHODS) -> dict[str, LearningMethod]:
    return {key: method for key, method in methods.items() if learns(method)}


def named_checkpoints(method_key: str, config: object) -> tuple[str, ...]:
    """Checkpoints that the config names besides the one that a training starts from. () for a
    config that the method cannot read, such as one of an older version."""
    method = METHODS.get(method_key)
    if method is None or not learns(method):
        return ()
    try:
        checked = method.training_schema.model_validate(config)
    except ValidationError:
        return ()
    return checked.named_checkpoints() if isinstance(checked, NamesCheckpoints) else ()


def complete_config(method: LearningMethod, preset: str, config: dict[str, Any]) -> dict[str, Any]:
    """`config` replaces values of the preset, and the preset replaces defaults of the method.
    Raises pydantic's ValidationError."""
    wanted = {**method.presets.get(preset, {}), **config}
    complete: dict[str, Any] = method.training_schema.model_validate(wanted).model_dump(mode="json")
    return complete
