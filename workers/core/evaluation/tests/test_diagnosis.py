"""Runs looked at one by one, against a verifier that counts what it is asked."""

import numpy as np
import pytest
from numpy.typing import NDArray

from workers.core.benchmarks.base import Verdict, VerifierError
from workers.core.evaluation.diagnosis import Diagnosis, Trace, diagnose
from workers.core.evaluation.tests.test_failures import agent, run
from workers.core.methods.tests.support import role
from workers.core.specs import TaskSpec

TASK = TaskSpec(
    query="How many legs have 21 cats and 21 geese?", reference="126", verifier="numeric"
)
LOST = tuple(run(agent("a1", "126"), agent("a2", "42", reads=("a1",)), answer="42", by="a2"))


class Topics:
    """Texts about geese on one axis, all others on the other; it counts its passes."""

    dimension = 2
    passes = 0

    async def embed(self, texts: list[str]) -> NDArray[np.float32]:
        self.passes += 1
        rows = [(1.0, 0.0) if "geese" in text else (0.0, 1.0) for text in texts]
        return np.array(rows, dtype=np.float32)


class Numbers:
    key = "numeric"
    name = "Numbers"
    description = "The same text."

    def __init__(self, error: VerifierError | None = None) -> None:
        self.asked: list[str | None] = []
        self._error = error

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        self.asked.append(answer)
        if self._error:
            raise self._error
        return Verdict(answer == task.reference, float(answer == task.reference), "")


async def looked_at(
    *traces: Trace, verifier: Numbers | None = None, topics: Topics | None = None
) -> list[Diagnosis]:
    verifiers = {"numeric": verifier or Numbers()}
    found = diagnose(traces, embedder=topics or Topics(), verifiers=verifiers)
    return [diagnosis async for diagnosis in found]


async def test_each_has_its_own_and_all_texts_are_embedded_at_once() -> None:
    herder, smith = role("herder", "Counts geese."), role("smith", "Forges iron.")
    topics = Topics()
    right = Trace(TASK, (herder, smith), wrong=False)
    strangers = (smith, role("potter", "Burns clay."), role("tailor", "Sews coats."))
    wrong = Trace(TASK, strangers, wrong=True, events=tuple(run(agent("a1", "7"), answer="7")))
    chooses_none = Trace(TASK, None, wrong=False)
    first, second, third = await looked_at(right, wrong, chooses_none, topics=topics)
    assert first.roles is not None
    assert (first.roles.share, first.failure) == (0.5, None)
    assert second.failure is not None
    assert second.failure.category == "incorrect_role_selection"
    assert third == Diagnosis(None, None)
    assert topics.passes == 3  # one for all, then those of the two, which a real one remembers


async def test_a_right_answer_that_was_lost_is_found() -> None:
    (found,) = await looked_at(Trace(TASK, None, wrong=True, events=LOST))
    assert found.failure is not None
    assert found.failure.category == "incorrect_verification"


async def test_nothing_is_verified_where_nobody_reads_anybody_or_nothing_is_wrong() -> None:
    verifier = Numbers()
    alone = tuple(run(agent("a1", "7"), answer="7"))
    traces = Trace(TASK, None, wrong=True, events=alone), Trace(TASK, None, False, LOST)
    await looked_at(*traces, verifier=verifier)
    assert verifier.asked == []
    await looked_at(Trace(TASK, None, wrong=True, events=LOST), verifier=verifier)
    assert verifier.asked == ["126", "42"]


@pytest.mark.parametrize("verifier", ["numeric", "nobody", None])
async def test_without_a_verdict_the_other_rules_still_hold(verifier: str | None) -> None:
    task = TASK.model_copy(update={"verifier": verifier})
    close = tuple(run(agent("a1", "126"), agent("a2", "127", reads=("a1",)), answer="127", by="a2"))
    error = VerifierError(code="no_sandbox", message="There is no sandbox.")
    traces = [Trace(task, None, wrong=True, events=events) for events in (close, LOST)]
    first, second = await looked_at(*traces, verifier=Numbers(error))
    assert first.failure is not None
    assert first.failure.category == "slight_deviation"
    assert second.failure is not None
    assert second.failure.by == "unjudged"


async def test_without_a_trace_nothing_is_concluded() -> None:
    (found,) = await looked_at(Trace(TASK, None, wrong=True))
    assert found.failure is not None
    assert (found.failure.category, found.failure.by) == (None, "unjudged")
