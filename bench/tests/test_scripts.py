"""What a script costs on top of its agents' calls."""

from bench import scripts
from bench.tests.conftest import Ran


def test_it_ends_with_its_figures(ran: Ran) -> None:
    found, _ = ran(scripts.main, "--scripts", "4", "--pause", "0", "--beside", "2")
    assert found["bench"] == "scripts"
    assert {"ms_p50", "ms_p95", "cold_ms_p50", "data_ms_p50", "warm_per_second"} <= found.keys()
