"""Trains a method once per value and seed of a sweep, then evaluates all trainings side by side.

manage.py sweep rounds --name "rounds on gsm8k" --dataset gsm8k --limit 200 --dev-limit 100
manage.py sweep ablations … --seeds 3      the method as published, and without each of its parts

Its trainings and its evaluation are the studio's usual ones, named after the sweep. To continue a
stopped sweep, start it again with the same name and settings. The evaluation compares the best
checkpoint of each training if tasks were held out to judge by, or else the last one.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TextIO, TypeVar, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Model, QuerySet
from pydantic import ValidationError

from apps.accounts.models import User
from apps.checkpoints.models import Checkpoint
from apps.common.errors import ApplicationError
from apps.common.names import NAME_CHARS
from apps.evaluations.models import ACTIVE, Evaluation
from apps.evaluations.requests import MAX_ARMS, ArmRequest, EvaluationRequest
from apps.evaluations.services import evaluation_create, evaluation_resume
from apps.evaluations.statistics import evaluation_summary
from apps.setups.learning import complete_config, learning_methods
from apps.training.models import TrainingJob
from apps.training.requests import TrainingRequest
from apps.training.retention import best
from apps.training.services import training_create
from studio.management.evaluating import drive_here, stopped
from studio.management.report import report_lines
from studio.management.training import Drive, add_request_arguments, read_request, take_up
from studio.management.training_display import Display
from studio.management.users import user_named
from workers.core.methods.base import Beginning, LearningMethod, Sweep
from workers.core.methods.registry import METHODS
from workers.core.specs import Budget

AGAIN = "To continue, start the sweep again with the same name."
Made = TypeVar("Made", bound=Model)


@dataclass(frozen=True, slots=True)
class Planned:
    """One training of the sweep. `arm` is its name in the evaluation."""

    label: str
    arm: str
    request: TrainingRequest
    begins: Beginning | None

    @property
    def seed(self) -> int:
        return self.request.seed or 0


Trained = dict[tuple[str, int], TrainingJob]
"""By label and seed."""


class Command(BaseCommand):
    help = "Train a method once per value of a sweep, then evaluate all trainings side by side."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "sweep",
            help="; ".join(
                f"of {key}: {', '.join(method.sweeps)}"
                for key, method in learning_methods().items()
            ),
        )
        add_request_arguments(parser)
        parser.add_argument(
            "--name",
            help=(
                "name of the evaluation and prefix of the trainings' names (default: sweep, method "
                "and dataset)"
            ),
        )
        parser.add_argument(
            "--seeds",
            type=int,
            default=1,
            help="number of trainings per value, each with another seed",
        )
        parser.add_argument(
            "--dev-split", default="dev", help="split to evaluate on (default: dev)"
        )
        parser.add_argument(
            "--dev-limit", type=int, help="use only the first N tasks of that split"
        )
        parser.add_argument(
            "--concurrency", type=int, default=4, help="answers that run at once in the evaluation"
        )

    def handle(self, **options: Any) -> None:
        user = user_named(options["user"])
        display = Display(cast("TextIO", self.stdout._out))
        try:
            sweep, planned = _plan(options)
            jobs: Trained = {}
            for one in planned:
                jobs[one.label, one.seed] = _trained(user, _begun(one, jobs), display)
            arms = [_arm(jobs[one.label, one.seed], one.arm) for one in planned]
            arms += _replayed(sweep, jobs, seeds=options["seeds"])
            evaluation = _evaluated(user, options, planned[0].request, arms)
        except ApplicationError as error:
            raise CommandError(error.lines()) from error
        for warning in evaluation.warnings:
            self.stderr.write(f"Warning: {warning['message']}")
        for line in report_lines(evaluation_summary(evaluation)):
            self.stdout.write(line)
        if evaluation.status != Evaluation.Status.SUCCEEDED:
            raise CommandError(stopped(evaluation, AGAIN))


def _plan(options: dict[str, Any]) -> tuple[Sweep, list[Planned]]:
    sweep = _sweep(options["method"], options["sweep"])
    if not options["name"]:
        options["name"] = f"{options['sweep']} of {options['method']} on {options['dataset']}"
    options["preset"] = options["preset"] or sweep.preset
    request = read_request(options)
    arms = len(sweep.values) + len(sweep.replayed)
    if not 1 <= options["seeds"] <= MAX_ARMS // arms:
        raise CommandError(
            f"--seeds must be 1 to {MAX_ARMS // arms}. The sweep compares {arms} arms, and an "
            f"evaluation has at most {MAX_ARMS}."
        )
    _check_values(sweep, request)
    return sweep, list(_trainings(sweep, request, options["seeds"]))


def _sweep(key: str, name: str) -> Sweep:
    method = METHODS.get(key)
    if method is None or not method.learns:
        known = ", ".join(method.key for method in METHODS.values() if method.learns)
        raise CommandError(f"“{key}” is not a method that learns. Use one of: {known}.")
    sweeps = cast("LearningMethod", method).sweeps
    if name not in sweeps:
        known = ", ".join(sweeps) or "none"
        raise CommandError(f"{method.name} has no sweep “{name}”. Its sweeps: {known}.")
    return sweeps[name]


def _check_values(sweep: Sweep, request: TrainingRequest) -> None:
    """Raise unless each value is what its label says and no two values give the same training."""
    varied = {name for values in sweep.values.values() for name in values}
    varied |= {name for beginning in sweep.begins.values() for name in beginning.settings}
    if sweep.begins and request.start_from:
        raise CommandError(
            "--start-from: in this sweep, trainings begin with what others of it have learned. "
            "Leave the option out."
        )
    if fixed := sorted(varied & request.config.keys()):
        raise CommandError(
            f"--set {fixed[0]}: this sweep varies this setting. Leave the option out, or train "
            "without a sweep: manage.py train"
        )
    method = cast("LearningMethod", METHODS[request.method])
    labels: dict[str, str] = {}
    for label, values in sweep.values.items():
        try:
            config = complete_config(method, request.preset or "", {**request.config, **values})
        except ValidationError as error:
            raise ApplicationError.from_pydantic(error, prefix="config") from error
        other = labels.setdefault(json.dumps(config, sort_keys=True), label)
        if other != label:
            raise CommandError(
                f"With the preset “{request.preset}”, “{label}” is the same training as "
                f"“{other}”. This sweep belongs to the preset “{sweep.preset}”. Leave --preset "
                "out."
            )


def _trainings(sweep: Sweep, request: TrainingRequest, seeds: int) -> Iterator[Planned]:
    first = request.seed or 0
    for label, values in sweep.values.items():
        for seed in range(first, first + seeds):
            arm = _arm_name(label, seed, seeds)
            name = f"{request.name}: {arm}"
            if len(name) > NAME_CHARS:
                raise CommandError(
                    f"The name “{name}” is longer than {NAME_CHARS} characters. Choose a "
                    "shorter --name."
                )
            settings = {"name": name, "seed": seed, "config": {**request.config, **values}}
            changed = request.model_copy(update=settings)
            yield Planned(label, arm, changed, sweep.begins.get(label))


def _arm_name(label: str, seed: int, seeds: int) -> str:
    return label if seeds == 1 else f"{label}, seed {seed}"


def _begun(planned: Planned, jobs: Trained) -> Planned:
    """With the checkpoints of the earlier trainings that it begins with, of the same seed."""
    if planned.begins is None:
        return planned

    def learned(label: str) -> str:
        return _checkpoint(jobs[label, planned.seed]).name

    named = {name: learned(label) for name, label in planned.begins.settings.items()}
    settings = {
        "start_from": learned(planned.begins.start_from),
        "config": {**planned.request.config, **named},
    }
    return replace(planned, request=planned.request.model_copy(update=settings))


def _replayed(sweep: Sweep, jobs: Trained, *, seeds: int) -> Iterator[ArmRequest]:
    for name, replayed in sweep.replayed.items():
        for (label, seed), job in jobs.items():
            if label == replayed.label:
                yield _arm(job, _arm_name(name, seed, seeds), replayed.options)


def _trained(user: User, planned: Planned, display: Display) -> TrainingJob:
    """The finished training of this plan: continues the one from an earlier start, or makes it."""

    def made(key: str) -> TrainingJob:
        request = planned.request
        return training_create(user=user, request=request, idempotency_key=key, enqueue=False).row

    job = _once(TrainingJob.objects.filter(created_by=user), planned.request.name or "", made)
    if job.status != TrainingJob.Status.SUCCEEDED:
        take_up(job, user)
        display.say(f"Training {job.id}: {job.name}")
        with display.shown():
            Drive(job, user, display).run()
        job.refresh_from_db()
    if job.status != TrainingJob.Status.SUCCEEDED:
        cause = job.failure or {}
        told = f"{cause.get('message', '')} {cause.get('remedy', '')}".strip()
        raise CommandError(f"“{job.name}” is {job.status} at step {job.step}. {told}\n{AGAIN}")
    if job.end_reason == TrainingJob.EndReason.BUDGET:
        raise CommandError(
            f"“{job.name}” spent its budget at step {job.step} of {job.total_steps}. The sweep "
            "compares only complete trainings. Raise its budget with manage.py train --resume "
            f"{job.id} --budget-tokens or --budget-cost MORE, then start the sweep again."
        )
    return job


def _once(own: QuerySet[Made], name: str, made: Callable[[str], Made]) -> Made:
    """What `made` returns for the sweep's key: a stored one only if its settings are the same."""
    key = f"sweep: {name}"
    named = own.filter(name=name)
    if named.exists() and not named.filter(idempotency_key=key).exists():
        raise CommandError(
            f"“{name}” already exists and does not come from a sweep of this version. Choose "
            "another --name."
        )
    try:
        return made(key)
    except ApplicationError as error:
        if error.code != "idempotency_conflict":
            raise
        raise CommandError(
            f"“{name}” already exists, from a sweep with other settings. Choose another --name, "
            "or use the earlier settings."
        ) from error


