"""From a request to everything a training needs: fills in defaults and looks up every name."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from pydantic import ValidationError

from apps.checkpoints.models import Checkpoint
from apps.common.errors import ApplicationError, FieldError
from apps.common.names import name_errors
from apps.llms.models import Endpoint
from apps.setups.learning import (
    asks_endpoint,
    complete_config,
    learning_methods,
    learns,
    named_checkpoints,
)
from apps.setups.plan import SetUpPlan, named_endpoints, set_up_plan
from apps.setups.wanted import SetUpWanted, config_errors
from apps.tasks.choosing import chosen_dataset
from apps.tasks.models import Dataset, Task
from apps.training.requests import TrainingRequest
from workers.core.methods.base import CountsSteps
from workers.core.methods.registry import METHODS
from workers.core.specs import EndpointSpec, TrainingBudget

NAME_OF = {"checkpoint": "start_from", "method_config": "config"}


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """`config` holds the defaults too. `total_steps` 0: the method does not say. `further` are
    endpoints that the config names besides the run's. `checkpoints` are those besides
    `start_from`."""

    preset: str
    config: dict[str, Any]
    total_steps: int
    dataset: Dataset
    run: SetUpPlan
    further: tuple[Endpoint, ...] = ()
    checkpoints: tuple[str, ...] = ()


def training_plan(request: TrainingRequest) -> TrainingPlan:
    """Raises ApplicationError that names every wrong field, not only the first."""
    errors = name_errors(request.name)
    run = _run_plan(request, errors)
    preset, config = _config(request, errors)
    further = _further(request, config, errors)
    checkpoints = _checkpoints(request, config, errors)
    if run is not None:
        named = [endpoint.spec() for endpoint in (run.endpoint, *further) if endpoint]
        errors += price_errors(request.budget, named)
        errors += unasked_errors(request.method, request.budget, endpoint=request.endpoint)
    dataset = _dataset(request, errors)
    if errors or dataset is None or run is None:
        raise ApplicationError.of_fields(errors)
    steps = _total_steps(request, config)
    return TrainingPlan(preset, config, steps, dataset, run, further, checkpoints)


def training_tasks(dataset: Dataset, split: str, limit: int | None) -> QuerySet[Task]:
    """Tasks with a verifier. Others have no reward, so nothing can be learned from them."""
    judged = dataset.tasks.filter(split=split).exclude(verifier="").order_by("index")
    return judged[:limit]


def _run_plan(request: TrainingRequest, errors: list[FieldError]) -> SetUpPlan | None:
    method = METHODS.get(request.method)
    if method is not None and not learns(method):
        known = ", ".join(learning_methods()) or "none yet"
        message = _("%(name)s does not learn. Methods that learn: %(known)s.") % {
            "name": method.name,
            "known": known,
        }
        errors.append(FieldError("method", "method_learns_nothing", message))
        return None
    asked = SetUpWanted(
        method=request.method,
        endpoint=request.endpoint,
        pool=request.pool,
        checkpoint=request.start_from,
        seed=request.seed,
    )
    try:
        return set_up_plan(asked, config_errors(request.config), to_train=True)
    except ApplicationError as error:
        errors += [replace(f, field=NAME_OF.get(f.field, f.field)) for f in error.fields]
        return None


def price_errors(budget: TrainingBudget, endpoints: Sequence[EndpointSpec]) -> list[FieldError]:
    """A cost limit needs prices: without them it would limit nothing."""
    if budget.max_cost is None:
        return []
    for endpoint in endpoints:
        if endpoint.prompt_price is None or endpoint.completion_price is None:
            message = _(
                "The endpoint “%(key)s” has no prices, so a cost limit is not possible. Set its "
                "prices, or limit the tokens."
            ) % {"key": endpoint.key}
            return [FieldError("budget.max_cost", "price_unknown", message)]
    return []


def unasked_errors(
    key: str, budget: TrainingBudget, *, endpoint: str | None = None
) -> list[FieldError]:
    """What a training that asks no endpoint has no use for. `key`: its method's."""
    method = METHODS.get(key)
    if method is None or asks_endpoint(method):
        return []
    given = {
        "endpoint": endpoint,
        "budget.max_tokens": budget.max_tokens,
        "budget.max_cost": budget.max_cost,
    }
    message = _(
        "A training with %(name)s asks no endpoint: it changes the model that its settings name. "
        "Leave this out, and limit it by its steps."
    ) % {"name": method.name}
    return [
        FieldError(field, "no_endpoint_asked", message)
        for field, value in given.items()
        if value is not None
    ]


def _further(
    request: TrainingRequest, config: dict[str, Any], errors: list[FieldError]
) -> tuple[Endpoint, ...]:
    method = METHODS.get(request.method)
    if method is None or not learns(method):
        return ()
    return named_endpoints(method.training_schema, config, errors, field="config")


def _checkpoints(
    request: TrainingRequest, config: dict[str, Any], errors: list[FieldError]
) -> tuple[str, ...]:
    names = named_checkpoints(request.method, config)
    known = set(Checkpoint.objects.filter(name__in=names).values_list("name", flat=True))
    errors += [
        FieldError(
            "config",
            "unknown_checkpoint",
            _("There is no checkpoint “%(name)s”. Choose one from the list.") % {"name": name},
        )
        for name in names
        if name not in known
    ]
    return names


def _config(request: TrainingRequest, errors: list[FieldError]) -> tuple[str, dict[str, Any]]:
    """The preset, by default the method's first, and the whole config."""
    method = METHODS.get(request.method)
    if method is None or not learns(method):
        return "", {}
    preset = request.preset if request.preset is not None else next(iter(method.presets), "")
    if preset not in method.presets and (preset or method.presets):
        known = ", ".join(method.presets)
        message = _("There is no preset “%(preset)s”. Use one of: %(known)s.") % {
            "preset": preset[:63],
            "known": known,
        }
        errors.append(FieldError("preset", "unknown_preset", message))
        return "", {}
    try:
        return preset, complete_config(method, preset, request.config)
    except ValidationError as error:
        errors += ApplicationError.from_pydantic(error, prefix="config").fields
        return "", {}


def _total_steps(request: TrainingRequest, config: dict[str, Any]) -> int:
    """From the config, or from its `steps`, the usual name in methods; 0 if there is none."""
    method = METHODS.get(request.method)
    if config and method is not None and learns(method):
        checked = method.training_schema.model_validate(config)
        if isinstance(checked, CountsSteps):
            return checked.total_steps()
    steps = config.get("steps")
    return steps if isinstance(steps, int) and steps > 0 else 0


def _dataset(request: TrainingRequest, errors: list[FieldError]) -> Dataset | None:
    dataset = chosen_dataset(request.dataset, request.split, errors)
    if dataset is not None and not training_tasks(dataset, request.split, 1).exists():
        message = _(
            "No task in the split “%(split)s” of “%(key)s” has a verifier, so no answer "
            "earns a reward. Choose a verifier for the dataset and import it again."
        ) % {"split": request.split, "key": dataset.key}
        errors.append(FieldError("split", "no_verifier", message))
    return dataset
