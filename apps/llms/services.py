"""Writes about endpoints."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any

from asgiref.sync import async_to_sync
from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from pydantic import ValidationError

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.locking import copy_stored, locked, unique_key
from apps.llms.history import change_record, state_of
from apps.llms.keys import key_refused
from apps.llms.models import Endpoint, EndpointChange
from apps.llms.plausible import implausible
from apps.llms.sizes import SIZE_FIELDS, with_size
from workers.core.llm.probe import ProbeResult, probe_endpoint
from workers.core.llm.target import check_api_key_env
from workers.core.llm.types import LLMError
from workers.core.net.guard import AddressRefused, check_url
from workers.core.specs import EndpointSpec


def endpoint_check(*, spec: EndpointSpec, by: User | None = None) -> None:
    """Refuses settings that would leak a key or reach a forbidden address, before anything is
    stored. `by` None is the studio itself."""
    fields = []
    try:
        check_url(spec.base_url, allow_private=spec.allow_private_address)
    except AddressRefused as error:
        message = f"{error} {error.remedy}"
        fields.append(FieldError("base_url", "address_refused", message))
    try:
        check_api_key_env(spec.api_key_env)
    except LLMError as error:
        message = f"{error.message} {error.remedy}"
        fields.append(FieldError("api_key_env", error.code, message))
    if not fields:
        refused = key_refused(variable=spec.api_key_env, base_url=spec.base_url, by=by)
        fields += [refused] if refused else []
    if fields:
        raise ApplicationError(
            code="invalid",
            message=f"{fields[0].field}: {fields[0].message}",
            remedy=_("Correct the named fields and send the request again."),
            fields=tuple(fields),
        )


def endpoint_as_now(
    endpoint: Endpoint | None, *, began: dict[str, Any], remedy: str | Promise
) -> EndpointSpec:
    """The endpoint of something that continues, with its address, key and permissions of today, and
    the request fields that it began with.

    `began` is the spec that it began with. Raises ApplicationError (409) if the endpoint was
    deleted or switched off, or has another model, whose answers would mix with those of the first
    model. `remedy` is a sentence with another way out.
    """
    key, model = began.get("key", ""), began.get("model", "")
    if endpoint is None or not endpoint.enabled:
        raise conflict(
            "endpoint_disabled",
            _("The endpoint “%(key)s” was deleted or switched off.") % {"key": key},
            _("Add it again or switch it on.") + f" {remedy}",
        )
    if endpoint.model != model:
        raise conflict(
            "endpoint_other_model",
            _(
                "The endpoint “%(key)s” now has the model “%(model)s”, but this began with "
                "“%(began_with)s”."
            )
            % {"key": endpoint.key, "model": endpoint.model, "began_with": model},
            _("Set the endpoint's model back.") + f" {remedy}",
        )
    return endpoint.spec().model_copy(update={"extra_body": began.get("extra_body", {})})


def endpoints_as_now(
    began: Sequence[dict[str, Any]], *, remedy: str | Promise
) -> list[dict[str, Any]]:
    """The endpoints that agents of a design name. Raises ApplicationError like
    `endpoint_as_now`."""
    stored = Endpoint.objects.filter(key__in=[spec["key"] for spec in began])
    known = {endpoint.key: endpoint for endpoint in stored}
    return [
        endpoint_as_now(known.get(spec["key"]), began=spec, remedy=remedy).model_dump(mode="json")
        for spec in began
    ]


def endpoint_create(*, values: dict[str, Any], by: User | None = None) -> Endpoint:
    """A size that is not given is guessed from the model's name, and shown as a guess."""
    values = with_size(values, stored=None)
    with transaction.atomic():
        endpoint = _save(Endpoint(**values), values=values, by=by)
        change_record(endpoint, EndpointChange.Kind.CREATED, by=by, before={})
    return endpoint


def endpoint_update(
    *, endpoint: Endpoint, values: dict[str, Any], by: User | None = None
) -> Endpoint:
    """Changes only `values`, so a permission that another person took back since then stays taken
    back. Afterwards `endpoint` is as stored."""
    with transaction.atomic():
        stored = locked(endpoint)
        before = state_of(stored)
        values = with_size(values, stored=stored)
        for name, value in values.items():
            setattr(stored, name, value)
        _save(stored, values=values, by=by, only=[*values, "updated_at"])
        change_record(stored, EndpointChange.Kind.CHANGED, by=by, before=before)
    return copy_stored(stored, endpoint)


