"""The live agent database and checkpoints: the statistics of a pool's agents can be saved as a
checkpoint, restored from one, or compared with one."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import status

from apps.accounts.models import User
from apps.agents.models import AgentReward
from apps.agents.pools import Published, published_spec
from apps.agents.restoring import Restored, profiles_restore
from apps.agents.searching import live_statistics
from apps.checkpoints import folders
from apps.checkpoints.folders import NotPublished, Staged
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.services import checkpoint_place
from apps.common.errors import ApplicationError, conflict
from apps.common.version import code_version
from workers.core.agents.database import AgentKey, Statistics
from workers.core.agents.kept import load_profiles, save_profiles
from workers.core.checkpoints import CheckpointError, CheckpointInfo, read_info
from workers.core.methods.registry import keeper_of_agents
from workers.core.plain_text import clean

Known = Mapping[AgentKey, Statistics]


@dataclass(frozen=True, slots=True)
class Kept:
    """What was restored, and the snapshot of the statistics before; None: none was kept."""

    restored: Restored
    before: Checkpoint | None


def checkpoint_statistics(name: str) -> dict[AgentKey, Statistics]:
    """Raises ApplicationError: 404 if there is no such checkpoint, 409 if it has no agents or
    cannot be read."""
    if not Checkpoint.objects.filter(name=name).exists():
        raise ApplicationError(
            code="unknown_checkpoint",
            message=_("There is no checkpoint “%(name)s”.") % {"name": name},
            remedy=_("Choose one from the list."),
            status_code=status.HTTP_404_NOT_FOUND,
        )
    try:
        return load_profiles(folders.checkpoint_folder(name), method=keeper_of_agents().key)[1]
    except CheckpointError as error:
        raise conflict(
            f"checkpoint_{error.code}",
            error.message,
            _("Choose a ReSo checkpoint that is complete."),
        ) from error


def statistics_of(checkpoint: str | None, *, pool_key: str) -> dict[AgentKey, Statistics]:
    """The statistics of a checkpoint; None: the live ones. Raises ApplicationError."""
    return live_statistics(pool_key) if checkpoint is None else checkpoint_statistics(checkpoint)


def agents_snapshot(*, pool_key: str, label: str = "", by: User) -> Checkpoint:
    """Saves the live statistics of a pool's agents as a checkpoint of ReSo, like those of
    trainings.

    Raises ApplicationError if there is no such pool, if nothing was learned yet (409), or if the
    disk refuses (507).
    """
    pool = published_spec(pool_key)
    now = timezone.now()
    known = {key: each for key, each in live_statistics(pool_key).items() if each.count}
    if not known:
        raise conflict(
            "nothing_learned",
            _("No agent of the pool “%(pool)s” has been rewarded yet.") % {"pool": pool_key},
            _("Train with ReSo first. Its agents' rewards are stored in this database."),
        )
    info = _info(pool, known, label=label, by=by, at=now)
    staged = _staged(known, info)
    name = f"agents-{pool_key}-{now:%Y%m%d-%H%M%S}"
    metrics = {
        "agents_known": float(len(known)),
        "selections": float(sum(each.count for each in known.values())),
    }
    try:
        return _placed(staged, name, metrics)
    except NotPublished as error:
        raise _refused(error.failure.message) from error
    finally:
        folders.discard(staged)


def agents_restore(*, pool_key: str, checkpoint: str, keep: bool, by: User) -> Kept:
    """Sets the live statistics of the pool's agents to a checkpoint's profiles. `keep`: saves the
    statistics before as a snapshot, if there were any. Raises ApplicationError."""
    pool = published_spec(pool_key)
    known = checkpoint_statistics(checkpoint)
    before = None
    if keep and any(each.count for each in live_statistics(pool_key).values()):
        label = _("%(pool)s before “%(checkpoint)s” was restored") % {
            "pool": pool.spec.name,
            "checkpoint": checkpoint,
        }
        before = agents_snapshot(pool_key=pool_key, label=label[:200], by=by)
    restored = profiles_restore(
        pool_key=pool_key, known=known, source=checkpoint, by=by.get_username()
    )
    return Kept(restored, before)


def _info(pool: Published, known: Known, *, label: str, by: User, at: datetime) -> CheckpointInfo:
    return CheckpointInfo(
        method=keeper_of_agents().key,
        label=clean(label.strip()) or f"{pool.spec.name}, live",
        trained=True,
        seed=0,
        code_version=code_version(),
        recipe={
            "kind": "snapshot",
            "pool": pool.spec.key,
            "pool_version": pool.version,
            "at": at.isoformat(timespec="seconds"),
            "by": by.get_username(),
            "agents": len(known),
            "selections": sum(each.count for each in known.values()),
        },
        trained_on=_trained_on(pool.pool_id),
    )


def _trained_on(pool_id: int) -> tuple[str, ...]:
    """Hashes of all tasks that the agents were rewarded for; () if some are unknown: tasks of runs,
    of a training that was deleted or left no checkpoint, or of a lost checkpoint."""
    rows = AgentReward.objects.filter(agent__role__pool_id=pool_id).order_by()
    if rows.filter(job=None, restored_from="").exists():
        return ()
    jobs = rows.exclude(job=None).values_list("job_id", flat=True).distinct()
    named: dict[UUID, list[str]] = {job: [] for job in jobs}
    left = Checkpoint.objects.filter(job_id__in=named).order_by("pk")
    for job, name in left.values_list("job_id", "name"):
        named[job].append(name)
    restored = rows.exclude(restored_from="").values_list("restored_from", flat=True).distinct()
    sources = [*named.values(), *([name] for name in restored)]
    hashes: set[str] = set()
    for names in sources:
        found = _hashes(names)
        if not found:
            return ()
        hashes |= found
    return tuple(sorted(hashes))


def _hashes(names: Iterable[str]) -> set[str]:
    """Any checkpoint of a training lists all of its tasks."""
    for name in names:
        with suppress(CheckpointError):
            if found := read_info(folders.checkpoint_folder(name)).trained_on:
                return set(found)
    return set()


def _staged(known: Known, info: CheckpointInfo) -> Staged:
    folder = folders.checkpoint_folder(folders.STAGING) / uuid4().hex
    try:
        written = save_profiles(folder, known, info)
    except CheckpointError as error:
        raise _refused(error.message) from error
    return Staged(folder, written, folders.size_of(folder))


def _placed(staged: Staged, name: str, metrics: dict[str, float]) -> Checkpoint:
    """Two checkpoints within a second get two names. Raises NotPublished."""
    try:
        with transaction.atomic():
            return checkpoint_place(staged=staged, name=name, metrics=metrics)
    except IntegrityError:
        with transaction.atomic():
            other = f"{name}-{uuid4().hex[:8]}"
            return checkpoint_place(staged=staged, name=other, metrics=metrics)


def _refused(message: str) -> ApplicationError:
    return ApplicationError(
        code="checkpoint_not_written",
        message=message,
        remedy=_("Free some space, for example by deleting checkpoints, and try again."),
        status_code=status.HTTP_507_INSUFFICIENT_STORAGE,
    )
