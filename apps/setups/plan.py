"""From what a user asked for to who answers: fills in defaults and looks up every name."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.conf import settings
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from apps.agents.own import profiles_taken
from apps.checkpoints.selectors import default_checkpoint
from apps.common.errors import ApplicationError, FieldError
from apps.common.seeds import SEED_LIMIT
from apps.llms import own_models
from apps.llms.models import Endpoint
from apps.roles.models import RolePool
from apps.roles.publishing import pool_snapshot, unpublished_error
from apps.setups.drawn import DESIGN, DrawnPlan, drawn_plan
from apps.setups.learning import asks_endpoint
from apps.setups.wanted import UNTRAINED, SetUpWanted
from workers.core.checkpoints import CheckpointError, CheckpointInfo, read_info
from workers.core.methods.base import (
    AsksOwnModels,
    BeginsUntrained,
    ChoosesCheckpoints,
    LimitsReplies,
    Method,
    NamesEndpoints,
)
from workers.core.methods.registry import METHODS
from workers.core.specs import Budget

B = TypeVar("B", bound=Budget)
REPLY_LIMIT = "max_completion_tokens_per_call"


@dataclass(frozen=True, slots=True)
class SetUpPlan:
    """`method_config` holds the defaults too, so that a later default changes no stored run. A
    value comes from the request, else from the checkpoint's training, else from the method.

    `checkpoint` "": the method learns nothing, or runs its untrained policy because no checkpoint
    was promoted.
    """

    method: str
    method_config: dict[str, Any]
    endpoint: Endpoint | None
    """None: of a training that asks none."""
    pool: RolePool | None
    seed: int
    checkpoint: str
    drawn: DrawnPlan | None = None
    further: tuple[Endpoint, ...] = ()
    """Endpoints that the method's config names besides the run's own."""

    @property
    def run_endpoint(self) -> Endpoint:
        """The endpoint of a run, which has one."""
        if self.endpoint is None:
            raise ValueError("only a training asks no endpoint")
        return self.endpoint

    def own_reply_tokens(self, budget: Budget) -> int | None:
        """The method's default for the tokens of one reply on this endpoint. None: it has none, or
        `budget` sets that limit."""
        method = METHODS.get(self.method)
        if REPLY_LIMIT in budget.model_fields_set or not isinstance(method, LimitsReplies):
            return None
        is_small = self.endpoint is not None and self.endpoint.spec().is_small
        return method.small_reply_tokens if is_small else None

    def budget(self, asked: B) -> B:
        """What was asked for, with the method's default where it sets no limit of one reply."""
        own = self.own_reply_tokens(asked)
        return asked if own is None else asked.model_copy(update={REPLY_LIMIT: own})

    def columns(self) -> dict[str, Any]:
        """The columns of a run's row with this set-up (`SetUp`). Raises ApplicationError."""
        endpoint = self.run_endpoint
        return {
            "method": self.method,
            "method_config": self.method_config,
            "checkpoint": self.checkpoint,
            "endpoint": endpoint,
            "endpoint_key": endpoint.key,
            "endpoint_spec": endpoint.spec().model_dump(mode="json"),
            "endpoint_specs": [each.spec().model_dump(mode="json") for each in self.further],
            "design": self.drawn.design if self.drawn else None,
            "design_version": self.drawn.version if self.drawn else None,
            **self.roles(),
        }

    def roles(self, config: BaseModel | None = None) -> dict[str, Any]:
        """The published version of the pool, and its agents' own prompts and memories, by a
        training's config or by the run's. Raises ApplicationError."""
        version = pool_snapshot(pool=self.pool) if self.pool else None
        asked = config or METHODS[self.method].config_schema.model_validate(self.method_config)
        key = self.endpoint.key if self.endpoint else ""
        profiles = profiles_taken(config=asked, pool=version, endpoint=key)
        return {"pool_version": version, "profiles": profiles}


def set_up_plan(
    request: SetUpWanted,
    errors_so_far: Iterable[FieldError] = (),
    *,
    to_train: bool = False,
    also: Callable[[dict[str, Any] | None], Iterable[FieldError]] = lambda graph: (),
) -> SetUpPlan:
    """Raises ApplicationError that names every wrong field, not only the first. `also` gets the
    graph that would run, if there is one, and returns further errors."""
    errors = list(errors_so_far)
    checkpoint = request.checkpoint or ""
    config: dict[str, Any] = {}
    drawn = drawn_plan(request, errors)
    method = METHODS.get(drawn.method if drawn else request.method)
    own: str | None = None
    """The endpoint of a run that names none."""
    if method is None:
        errors.append(_unknown("method", request.method, sorted(METHODS)))
    else:
        if not to_train and method.learns and not drawn:
            checkpoint = _used(checkpoint, method)
        info = _checkpoint(checkpoint, method, errors) if checkpoint else None
        if info is not None and not to_train:
            errors += _not_for_runs(checkpoint, info, method)
        trained_under = _trained_under(info, method) if info is not None else {}
        if info is not None and not to_train and _asks_own_models(method, info):
            own = own_models.KEY
        given = trained_under | request.method_config | (drawn.config if drawn else {})
        if not (request.method == DESIGN and errors):
            config = _method_config(method, given, errors)
    errors += also(config.get("graph"))
    if to_train and not asks_endpoint(method):
        endpoint = None
    else:
        endpoint = _endpoint(request.endpoint or own, errors)
    further = named_endpoints(method.config_schema, config, errors) if method else ()
    pool = _pool(request.pool, method, errors)
    if errors:
        raise ApplicationError.of_fields(errors)
    seed = secrets.randbelow(SEED_LIMIT) if request.seed is None else request.seed
    key = method.key if method else request.method
    return SetUpPlan(key, config, endpoint, pool, seed, checkpoint, drawn, further)