def endpoint_ensure(
    *, key: str, base_url: str, values: dict[str, Any], may_be_default: bool = True
) -> Endpoint:
    """Makes the endpoint with `values`: as the default if there is none, and it may be. If it
    exists, moves it to `base_url` and keeps everything that people chose about it."""
    endpoint = Endpoint.objects.filter(key=key).first()
    if endpoint:
        moved = {"base_url": base_url, **_size_known(endpoint, values)}
        return endpoint_update(endpoint=endpoint, values=moved)
    first = may_be_default and not Endpoint.objects.filter(is_default=True).exists()
    return endpoint_create(values={**values, "key": key, "base_url": base_url, "is_default": first})


def endpoint_delete(*, endpoint: Endpoint, by: User | None = None) -> None:
    """If two people delete it at the same moment, the second call does nothing."""
    with transaction.atomic():
        stored = Endpoint.objects.select_for_update().filter(pk=endpoint.pk).first()
        if stored is None:
            return
        change_record(stored, EndpointChange.Kind.DELETED, by=by, before=state_of(stored))
        stored.delete()


def endpoint_test(*, endpoint: Endpoint, by: User | None = None) -> ProbeResult:
    """Asks the server for its models, and names the cause if it does not list them. The model's
    size that it reports is kept, unless a person has entered one."""
    result = async_to_sync(probe_endpoint)(endpoint.spec())
    _keep_size(endpoint, result, by)
    return result


def endpoints_test(*, endpoints: Sequence[Endpoint], by: User | None = None) -> list[ProbeResult]:
    """Tests all at once: together they take as long as the slowest."""

    async def probes() -> list[ProbeResult]:
        return await asyncio.gather(*(probe_endpoint(endpoint.spec()) for endpoint in endpoints))

    results = async_to_sync(probes)()
    for endpoint, result in zip(endpoints, results, strict=True):
        _keep_size(endpoint, result, by)
    return results


def _keep_size(endpoint: Endpoint, result: ProbeResult, by: User | None) -> None:
    if result.parameters is None:
        return
    with transaction.atomic():
        stored = Endpoint.objects.select_for_update().filter(pk=endpoint.pk).first()
        if stored is None or stored.model != endpoint.model or stored.parameters_from == "person":
            return
        told = {"parameters": result.parameters, "parameters_from": "server"}
        if any(getattr(stored, name) != value for name, value in told.items()):
            endpoint_update(endpoint=endpoint, values=told, by=by)


def _size_known(endpoint: Endpoint, values: Mapping[str, Any]) -> dict[str, Any]:
    """The size of a model that the studio serves itself, unless its server or a person gave one."""
    if endpoint.model != values.get("model") or endpoint.parameters_from in ("person", "server"):
        return {}
    return {name: values[name] for name in SIZE_FIELDS if name in values}


def _save(
    endpoint: Endpoint,
    *,
    values: Mapping[str, Any],
    by: User | None,
    only: Sequence[str] | None = None,
) -> Endpoint:
    """Only `values`, which are new, must be plausible. A value that was stored before a limit
    existed must not block other changes."""
    if errors := implausible(values):
        raise ApplicationError.of_fields(errors)
    try:
        endpoint_check(spec=endpoint.spec(), by=by)
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="") from error
    with unique_key(_("There is already an endpoint “%(key)s”.") % {"key": endpoint.key}):
        if endpoint.is_default:
            _stop_others_being_default(endpoint, by)
        endpoint.save(update_fields=only)
    return endpoint


def _stop_others_being_default(endpoint: Endpoint, by: User | None) -> None:
    others = Endpoint.objects.select_for_update().filter(is_default=True).exclude(pk=endpoint.pk)
    for other in others:
        before = state_of(other)
        other.is_default = False
        other.save(update_fields=["is_default", "updated_at"])
        change_record(other, EndpointChange.Kind.CHANGED, by=by, before=before)


def api_key_present(endpoint: Endpoint) -> bool:
    """Whether the named variable is set here. True when no variable is named, because none is
    needed."""
    return not endpoint.api_key_env or bool(os.environ.get(endpoint.api_key_env))
