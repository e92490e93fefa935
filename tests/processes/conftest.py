"""One studio for the whole folder; each test finds all its processes alive."""

from collections.abc import Iterator

import pytest

from apps.webhooks.tests.receiver import Receiver, receiving
from tests.processes.database import own_database
from tests.processes.studio import SUMS, Studio
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import Rule

WORDS = " ".join(f"word{number}" for number in range(70))
WEBHOOK = """
from apps.accounts.models import User
from apps.webhooks.models import Webhook
owner = User.objects.get(is_superuser=True)
Webhook.objects.create(owner=owner, name="Builds", url={url!r}, allow_private_address=True)
"""


PLAN = "1. [TODO] Find the first length.\n2. [TODO] Find the slow length."
STAGES = (
    Rule("subtasks that it takes", PLAN),
    Rule("You judge whether a subtask is done", "Answer: success"),
    Rule("You give the final answer of the whole task", "Answer: 2"),
    Rule("nothing else:\nFind the slow length", f"{WORDS}\nAnswer: 2"),
)
"""A task of two stages, the second of which takes about 4 s."""


@pytest.fixture(scope="session")
def llm() -> Iterator[RunningStub]:
    """Streams 4 characters every 30 ms. “[slow]” takes about 4 s, “[stuck]” for ever."""
    slow = Rule("[slow]", f"{WORDS}\nAnswer: 2")
    rules = (*STAGES, slow, Rule("[stuck]", latency=600.0))
    with running_stub(chunk_latency=0.03, rules=rules) as stub:
        yield stub


@pytest.fixture(scope="session")
def receiver() -> Iterator[Receiver]:
    """What the studio tells of evaluations that have ended."""
    with receiving() as receiver:
        yield receiver


@pytest.fixture(scope="session")
def _studio(
    tmp_path_factory: pytest.TempPathFactory, llm: RunningStub, receiver: Receiver
) -> Iterator[Studio]:
    with own_database("processes") as url:
        studio = Studio(tmp_path_factory.mktemp("studio"), url, asks_anew=True)
        try:
            studio.prepare(llm.url, SUMS + WEBHOOK.format(url=receiver.url))
            yield studio
        finally:
            studio.stop()


@pytest.fixture
def studio(_studio: Studio) -> Studio:
    _studio.ensure()
    return _studio
