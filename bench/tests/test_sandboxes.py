"""What sandboxes cost."""

from bench import sandboxes
from bench.tests.conftest import Ran


def test_it_ends_with_its_figures(ran: Ran) -> None:
    found, _ = ran(sandboxes.main, "--programs", "4", "--pause", "0")
    assert found["bench"] == "sandboxes"
    assert {"cold_ms", "warm_ms", "warm_per_second"} <= found.keys()
