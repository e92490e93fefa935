"""What ReSo's search gives away while it learns, on a few subtasks."""

from bench import regret
from bench.tests.conftest import Ran


def test_with_the_logarithm_regret_grows_ever_less_and_the_best_are_chosen_more(ran: Ran) -> None:
    found, _ = ran(regret.main, "--subtasks", "2000", "--seeds", "2")
    assert found["exponent_log"] < 0.9 < found["exponent_paper"]
    assert found["best_last_paper"] < 0.2
    assert found["best_last_log"] > max(0.4, found["best_first_log"])
    assert found["regret_share_log"] < 0.2 < found["regret_share_no_exploration"]
