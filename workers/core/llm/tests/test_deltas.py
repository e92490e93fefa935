"""Whatever the retries say, a reader who can start over ends with exactly the last text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.llm.deltas import DeltaGate
from workers.core.llm.tests.helpers import Deltas

PIECES = st.lists(st.text("ab", max_size=3), max_size=5)


@settings(deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=4))
def test_a_reader_who_can_start_over_has_the_last_text(tries: list[list[str]]) -> None:
    deltas = Deltas()
    gate = DeltaGate(deltas)
    for pieces in tries[:-1]:
        for piece in pieces:
            gate.send(piece)
        gate.try_again()
    for piece in tries[-1]:
        gate.send(piece)
    gate.finish()
    assert "".join(deltas) == "".join(tries[-1])


@settings(deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=4))
def test_a_plain_function_is_never_contradicted_by_what_follows(tries: list[list[str]]) -> None:
    """What it has is a beginning common to all it was told from; nothing comes twice."""
    heard: list[str] = []
    gate = DeltaGate(heard.append)
    for pieces in tries:
        for piece in pieces:
            gate.send(piece)
        gate.try_again()
    assert any("".join(pieces).startswith("".join(heard)) for pieces in tries)


def test_the_same_text_again_is_not_a_restart() -> None:
    deltas = Deltas()
    gate = DeltaGate(deltas)
    gate.send("one two")
    gate.try_again()
    for piece in ("one", " two thr", "ee"):
        gate.send(piece)
    gate.finish()
    assert (list(deltas), deltas.restarts) == (["one two", " thr", "ee"], 0)
