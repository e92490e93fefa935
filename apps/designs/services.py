"""Writes about designs: draw, save, name a version, restore a version, delete."""

from typing import Any
from uuid import UUID

import orjson
from django.db import transaction
from django.utils.translation import gettext as _
from pydantic import ValidationError

from apps.accounts.admission import owner_check
from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.names import name_errors
from apps.common.texts import NOT_TEXT, is_storable
from apps.designs.models import UNNAMED, Design, DesignVersion
from apps.designs.selectors import UNTOUCHED
from apps.designs.taking import BEGINNINGS, Beginning
from workers.core.designs.spec import DesignSpec, NewerFormat, read_design

DRAFT_MAX_BYTES = 2 * 1024 * 1024
MAX_VERSIONS = 1_000


def design_create(
    *,
    user: User,
    name: str | None = None,
    draft: dict[str, Any] | None = None,
    reuse: bool = False,
    **others: Any,
) -> Design:
    """Starts an empty design, one with `draft`, or one with the graph or script that one of
    `others` names. These are the keys of `BEGINNINGS`: `from_run`, `from_sample`,
    `from_sampled_design`. With `reuse`, returns the user's own unchanged empty design if there is
    one. Raises ApplicationError."""
    errors = name_errors(name)
    given = {"draft": draft, **others}
    beginnings = [field for field, value in given.items() if value is not None]
    if len(beginnings) > 1:
        message = _(
            "A design starts from one thing. Give one of: a draft, a run, a sampled system, "
            "a sampled design."
        )
        errors.append(FieldError(beginnings[-1], "two_beginnings", message))
    if errors:
        raise ApplicationError.of_fields(errors)
    if reuse and name is None and not beginnings:
        empty = Design.objects.filter(UNTOUCHED, created_by=user).first()
        if empty is not None:
            return empty
    begun = _begun(beginnings[0], given[beginnings[0]]) if beginnings else _drawn({})
    return Design.objects.create(
        name=name or begun.query[:100].replace("\n", " "),
        draft=begun.spec.model_dump(mode="json"),
        origin=begun.origin,
        from_run_id=begun.run_id,
        departures=[each.model_dump(mode="json") for each in begun.departures],
        created_by=user,
        updated_by=user,
    )


def _begun(field: str, value: Any) -> Beginning:
    return _drawn(value) if field == "draft" else BEGINNINGS[field](value)


def _drawn(draft: dict[str, Any]) -> Beginning:
    return Beginning(Design.Origin.DRAWN, draft_read(draft), UNNAMED, ())


@transaction.atomic
def design_save(
    *,
    user: User,
    design_id: UUID,
    revision: int,
    name: str | None = None,
    draft: dict[str, Any] | None = None,
) -> Design:
    """Changes only what is given. `revision` is the one that the writer read.

    Raises Design.DoesNotExist, and ApplicationError: 409 if someone saved since then.
    """
    if errors := name_errors(name):
        raise ApplicationError.of_fields(errors)
    design = _held(design_id, revision)
    before = design.name, design.draft
    design.name = design.name if name is None else name
    if draft is not None:
        design.draft = draft_read(draft).model_dump(mode="json")
    if (design.name, design.draft) != before:
        _changed(design, user)
    return design


def design_delete(*, user: User, design_id: UUID, as_admin: bool) -> None:
    """Deletes a design. Its runs keep the graph that they ran. Raises Design.DoesNotExist,
    ApplicationError."""
    with transaction.atomic():
        design = Design.objects.select_for_update().get(id=design_id)
        owner_check(
            design,
            user,
            as_admin=as_admin,
            message=_("This design belongs to someone else."),
            remedy=_("Ask its owner or an admin to delete it."),
        )
        design.delete()


@transaction.atomic
def version_create(*, user: User, design_id: UUID, revision: int, name: str) -> DesignVersion:
    """Saves the draft as it is now under a name. Raises Design.DoesNotExist, and ApplicationError:
    409 if someone saved since the read, or if the newest version is the same."""
    if errors := name_errors(name):
        raise ApplicationError.of_fields(errors)
    design = _held(design_id, revision)
    newest = design.versions.first()
    if newest is not None and newest.spec == design.draft:
        raise conflict(
            "no_change",
            _("Nothing has changed since version %(number)s.") % {"number": newest.number},
            _("Change the design first."),
        )
    return _add_version(design, user, name=name, kept=False)


@transaction.atomic
def version_restore(*, user: User, design_id: UUID, number: int, revision: int) -> Design:
    """Makes the draft equal to the version. A draft that no version holds is first kept as one.

    Raises Design.DoesNotExist, DesignVersion.DoesNotExist, ApplicationError (409).
    """
    design = _held(design_id, revision)
    wanted = design.versions.get(number=number)
    if wanted.spec == design.draft:
        return design
    if not any(version.spec == design.draft for version in design.versions.all()):
        _add_version(design, user, name=f"Before version {number} was restored", kept=True)
    design.draft = wanted.spec
    _changed(design, user)
    return design


def draft_read(draft: dict[str, Any]) -> DesignSpec:
    """Raises ApplicationError that names every wrong field."""
    if len(orjson.dumps(draft)) > DRAFT_MAX_BYTES:
        message = _("A design has at most %(kib)s KiB.") % {"kib": f"{DRAFT_MAX_BYTES // 1024:,}"}
        raise ApplicationError.of_fields([FieldError("draft", "too_large", message)])
    if not is_storable(draft):
        raise ApplicationError.of_fields([FieldError("draft", "not_text", str(NOT_TEXT))])
    try:
        return read_design(draft)
    except NewerFormat as error:
        raise ApplicationError.of_fields(
            [FieldError("draft.format", "newer_format", str(error))]
        ) from error
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="draft") from error


def _held(design_id: UUID, revision: int) -> Design:
    """The locked row, if it is still the one that the writer read."""
    design = (
        Design.objects.select_for_update(of=("self",))
        .select_related("updated_by")
        .get(id=design_id)
    )
    if design.revision != revision:
        who = design.updated_by.username if design.updated_by else "Someone"
        raise conflict(
            "design_changed",
            _(
                "%(who)s saved this design at %(updated_at)s UTC, after you opened it. It is now "
                "at revision %(revision)s; yours is %(yours)s."
            )
            % {
                "who": who,
                "updated_at": f"{design.updated_at:%H:%M:%S}",
                "revision": design.revision,
                "yours": revision,
            },
            _("Load the saved design, or keep yours as a new design."),
        )
    return design


def _changed(design: Design, user: User) -> None:
    design.revision += 1
    design.updated_by = user
    design.save(update_fields=["name", "draft", "revision", "updated_by", "updated_at"])


def _add_version(design: Design, user: User, *, name: str, kept: bool) -> DesignVersion:
    newest = design.versions.first()
    if design.versions.count() >= MAX_VERSIONS:
        raise conflict(
            "too_many_versions",
            _("A design has at most %(at_most)s versions.") % {"at_most": f"{MAX_VERSIONS:,}"},
            _("Continue with a copy of the design."),
        )
    return DesignVersion.objects.create(
        design=design,
        number=newest.number + 1 if newest else 1,
        name=name,
        kept=kept,
        spec=design.draft,
        created_by=user,
    )
