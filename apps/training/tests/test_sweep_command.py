"""`manage.py sweep`: a training per value and seed, evaluated side by side, taken up again."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.checkpoints.models import Checkpoint
from apps.evaluations.models import Evaluation
from apps.evaluations.statistics import evaluation_summary
from apps.llms.models import Endpoint
from apps.tasks.models import Dataset, Task
from apps.training.folders import training_folder
from apps.training.models import TrainingJob
from workers.core.methods.base import Beginning, Replayed, Sweep
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.sweeps import SWEEPS
from workers.core.testing.learner import Learner, LearnerRunConfig
from workers.core.testing.stub_process import running_stub

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sums")]
HERE = ("length", "--method", "learner", "--dataset", "sums")


@pytest.fixture(autouse=True)
def _quick(settings: Any) -> None:
    settings.RUN_HEARTBEAT_SECONDS = 0.05


@pytest.fixture
def sums(dataset: Dataset, endpoint: Endpoint) -> Dataset:
    """With two tasks to evaluate on: one that 2 steps of seed 5 answer, one that 3 steps do."""
    for index, total in enumerate((193, 193 * 31 + 3 + 5)):
        Task.objects.create(
            dataset=dataset,
            split="dev",
            index=10 + index,
            query=f"What is 1 + {total - 1}?",
            reference=str(total),
            verifier="numeric",
        )
    return dataset


def sweep(*arguments: str) -> str:
    said = StringIO()
    call_command("sweep", *arguments, stdout=said)
    return said.getvalue()


def values() -> dict[str, tuple[int, ...]]:
    jobs = TrainingJob.objects.order_by("created_at")
    return {job.name: (job.config["steps"], job.seed, job.attempt) for job in jobs}


def test_each_value_and_seed_is_trained_and_all_are_compared() -> None:
    said = sweep(*HERE, "--name", "how long", "--seeds", "2", "--seed", "5")
    assert values() == {
        "how long: 2 steps, seed 5": (2, 5, 1),
        "how long: 2 steps, seed 6": (2, 6, 1),
        "how long: 3 steps, seed 5": (3, 5, 1),
        "how long: 3 steps, seed 6": (3, 6, 1),
    }
    evaluation = Evaluation.objects.get()
    arms = {arm["label"]: arm["correct"] for arm in evaluation_summary(evaluation)["arms"]}
    assert arms == {
        "2 steps, seed 5": 1,
        "2 steps, seed 6": 0,
        "3 steps, seed 5": 1,
        "3 steps, seed 6": 0,
    }
    assert all(label in said for label in arms)
    checkpoints = evaluation.arms.order_by("index").values_list("checkpoint", flat=True)
    assert len(set(checkpoints)) == 4


class _AddsConfig(LearnerRunConfig):
    added: int = 0


CHAIN = Sweep(
    "short",
    {"one": {"steps": 2}, "other": {"steps": 3}, "both": {"steps": 1}},
    begins={"both": Beginning("one", {"beside": "other"})},
    replayed={"one, added to": Replayed("one", {"added": 1})},
)


def test_a_training_begins_with_what_earlier_ones_have_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Learner, "sweeps", {"chain": CHAIN})
    monkeypatch.setattr(Learner, "config_schema", _AddsConfig)
    asked = ("chain", *HERE[1:], "--name", "chained", "--seeds", "2")
    sweep(*asked)
    learned = {
        job.name: job.checkpoints.order_by("-step")[0].name for job in TrainingJob.objects.all()
    }
    for seed in (0, 1):
        both = TrainingJob.objects.get(name=f"chained: both, seed {seed}")
        assert both.start_from == learned[f"chained: one, seed {seed}"]
        assert both.config["beside"] == learned[f"chained: other, seed {seed}"]
    arms = {arm.label: arm for arm in Evaluation.objects.get().arms.all()}
    assert len(arms) == 8
    again = arms["one, added to, seed 1"]
    assert again.checkpoint == arms["one, seed 1"].checkpoint == learned["chained: one, seed 1"]
    assert (again.method_config, arms["one, seed 1"].method_config) == ({"added": 1}, {"added": 0})
    sweep(*asked)  # under its name it is the same one
    assert TrainingJob.objects.count() == 6

    for given, cause in (
        (("--start-from", "any"), "--start-from"),
        (("--set", "beside=x"), "vari"),
    ):
        with pytest.raises(CommandError, match=cause):
            sweep(*asked, *given)
    with pytest.raises(CommandError, match="1 to 7"):
        sweep(*asked[:-1], "8")


def test_a_stopped_sweep_goes_on_under_its_name() -> None:
    named = (*HERE, "--name", "twice", "--set", "fail_at=1")
    with pytest.raises(CommandError, match="the same name") as caught:
        sweep(*named)
    assert "Step 1 fails. Mend it." in str(caught.value)
    first = TrainingJob.objects.get()
    (training_folder(first.id) / "mended").touch()
    with pytest.raises(CommandError, match="3 steps"):
        sweep(*named)
    second = TrainingJob.objects.exclude(id=first.id).get()
    (training_folder(second.id) / "mended").touch()
    sweep(*named)
    said = sweep(*named)
    assert {job.attempt for job in TrainingJob.objects.all()} == {2}
    assert Evaluation.objects.count() == 1
    assert "2 steps" in said


def test_a_sweep_whose_process_was_killed_goes_on_at_once() -> None:
    """It left its training as it was: held, and without a sign of life from then on."""
    sweep(*HERE, "--name", "killed")
    silent = timezone.now() - timedelta(seconds=settings.RUN_LOST_AFTER_SECONDS + 1)
    second = TrainingJob.objects.get(name="killed: 3 steps")
    held = {"status": "running", "finished_at": None, "heartbeat_at": silent, "worker": "gone"}
    TrainingJob.objects.filter(id=second.id).update(**held)
    assert "3 steps" in sweep(*HERE, "--name", "killed")
    second.refresh_from_db()
    assert (second.status, second.attempt) == ("succeeded", 2)
    assert [notice["code"] for notice in second.notices] == ["worker_lost"]


def test_under_a_name_that_was_used_for_others_nothing_is_passed_off_as_what_is_asked() -> None:
    named = (*HERE, "--name", "named")
    sweep(*named)
    for others in (("--limit", "1"), ("--set", "peak=1"), ("--dev-limit", "1"), ("--seed", "9")):
        with pytest.raises(CommandError, match=r"with other settings.*another --name"):
            sweep(*named, *others)
    assert TrainingJob.objects.count() == 2
    assert Evaluation.objects.count() == 1


def test_a_training_of_the_same_name_that_no_sweep_made_is_left_alone() -> None:
    sweep(*HERE, "--name", "mine")
    TrainingJob.objects.filter(name="mine: 3 steps").update(idempotency_key=None)
    with pytest.raises(
        CommandError, match="“mine: 3 steps” already exists and does not come from a sweep"
    ):
        sweep(*HERE, "--name", "mine")
    assert TrainingJob.objects.count() == 2


def test_the_best_checkpoint_is_compared_where_one_is_known() -> None:
    sweep(*HERE, "--set", "peak=1", "--set", "checkpoint_every=1")
    compared = Evaluation.objects.get().arms.values_list("checkpoint", flat=True)
    steps = Checkpoint.objects.filter(name__in=compared).values_list("step", flat=True)
    assert list(steps) == [1, 1]


def test_a_training_that_its_budget_ended_is_not_compared_as_a_whole_one() -> None:
    asking = (*HERE, "--set", "ask=true", "--budget-tokens", "1")
    spent = r"spent its budget at step .* of 2.*--budget-tokens"
    with running_stub() as stub:
        Endpoint.objects.update(base_url=stub.url)
        with pytest.raises(CommandError, match=spent):
            sweep(*asking)
    assert TrainingJob.objects.get().end_reason == "budget"
    assert not Evaluation.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (("nope", *HERE[1:]), "no sweep “nope”. Its sweeps: length"),
        (("length", "--method", "direct", "--dataset", "sums"), "not a method that learns"),
        ((*HERE, "--seeds", "16"), "1 to 15"),
        ((*HERE, "--seeds", "0"), "1 to 15"),
        ((*HERE, "--name", "x" * 115), "longer than 120"),
        (HERE[:3], "--dataset"),
        ((*HERE, "--set", "steps=7"), "this sweep varies this setting"),
        ((*HERE, "--set", "step_seconds=-1"), "step_seconds"),
        (
            ("ablations", "--dataset", "sums", "--preset", "studio"),
            "“no JPSS” is the same training as “as published”",
        ),
        ((*HERE[:4], "nothing"), "nothing"),
    ],
)
def test_what_cannot_be_swept_is_refused_before_anything_is_stored(
    arguments: tuple[str, ...], cause: str
) -> None:
    with pytest.raises(CommandError) as caught:
        sweep(*arguments)
    assert cause in str(caught.value)
    assert not TrainingJob.objects.exists()
    assert not Evaluation.objects.exists()


def test_mashosts_sweeps_are_settings_that_it_takes() -> None:
    from workers.core.methods.mashost.method import MasHost

    for name, found in SWEEPS.items():
        configs = [
            MasHostTrainingConfig.model_validate(MasHost.presets[found.preset] | dict(value))
            for value in found.values.values()
        ]
        assert len({json.dumps(c.model_dump(mode="json")) for c in configs}) == len(configs), name