def _checkpoint(job: TrainingJob) -> Checkpoint:
    found = list(job.checkpoints.all())
    if not found:
        raise CommandError(f"The checkpoints of “{job.name}” were deleted. Choose another --name.")
    return best(found)[0]


def _arm(
    job: TrainingJob, label: str, options: Mapping[str, Any] = MappingProxyType({})
) -> ArmRequest:
    checkpoint = _checkpoint(job)
    pool = job.pool_version.pool if job.pool_version else None
    if job.pool_version and pool is None:
        raise CommandError(
            f"The pool of “{job.name}” was deleted. Choose another --name and --pool."
        )
    endpoint = (job.endpoint_spec or {}).get("key")
    return ArmRequest(
        method=job.method,
        method_config=dict(options),
        checkpoint=checkpoint.name,
        label=label,
        pool=pool.key if pool else None,
        endpoint=endpoint,
    )


def _evaluated(
    user: User, options: dict[str, Any], request: TrainingRequest, arms: list[ArmRequest]
) -> Evaluation:
    """Evaluate with the limits that the systems had in training, without their time limit."""
    limits = request.per_system.model_dump(exclude={"max_seconds"}, exclude_unset=True)
    asked = EvaluationRequest(
        dataset=options["dataset"],
        split=options["dev_split"],
        limit=options["dev_limit"],
        concurrency=options["concurrency"],
        name=options["name"],
        arms=tuple(arms),
        budget=Budget(**limits),
        seed=request.seed or 0,
    )

    def made(key: str) -> Evaluation:
        creation = evaluation_create(user=user, request=asked, idempotency_key=key, enqueue=False)
        return creation.row

    evaluation = _once(Evaluation.objects.filter(created_by=user), options["name"], made)
    if evaluation.status not in (*ACTIVE, Evaluation.Status.SUCCEEDED):
        evaluation_resume(user=user, evaluation_id=evaluation.id, as_admin=True, enqueue=False)
    if evaluation.status != Evaluation.Status.SUCCEEDED:
        drive_here(evaluation)
    return evaluation
