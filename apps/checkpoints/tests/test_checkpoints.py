"""Checkpoints: published whole or not at all, kept, promoted, deleted."""

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from apps.accounts.models import User
from apps.checkpoints import folders
from apps.checkpoints.folders import NotPublished
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.registering import _step, checkpoints_register, checkpoints_ship
from apps.checkpoints.services import checkpoint_delete, checkpoint_promote, checkpoint_update
from apps.checkpoints.uses import uses
from apps.common.errors import ApplicationError
from apps.evaluations.models import Evaluation, EvaluationArm
from apps.llms.models import Endpoint
from apps.runs.models import Run
from apps.runs.requests import RunRequest
from apps.runs.services import run_create
from apps.setups.plan import set_up_plan
from apps.setups.wanted import UNTRAINED, SetUpWanted
from apps.training.folders import saved_folder, training_folder
from apps.training.lifecycle import Fenced, training_claim, training_end
from apps.training.models import TrainingJob
from apps.training.records import checkpoint_record
from apps.training.retention import best, checkpoints_retain
from apps.training.services import training_delete
from apps.training.tests.conftest import MakeCheckpoint, MakeJob, save_checkpoint
from workers.core import checkpoints
from workers.core.checkpoints import ensure_shipped, load
from workers.core.events import CheckpointSaved, TrainingEnded
from workers.core.methods.mashost.initial import ensure_initial
from workers.core.testing.checkpoints import trained_info
from workers.core.testing.disk import full_disk

pytestmark = pytest.mark.django_db


def saved(job: TrainingJob, step: int, **metrics: float) -> CheckpointSaved:
    """As core leaves it below the job's folder."""
    name = f"step-{step:06d}"
    folder = training_folder(job.id) / "checkpoints" / name
    return CheckpointSaved(
        step=step, name=name, sha256=save_checkpoint(folder, step).sha256, metrics=metrics
    )


def publish(job: TrainingJob, step: int, **metrics: float) -> str:
    event = saved(job, step, **metrics)
    name = checkpoint_record(job_id=job.id, attempt=job.attempt, event=event)
    assert name is not None
    return name


def taken_up_again(job: TrainingJob, *, step: int) -> TrainingJob:
    """By another worker, after `step` steps."""
    TrainingJob.objects.filter(id=job.id).update(status="queued", step=step)
    claimed = training_claim(job_id=job.id, worker="tests:2:bb")
    assert claimed is not None
    return claimed


class TestPublish:
    def test_told_twice_it_is_there_once(self, make_running: MakeJob, data_dir: Path) -> None:
        job = make_running(name="Ünïcode & more")
        assert publish(job, 3) == publish(job, 3) == "unicode-more-step-000003"
        assert not saved_folder(job.id, "step-000003").exists(), "it could come back"
        event = CheckpointSaved(step=3, name="step-000003", sha256="")
        assert checkpoint_record(job_id=job.id, attempt=1, event=event)  # its own copy has gone
        assert Checkpoint.objects.count() == 1
        _, tensors = load(data_dir / "checkpoints" / "unicode-more-step-000003", method="learner")
        assert tensors["value"].item() == 3.0

    def test_a_name_without_letters(self, make_running: MakeJob) -> None:
        assert publish(make_running(name="…"), 1) == "learner-step-000001"

    def test_a_lost_folder_comes_back(self, make_running: MakeJob, data_dir: Path) -> None:
        job = make_running(name="a")
        name = publish(job, 3)
        folders.remove(name)
        publish(job, 3)
        assert (data_dir / "checkpoints" / name / "checkpoint.json").is_file()

    @pytest.mark.django_db(transaction=True)
    def test_one_that_was_deleted_meanwhile_stops_no_training(self, make_running: MakeJob) -> None:
        job = make_running(name="a")
        event = saved(job, 1_500)
        name = checkpoint_record(job_id=job.id, attempt=job.attempt, event=event)
        checkpoint_delete(checkpoint=Checkpoint.objects.get(name=name))
        for _ in range(2):  # its last step is told at every resume
            job = taken_up_again(job, step=1_500)
            assert checkpoint_record(job_id=job.id, attempt=job.attempt, event=event) is None
        job.refresh_from_db()
        (notice,) = job.notices
        assert notice["code"] == "checkpoint_deleted"
        assert "step 1,500 was published and then deleted" in notice["message"]
        assert Checkpoint.objects.count() == 0
        assert publish(job, 1_501) == "a-step-001501"

    def test_what_the_attempt_before_could_not_publish_is_published(
        self, make_running: MakeJob
    ) -> None:
        job = make_running(name="a")
        event = saved(job, 3)
        job = taken_up_again(job, step=3)
        assert checkpoint_record(job_id=job.id, attempt=job.attempt, event=event)

    def test_a_new_step_whose_checkpoint_cannot_be_read_is_told(
        self, make_running: MakeJob
    ) -> None:
        job = taken_up_again(make_running(), step=2)
        TrainingJob.objects.filter(id=job.id).update(step=3)  # its metrics come first
        for name in ("step-000003", "../../x"):
            event = CheckpointSaved(step=3, name=name, sha256="")
            with pytest.raises(NotPublished) as caught:
                checkpoint_record(job_id=job.id, attempt=job.attempt, event=event)
            assert caught.value.failure.code == "checkpoint_unreadable"

    def test_a_former_attempt_publishes_nothing(
        self, make_running: MakeJob, data_dir: Path
    ) -> None:
        job = make_running()
        event = saved(job, 1)
        with pytest.raises(Fenced):
            checkpoint_record(job_id=job.id, attempt=7, event=event)
        assert Checkpoint.objects.count() == 0
        assert list((data_dir / "checkpoints").glob("*/*")) == []

    def test_a_full_disk_leaves_nothing_behind_and_says_so(
        self, make_running: MakeJob, data_dir: Path
    ) -> None:
        job = make_running()
        large = {"value": torch.zeros(100_000)}
        written = checkpoints.save(
            saved_folder(job.id, "step-000001"), large, trained_info("learner")
        )
        event = CheckpointSaved(step=1, name="step-000001", sha256=written.sha256)
        with full_disk(), pytest.raises(NotPublished) as caught:
            checkpoint_record(job_id=job.id, attempt=1, event=event)
        assert caught.value.failure.code == "disk_full"
        assert "resume" in caught.value.failure.remedy
        assert Checkpoint.objects.count() == 0
        assert list((data_dir / "checkpoints").glob("*/*")) == []
        assert checkpoint_record(job_id=job.id, attempt=1, event=event)


