"""When an arm's numbers are those of cut answers."""

import pytest

from workers.core.evaluation.cells import Cell
from workers.core.evaluation.cuts import CutCounts, cut_warning, room_for
from workers.core.evaluation.summary import cut_counts, summarise


@pytest.mark.parametrize(
    ("replies", "cut", "finals", "cut_finals", "warned"),
    [
        (0, 0, 0, 0, None),  # nobody counted
        (400, 20, 400, 20, None),  # 5% is not above 5%
        (400, 21, 400, 0, ("replies", "5.2%")),
        (1_000, 10, 100, 12, ("finals", "12%")),
        (400, 352, 400, 352, ("replies", "88%")),
        (400, 0, 400, 0, None),
        (1, 1, 0, 0, ("replies", "100%")),
    ],
)
def test_above_five_percent_an_arm_is_warned_of(
    replies: int, cut: int, finals: int, cut_finals: int, warned: tuple[str, str] | None
) -> None:
    counts = CutCounts(replies, cut, finals, cut_finals)
    found = cut_warning("Chain of thought", counts, limit=192, most=2_048)
    if warned is None:
        assert found is None
        return
    assert found is not None
    what = "answers" if warned[0] == "replies" else "final answers"
    assert found.of == warned[0]
    assert found.message == (
        f"{warned[1]} of the {what} of “Chain of thought” were cut at 192 tokens. "
        "The comparison favours short answers."
    )


@pytest.mark.parametrize(
    ("limit", "most", "room"),
    [
        (192, 2_048, 1_024),
        (512, 2_048, 1_024),
        (1_024, 8_192, 2_048),
        (1_024, 1_500, 1_500),
        (1_024, 1_024, None),
        (128, 128, None),
    ],
)
def test_room_is_twice_as_much_within_the_context(limit: int, most: int, room: int | None) -> None:
    assert room_for(limit, most) == room


def test_cells_of_which_nobody_counted_are_unknown_and_never_nought() -> None:
    old = [Cell("a", "0", 0, True), Cell("a", "1", 0, False)]
    (arm,) = summarise(old, ["a"]).arms
    assert (arm.cut_share, arm.cut_final_share, arm.cuts_unknown) == (None, None, 2)
    new = Cell("a", "2", 0, True, replies=5, cut_replies=1, final_cut=False)
    failed = Cell("a", "3", 0, False, failed=True, replies=1, cut_replies=1)
    assert cut_counts([*old, new, failed]) == CutCounts(6, 2, 1, 0)
    (arm,) = summarise([*old, new, failed], ["a"]).arms
    assert (arm.cut_share, arm.cut_final_share, arm.cuts_unknown) == (2 / 6, 0.0, 2)
