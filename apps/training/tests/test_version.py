"""Which code trains: a checkout's commit or an image's, that of the worker and not of who asked."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from celery.signals import worker_init
from django.conf import settings as django_settings
from pytest_django import Settings

from apps.common.version import code_version
from apps.training import lifecycle
from apps.training.lifecycle import training_claim, training_give_back
from apps.training.models import TrainingJob
from apps.training.tests.conftest import MakeJob
from workers.tasks.training import remember_version

ROOT = django_settings.BASE_DIR
ASK = "from apps.common.version import code_version; print(code_version())"
Claim = Callable[[str, int], TrainingJob]


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    code_version.cache_clear()
    yield
    code_version.cache_clear()


class TestWhichItIs:
    def test_that_of_a_checkout(self, settings: Settings, tmp_path: Path) -> None:
        settings.COMMIT, settings.BASE_DIR = "", tmp_path
        commit = ("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "--allow-empty")
        for command in (("init", "--quiet"), (*commit, "--quiet", "--message=m")):
            subprocess.run(("git", "-C", tmp_path, *command), check=True)
        head = subprocess.run(
            ("git", "-C", tmp_path, "rev-parse", "HEAD"), capture_output=True, text=True, check=True
        )
        version, commit_of_it = code_version().split("+g")
        assert version == settings.VERSION
        assert len(commit_of_it) >= 7
        assert head.stdout.startswith(commit_of_it)

    def test_the_bare_one_where_nobody_knows_the_commit(
        self, settings: Settings, tmp_path: Path
    ) -> None:
        settings.COMMIT, settings.BASE_DIR = "", tmp_path
        assert code_version() == settings.VERSION

    def test_that_of_an_image_which_was_told_when_it_was_built(self) -> None:
        told = subprocess.run(
            [sys.executable, "-c", ASK],
            cwd=ROOT,
            env={**os.environ, "STUDIO_COMMIT": "ab12cd3-dirty"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert told.stdout.strip() == f"{django_settings.VERSION}+gab12cd3-dirty"

    def test_every_image_is_told(self) -> None:
        services: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
        builds = [each["build"] for each in services["services"].values() if "build" in each]
        assert {build["target"] for build in builds} == {"runtime", "gpu"}
        assert all(build["args"]["STUDIO_COMMIT"] == "${STUDIO_COMMIT:-}" for build in builds)
        runtime = (ROOT / "docker" / "Dockerfile").read_text().split(" AS runtime\n")[1]
        assert "\nARG STUDIO_COMMIT\nENV STUDIO_COMMIT=$STUDIO_COMMIT\n" in runtime

    def test_that_with_which_a_worker_started_although_the_checkout_was_updated_since(
        self, settings: Settings
    ) -> None:
        assert remember_version in [receiver for _, receiver in worker_init.receivers]
        settings.COMMIT = "started"
        remember_version()
        settings.COMMIT = "updated"
        assert code_version() == f"{settings.VERSION}+gstarted"


@pytest.mark.django_db
class TestClaim:
    @pytest.fixture
    def job(self, make_job: MakeJob) -> TrainingJob:
        return make_job()

    @pytest.fixture
    def claimed(self, job: TrainingJob, monkeypatch: pytest.MonkeyPatch) -> Claim:
        """By a worker of a version, after a step."""

        def claim(version: str, step: int) -> TrainingJob:
            TrainingJob.objects.filter(id=job.id).update(step=step)
            monkeypatch.setattr(lifecycle, "code_version", lambda: version)
            claimed = training_claim(job_id=job.id, worker="w")
            assert claimed is not None
            assert TrainingJob.objects.get(id=job.id).notices == claimed.notices
            training_give_back(job_id=job.id, attempt=claimed.attempt)
            return claimed

        return claim

    def test_it_signs_with_the_workers_version(self, job: TrainingJob, claimed: Claim) -> None:
        assert job.code_version == ""
        assert claimed("1+ga", 0).code_version == "1+ga"
        job.refresh_from_db()
        assert job.code_version == "1+ga"

    def test_a_version_other_than_that_of_the_steps_before_is_told(self, claimed: Claim) -> None:
        claimed("1+ga", 0)
        assert told(claimed("1+ga", 1_203)) == []
        assert told(claimed("1+gb", 1_204)) == [
            "It continued after step 1,204 with version 1+gb instead of 1+ga."
        ]

    def test_before_the_first_step_there_is_nothing_to_tell(self, claimed: Claim) -> None:
        claimed("1+ga", 0)
        assert told(claimed("1+gb", 0)) == []


def told(job: TrainingJob) -> list[str]:
    return [each["message"] for each in job.notices if each["code"] == "version_changed"]
