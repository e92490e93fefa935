"""A checkpoint does not go while somebody begins to need it, whoever comes first."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import pytest
from django.db import connection, transaction

from apps.accounts.models import User
from apps.checkpoints.folders import checkpoint_folder
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.services import checkpoint_delete, checkpoint_promote
from apps.checkpoints.uses import checkpoints_hold, uses
from apps.common.errors import ApplicationError
from apps.evaluations.models import EvaluationArm
from apps.llms.models import Endpoint
from apps.runs import services as run_services
from apps.runs.models import Run
from apps.runs.requests import RunRequest
from apps.runs.services import run_create
from apps.setups.plan import set_up_plan
from apps.training import services as training_services
from apps.training.lifecycle import training_end
from apps.training.models import TrainingJob
from apps.training.plan import training_plan
from apps.training.retention import checkpoints_retain
from apps.training.services import training_delete
from apps.training.tests.conftest import MakeCheckpoint, MakeJob
from workers.core.events import TrainingEnded

Meanwhile = Callable[[Callable[[], object]], "Future[object]"]
MOMENT = 1.0
"""Long enough for what does not have to wait."""


@pytest.fixture
def meanwhile(transactional_db: None) -> Iterator[Meanwhile]:
    """Does something else in another thread, with a connection of its own."""
    with ThreadPoolExecutor(1) as threads:

        def begin(call: Callable[[], object]) -> Future[object]:
            def own() -> object:
                try:
                    return call()
                finally:
                    connection.close()

            future: Future[object] = threads.submit(own)
            wait([future], timeout=MOMENT)
            return future

        yield begin


def retain(job: TrainingJob) -> None:
    with transaction.atomic():
        checkpoints_retain(job=job)


def delete(job: TrainingJob) -> None:
    training_end(job_id=job.id, attempt=1, event=TrainingEnded(step=2, reason="completed"))
    assert job.created_by is not None
    training_delete(user=job.created_by, job_id=job.id, as_admin=False)


@pytest.mark.parametrize("make_room", [retain, delete])
def test_one_that_is_promoted_meanwhile_stays_or_is_told_as_deleted(
    meanwhile: Meanwhile,
    make_running: MakeJob,
    make_checkpoint: MakeCheckpoint,
    monkeypatch: pytest.MonkeyPatch,
    make_room: Callable[[TrainingJob], None],
) -> None:
    job = make_running(keep_checkpoints=1)
    first = make_checkpoint("first", job=job, step=1)
    make_checkpoint("second", job=job, step=2, promoted=True)
    promoted: list[Future[object]] = []

    def used(checkpoint: Checkpoint) -> list[str]:
        if checkpoint.pk == first.pk:
            promoted.append(meanwhile(lambda: checkpoint_promote(checkpoint=first)))
        return uses(checkpoint)

    monkeypatch.setattr("apps.training.retention.uses", used)
    make_room(job)
    error = promoted[0].exception()
    kept = Checkpoint.objects.filter(name="first", is_default=True).exists()
    assert kept == (error is None) == checkpoint_folder("first").is_dir()
    assert error is None or (isinstance(error, ApplicationError) and error.status_code == 404)


def test_who_deletes_waits_for_who_stores_and_then_sees_the_use(
    meanwhile: Meanwhile, make_checkpoint: MakeCheckpoint
) -> None:
    checkpoint = make_checkpoint("one")
    with transaction.atomic():
        checkpoints_hold(["one", ""])
        deleted = meanwhile(lambda: checkpoint_delete(checkpoint=checkpoint))
        run = {"method": "learner", "endpoint_key": "stub", "endpoint_spec": {}, "query": "q"}
        Run.objects.create(**run, checkpoint="one")
    error = deleted.exception()
    assert isinstance(error, ApplicationError)
    assert error.code == "checkpoint_in_use"
    assert Checkpoint.objects.filter(name="one").exists()


def test_many_hold_the_same_one_at_once(
    meanwhile: Meanwhile, make_checkpoint: MakeCheckpoint
) -> None:
    make_checkpoint("one")

    def hold() -> None:
        with transaction.atomic():
            checkpoints_hold(["one"])

    with transaction.atomic():
        checkpoints_hold(["one"])
        meanwhile(hold).result(timeout=30)


@pytest.mark.django_db
def test_one_that_went_after_the_plan_is_refused(
    make_checkpoint: MakeCheckpoint,
    make_job: MakeJob,
    endpoint: Endpoint,
    cast: dict[str, User],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def then_gone(plan: Callable[..., Any]) -> Callable[..., Any]:
        def planned(*asked: Any, **named: Any) -> Any:
            made = plan(*asked, **named)
            Checkpoint.objects.filter(name="one").delete()
            return made

        return planned

    monkeypatch.setattr(run_services, "set_up_plan", then_gone(set_up_plan))
    monkeypatch.setattr(training_services, "training_plan", then_gone(training_plan))
    request = RunRequest(query="q", method="learner", checkpoint="one")
    for make in (
        lambda: run_create(user=cast["operator"], request=request),
        lambda: make_job(start_from="one"),
    ):
        Checkpoint.objects.all().delete()
        make_checkpoint("one")
        with pytest.raises(ApplicationError) as caught:
            make()
        assert (caught.value.code, caught.value.status_code) == ("checkpoint_gone", 409)
    assert not Run.objects.exists()
    assert not TrainingJob.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("model", "index"), [(Run, "run_checkpoint"), (EvaluationArm, "evaluation_arm_checkpoint")]
)
def test_a_use_is_found_by_an_index(model: Any, index: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert index in model.objects.filter(checkpoint="one").order_by().explain()