class TestRetention:
    def kept(self, job: TrainingJob) -> list[int]:
        checkpoints_retain(job=job)
        return sorted(job.checkpoints.values_list("step", flat=True))

    def fill(self, job: TrainingJob, rewards: list[float]) -> None:
        for step, reward in enumerate(rewards, 1):
            of = {"method": "learner", "job": job, "metrics": {"held_out_reward": reward}}
            Checkpoint.objects.create(name=f"c{step}", step=step, **of)

    @pytest.mark.parametrize(("most", "kept"), [(3, [2, 4, 5]), (1, [2, 5])])
    def test_the_best_and_the_newest(
        self, make_running: MakeJob, most: int, kept: list[int]
    ) -> None:
        job = make_running(keep_checkpoints=most)
        self.fill(job, [0.1, 0.9, 0.2, 0.3, 0.4])
        assert self.kept(job) == kept

    def test_promoted_and_used_ones_stay(self, make_running: MakeJob, endpoint: Endpoint) -> None:
        job = make_running(keep_checkpoints=2)
        self.fill(job, [0.1, 0.2, 0.3, 0.4, 0.5])
        Checkpoint.objects.filter(step=1).update(promoted=True)
        of = {"method": "learner", "checkpoint": "c2", "endpoint_key": "stub"}
        Run.objects.create(query="q", endpoint_spec={}, **of)
        assert self.kept(job) == [1, 2, 5]

    def test_what_others_began_with_stays_with_its_lineage(
        self, make_running: MakeJob, make_checkpoint: MakeCheckpoint, cast: dict[str, User]
    ) -> None:
        """Else nobody knows any more what they were trained on first."""
        first, later = make_running(), make_running()
        self.fill(first, [0.1, 0.2])
        TrainingJob.objects.filter(id=later.id).update(start_from="c1")
        make_checkpoint("brought", recipe={"start_from": "c2"})
        for job in (first, later):
            training_end(job_id=job.id, attempt=1, event=TrainingEnded(step=2, reason="completed"))
        one, two = first.checkpoints.order_by("step")
        assert uses(one) == ["trainings that start from it"]
        assert uses(two) == ["checkpoints that began from it"]
        make_checkpoint("paid", recipe={"config": {"reward_checkpoint": "brought"}})
        brought = Checkpoint.objects.get(name="brought")
        assert uses(brought) == ["checkpoints that learned from its rewards"]
        training_delete(user=cast["operator"], job_id=first.id, as_admin=False)
        assert Checkpoint.objects.filter(name__in=("c1", "c2")).count() == 2

    def test_held_out_reward_decides_and_else_the_newest(self) -> None:
        found = [
            Checkpoint(step=1, metrics={"reward": 0.9}),
            Checkpoint(step=2, metrics={"reward": 0.1, "held_out_reward": 0.3}),
            Checkpoint(step=3, metrics={"reward": 0.2, "held_out_reward": 0.2}),
        ]
        assert [c.step for c in best(found)] == [2, 3]
        lucky = [Checkpoint(step=n, metrics={"reward": 1 - n / 10}) for n in (1, 2, 3)]
        assert [c.step for c in best(lucky)] == [3, 2, 1]