def named_endpoints(
    schema: type[BaseModel],
    config: dict[str, Any],
    errors: list[FieldError],
    *,
    field: str = "method_config",
) -> tuple[Endpoint, ...]:
    """The endpoints that a checked config of a method names, as they are set up now."""
    checked = schema.model_validate(config) if config else None
    if not isinstance(checked, NamesEndpoints):
        return ()
    keys = checked.named_endpoints()
    found = {endpoint.key: endpoint for endpoint in Endpoint.objects.filter(key__in=keys)}
    for key in keys:
        if key not in found:
            known = Endpoint.objects.filter(enabled=True).values_list("key", flat=True)
            errors.append(replace(_unknown("endpoint", key, list(known[:20])), field=field))
        elif not found[key].enabled:
            errors.append(replace(_switched_off(found[key]), field=field))
    return tuple(found[key] for key in keys if key in found)


def _asks_own_models(method: Method, info: CheckpointInfo) -> bool:
    return isinstance(method, AsksOwnModels) and method.asks_own_models(info)


def _method_config(
    method: Method, config: dict[str, Any], errors: list[FieldError]
) -> dict[str, Any]:
    try:
        checked = method.config_schema.model_validate(config)
    except ValidationError as error:
        errors += ApplicationError.from_pydantic(error, prefix="method_config").fields
        return {}
    complete: dict[str, Any] = checked.model_dump(mode="json")
    return complete


def _endpoint(key: str | None, errors: list[FieldError]) -> Endpoint | None:
    wanted = Endpoint.objects.filter(**({"is_default": True} if key is None else {"key": key}))
    endpoint = wanted.first()
    if endpoint is None and key is None:
        message = _(
            "There is no default endpoint. Name an endpoint, or ask a curator to set a default."
        )
        errors.append(FieldError("endpoint", "no_default_endpoint", message))
    elif endpoint is None:
        known = Endpoint.objects.filter(enabled=True).values_list("key", flat=True)
        errors.append(_unknown("endpoint", key or "", list(known[:20])))
    elif not endpoint.enabled:
        errors.append(_switched_off(endpoint))
    return endpoint


def _switched_off(endpoint: Endpoint) -> FieldError:
    message = _("The endpoint “%(key)s” is switched off. Choose another endpoint.") % {
        "key": endpoint.key
    }
    return FieldError("endpoint", "endpoint_disabled", message)


def _pool(key: str | None, method: Method | None, errors: list[FieldError]) -> RolePool | None:
    """The pool of the request. The default pool is used only if the method needs a pool."""
    needed = method is not None and method.needs_pool
    if key is None and not needed:
        return None
    wanted = RolePool.objects.filter(**({"is_default": True} if key is None else {"key": key}))
    pool = wanted.first()
    if pool is None and key is None:
        message = _(
            "There is no default role pool. Name a pool, or ask a curator to set a default."
        )
        errors.append(FieldError("pool", "no_default_pool", message))
    elif pool is None:
        known = RolePool.objects.values_list("key", flat=True)
        errors.append(_unknown("pool", key or "", list(known[:20])))
    elif pool.published_id is None:
        errors.append(unpublished_error(pool))
    return pool


def _used(checkpoint: str, method: Method) -> str:
    """The name of what a run uses that asks for `checkpoint`; "": its method as it is."""
    if not checkpoint:
        return default_checkpoint(method.key) or ""
    if checkpoint != UNTRAINED:
        return checkpoint
    folder = settings.DATA_DIR / "checkpoints"
    return method.untrained(folder).name if isinstance(method, BeginsUntrained) else ""


def _checkpoint(name: str, method: Method, errors: list[FieldError]) -> CheckpointInfo | None:
    if not method.learns:
        message = _("%(name)s does not learn, so it has no checkpoints. Leave the field out.") % {
            "name": method.name
        }
        errors.append(FieldError("checkpoint", "no_checkpoints", message))
        return None
    try:
        return read_info(settings.DATA_DIR / "checkpoints" / name, method=method.key)
    except CheckpointError as error:
        errors.append(FieldError("checkpoint", "unknown_checkpoint", error.message))
        return None


def _not_for_runs(name: str, info: CheckpointInfo, method: Method) -> list[FieldError]:
    if not isinstance(method, ChoosesCheckpoints) or method.runs_with(info):
        return []
    message = _("Runs of %(method)s cannot start from “%(name)s”. Choose another checkpoint.") % {
        "name": name,
        "method": method.name,
    }
    return [FieldError("checkpoint", "other_checkpoint", message)]


def _trained_under(info: CheckpointInfo, method: Method) -> dict[str, Any]:
    """The checkpoint's options that the method still knows."""
    known = method.config_schema.model_fields
    return {option: value for option, value in info.run.items() if option in known}


def _unknown(field: str, name: str, known: list[str]) -> FieldError:
    choice = (
        _("Use one of: %(known)s.") % {"known": ", ".join(known)}
        if known
        else _("There is no %(field)s yet.") % {"field": field}
    )
    return FieldError(
        field,
        f"unknown_{field}",
        _("There is no %(field)s “%(name)s”. %(choice)s")
        % {"field": field, "name": name[:63], "choice": choice},
    )
