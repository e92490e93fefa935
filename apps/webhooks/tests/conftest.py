"""Webhooks of the cast, jobs of theirs that have ended, and a receiver."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.evaluations.models import Evaluation
from apps.training.models import TrainingJob
from apps.webhooks.models import Webhook
from apps.webhooks.tests.receiver import Receiver, receiving

FAILURE = {"code": "endpoint_away", "message": "It is away.", "remedy": "Start it."}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def hook(cast: dict[str, User], receiver: Receiver) -> Webhook:
    """The curator's, made an hour ago: only such a one may reach this machine."""
    return Webhook.objects.create(
        owner=cast["curator"],
        name="Builds",
        url=receiver.url,
        allow_private_address=True,
        active_since=timezone.now() - timedelta(hours=1),
    )


@pytest.fixture
def evaluated(cast: dict[str, User]) -> Callable[..., Evaluation]:
    """An evaluation of the curator that ended so many minutes ago."""

    def make(minutes: float = 1, *, status: str = "succeeded", **values: Any) -> Evaluation:
        return Evaluation.objects.create(**_ended(cast, minutes, status) | values)

    return make


@pytest.fixture
def trained(cast: dict[str, User]) -> Callable[..., TrainingJob]:
    """The same for a training."""

    def make(minutes: float = 1, *, status: str = "succeeded", **values: Any) -> TrainingJob:
        return TrainingJob.objects.create(**_ended(cast, minutes, status) | values)

    return make


def _ended(cast: dict[str, User], minutes: float, status: str) -> dict[str, Any]:
    return {
        "name": "Nightly",
        "status": status,
        "failure": FAILURE if status == "failed" else None,
        "created_by": cast["curator"],
        "finished_at": timezone.now() - timedelta(minutes=minutes),
    }