class TestPromotion:
    def test_a_change_of_the_label_meanwhile_does_not_undo_it(
        self, make_checkpoint: MakeCheckpoint
    ) -> None:
        checkpoint = make_checkpoint("first")
        stale = Checkpoint.objects.get(pk=checkpoint.pk)
        checkpoint_promote(checkpoint=checkpoint)
        changed = checkpoint_update(checkpoint=stale, values={"label": "renamed"})
        checkpoint.refresh_from_db()
        for one in (checkpoint, changed):
            assert (one.label, one.is_default, one.promoted) == ("renamed", True, True)
        with pytest.raises(ApplicationError, match="is the default"):
            checkpoint_update(checkpoint=stale, values={"promoted": False})

    def test_runs_that_name_none_use_it(
        self, make_checkpoint: MakeCheckpoint, cast: dict[str, User], endpoint: Endpoint
    ) -> None:
        def asked(**values: Any) -> str:
            request = RunRequest(query="q", method="learner", **values)
            return run_create(user=cast["operator"], request=request).row.checkpoint

        first, second = make_checkpoint("first"), make_checkpoint("second")
        assert asked() == ""
        checkpoint_promote(checkpoint=first)
        assert asked() == "first"
        checkpoint_promote(checkpoint=second)
        assert (asked(), asked(checkpoint="first")) == ("second", "first")
        first.refresh_from_db()
        assert (first.is_default, first.promoted) == (False, True)

    def test_one_that_was_deleted_meanwhile_is_told(self, make_checkpoint: MakeCheckpoint) -> None:
        stale = make_checkpoint("first")
        before = make_checkpoint("second", is_default=True)
        checkpoint_delete(checkpoint=Checkpoint.objects.get(pk=stale.pk))
        with pytest.raises(ApplicationError, match="has been deleted") as caught:
            checkpoint_promote(checkpoint=stale)
        assert caught.value.status_code == 404
        assert Checkpoint.objects.get(is_default=True) == before

    def test_one_without_its_folder_is_refused(self, make_checkpoint: MakeCheckpoint) -> None:
        lost = make_checkpoint("lost")
        folders.remove("lost")
        with pytest.raises(ApplicationError, match="Choose another checkpoint") as caught:
            checkpoint_promote(checkpoint=lost)
        assert (caught.value.code, caught.value.status_code) == ("checkpoint_missing", 409)
        lost.refresh_from_db()
        assert not lost.is_default

    def test_the_method_as_it_is_can_still_be_asked(
        self, make_checkpoint: MakeCheckpoint, endpoint: Endpoint
    ) -> None:
        checkpoint_promote(checkpoint=make_checkpoint("first"))
        asked = [None, UNTRAINED, "first"]
        used = [
            set_up_plan(SetUpWanted(method="learner", checkpoint=name)).checkpoint for name in asked
        ]
        assert used == ["first", "", "first"]

    def test_a_training_without_one_begins_untrained(
        self, make_checkpoint: MakeCheckpoint, make_job: MakeJob, data_dir: Path
    ) -> None:
        checkpoint_promote(checkpoint=make_checkpoint("first"))
        folders.remove("first")
        assert make_job().start_from == ""


class TestDelete:
    def test_the_folder_goes_with_the_row(
        self,
        make_checkpoint: MakeCheckpoint,
        data_dir: Path,
        django_capture_on_commit_callbacks: Any,
    ) -> None:
        checkpoint = make_checkpoint("gone")
        with django_capture_on_commit_callbacks(execute=True):
            checkpoint_delete(checkpoint=checkpoint)
        assert Checkpoint.objects.count() == 0
        assert not (data_dir / "checkpoints" / "gone").exists()

    def test_not_what_something_names(
        self, make_checkpoint: MakeCheckpoint, make_job: MakeJob
    ) -> None:
        checkpoint = make_checkpoint("used")
        of = {"method": "learner", "checkpoint": "used", "endpoint_key": "stub"}
        evaluation = Evaluation.objects.create(name="e")
        EvaluationArm.objects.create(
            evaluation=evaluation, index=0, label="l", endpoint_spec={}, **of
        )
        make_job(start_from="used")
        with pytest.raises(ApplicationError) as caught:
            checkpoint_delete(checkpoint=checkpoint)
        assert caught.value.code == "checkpoint_in_use"
        assert "trainings that start from it, evaluations" in caught.value.message


