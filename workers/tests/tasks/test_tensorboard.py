"""What TensorBoard's files say that Postgres leaves out."""

from pathlib import Path

from workers.tasks.learning.tensorboard import TensorBoard
from workers.tests.tasks.tensorboard import scalars


def test_a_role_that_nobody_plays_any_more_falls_to_0(tmp_path: Path) -> None:
    played, alone = {"role/critic": 0.5, "role/solver": 0.5}, {"role/solver": 1.0}
    for attempt, before in ((1, ()), (2, ((1, 1.0, played), (2, 2.0, alone)))):
        files = TensorBoard(tmp_path, attempt)
        files.begin(before)
        for step, values in ((1, played), (2, alone), (3, alone), (4, played)):
            files.add(step, float(step), values)
        files.close()
        assert scalars(tmp_path, "role/critic") == {1: 0.5, 2: 0.0, 3: 0.0, 4: 0.5}
        assert scalars(tmp_path, "role/planner") == {}