class TestRegister:
    def test_what_lies_there_gets_a_row_once(self, data_dir: Path) -> None:
        root = data_dir / "checkpoints"
        ensure_initial(root)
        save_checkpoint(root / "brought")
        (root / "no-checkpoint").mkdir()
        (root / ".staging" / "x").mkdir(parents=True)
        assert checkpoints_register() == ["brought", "mashost-initial"]
        assert checkpoints_register() == []
        initial = Checkpoint.objects.get(name="mashost-initial")
        assert (initial.trained, initial.is_default, initial.method) == (False, False, "mashost")
        assert initial.size_bytes > 1_000

    @pytest.mark.parametrize(
        "told",
        [
            {"label": "half \0 read"},
            {"recipe": {"notes": ["a \0 in it"]}},
            {"recipe": {"a \0 key": 1}},
            {"recipe": {"learning_rate": float("nan")}},
            {"sha256": "f" * 65},
        ],
    )
    def test_one_that_no_row_can_hold_is_left_alone_and_told(
        self, data_dir: Path, caplog: pytest.LogCaptureFixture, told: dict[str, Any]
    ) -> None:
        root = data_dir / "checkpoints"
        for name in ("a", "b", "c"):
            save_checkpoint(root / name)
        file = root / "b" / "checkpoint.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | told))
        assert checkpoints_register() == ["a", "c"]
        assert "left alone" in caplog.text
        assert "'b'" in caplog.text
        assert file.is_file()

    @pytest.mark.parametrize("name", [b"b" * 121, b"b\xff"])
    def test_a_name_that_no_row_can_hold(
        self, data_dir: Path, caplog: pytest.LogCaptureFixture, name: bytes
    ) -> None:
        root = data_dir / "checkpoints"
        for folder in ("a", os.fsdecode(name), "c"):
            save_checkpoint(root / folder)
        assert checkpoints_register() == ["a", "c"]
        assert "left alone" in caplog.text

    def test_a_folder_that_is_no_checkpoint_needs_no_warning(
        self, data_dir: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        assert checkpoints_register() == [], "nothing is there"
        (data_dir / "checkpoints" / "notes").mkdir(parents=True)
        assert checkpoints_register() == []
        assert not caplog.records


class TestShipped:
    @pytest.fixture(autouse=True)
    def _shipped(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.source = tmp_path / "methods"
        self.comes("comes-with-it")
        monkeypatch.setattr(
            "apps.checkpoints.registering.ensure_shipped",
            partial(ensure_shipped, source=self.source),
        )

    def comes(self, name: str) -> None:
        save_checkpoint(self.source / "learner" / "checkpoints" / name)

    def test_it_is_the_default_where_none_was_chosen(self) -> None:
        checkpoints_ship()
        shipped = Checkpoint.objects.get(name="comes-with-it")
        assert (shipped.is_default, shipped.promoted, shipped.method) == (True, True, "learner")
        assert not Checkpoint.objects.get(name="mashost-initial").is_default

    def test_of_several_the_last_by_name_is(self) -> None:
        self.comes("comes-with-it-2")
        checkpoints_ship()
        default = Checkpoint.objects.get(method="learner", is_default=True)
        assert default.name == "comes-with-it-2"

    def test_an_update_brings_a_newer_one_and_changes_no_default(self) -> None:
        checkpoints_ship()
        self.comes("comes-with-it-2")
        checkpoints_ship()
        assert Checkpoint.objects.filter(name="comes-with-it-2", trained=True).exists()
        default = Checkpoint.objects.get(method="learner", is_default=True)
        assert default.name == "comes-with-it"

    def test_a_choice_is_not_changed(self, make_checkpoint: MakeCheckpoint) -> None:
        checkpoint_promote(checkpoint=make_checkpoint("mine"))
        checkpoints_ship()
        checkpoints_ship()
        default = Checkpoint.objects.get(method="learner", is_default=True)
        assert default.name == "mine"
        assert Checkpoint.objects.filter(name="comes-with-it").count() == 1

    def test_a_damaged_one_does_not_keep_the_studio_from_starting(
        self, data_dir: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        checkpoints_ship()
        Checkpoint.objects.update(is_default=False)
        (data_dir / "checkpoints" / "comes-with-it" / "checkpoint.json").write_text("{")
        checkpoints_ship()
        assert not Checkpoint.objects.filter(is_default=True).exists()
        assert "learner has no default checkpoint" in caplog.text


def test_what_killed_processes_staged_is_swept(data_dir: Path, make_running: MakeJob) -> None:
    left = data_dir / "checkpoints" / ".staging" / "left"
    left.mkdir(parents=True)
    os.utime(left, (1, 1))
    publish(make_running(), 1)
    assert not left.exists()


@pytest.mark.parametrize(
    ("told", "step"),
    [(7, 7), (2**31 - 1, 2**31 - 1), ("7", 0), (-1, 0), (2**31, 0), (True, 0), (5.0, 0), (None, 0)],
)
def test_a_step_that_is_no_number_of_steps_is_none(told: object, step: int) -> None:
    found = _step(trained_info("learner", recipe={"step": told}))
    assert (type(found), found) == (int, step)
