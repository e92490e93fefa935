"""What happens to runs when processes die. Real processes, real signals."""

import pytest
import requests

from tests.processes.children import until
from tests.processes.stream import open_stream
from tests.processes.studio import Studio
from workers.core.testing.stub_process import RunningStub

pytestmark = pytest.mark.processes


def attempts_lost(trace: list[tuple[int, int, str]]) -> list[int]:
    return [attempt for attempt, _, kind in trace if kind == "attempt_lost"]


def gap_free(trace: list[tuple[int, int, str]]) -> bool:
    """Within each attempt 1, 2, 3, …; attempts ascending."""
    expected: dict[int, int] = {}
    for attempt, seq, _ in trace:
        expected[attempt] = expected.get(attempt, 0) + 1
        if seq != expected[attempt]:
            return False
    return trace == sorted(trace)


def test_killed_worker_the_run_is_taken_up_again_and_succeeds(studio: Studio) -> None:
    run_id = studio.ask("[slow] 1 + 1?")
    stream = open_stream(studio.url("web2"), run_id, studio.headers)
    studio.children[studio.holder(run_id)].kill()
    run = studio.wait(run_id, "succeeded", "failed")
    assert (run["status"], run["attempt"], run["answer"]) == ("succeeded", 2, "2")
    trace = studio.trace(run_id)
    assert attempts_lost(trace) == [1]
    assert gap_free(trace)
    assert trace[-1][2] == "run_finished"
    stream.wait_for("end")
    assert stream.ids() == [f"{attempt}.{seq}" for attempt, seq, _ in trace]
    # Told once, or not at all where the second worker was quicker than the next look at the run.
    assert [data["detail"]["status"] for data in stream.of("status")].count("queued") <= 1


def test_killed_three_times_a_run_fails_and_with_everything_killed_another_ends(
    studio: Studio,
) -> None:
    stuck = studio.ask("[stuck] 1 + 1?")
    for attempt in (1, 2):
        name = studio.holder(stuck, attempt=attempt)
        studio.children[name].kill()
    studio.start_worker(name)
    studio.worker_ready(name)
    studio.holder(stuck, attempt=3)
    running = studio.ask("[slow] 1 + 1?")
    studio.holder(running)
    for child in studio.children.values():
        child.kill()
    studio.ensure()
    run = studio.wait(running, "succeeded", "failed")
    assert (run["status"], run["attempt"]) == ("succeeded", 2)
    run = studio.wait(stuck, "failed")
    assert run["failure"]["code"] == "worker_lost"
    assert "attempt 3 of 3" in run["failure"]["message"]
    trace = studio.trace(stuck)
    assert attempts_lost(trace) == [1, 2, 3]
    assert trace[-1][2] == "run_failed"
    assert gap_free(trace)


def test_redis_flushed_the_run_goes_on_and_events_come_from_postgres(studio: Studio) -> None:
    run_id = studio.ask("[slow] 1 + 1?")
    waiting = [studio.ask(f"{number} + 1?") for number in range(2)]
    stream = open_stream(studio.url(), run_id, studio.headers)
    studio.holder(run_id)
    studio.redis().flushall()
    stream.wait_for("end")
    assert studio.run(run_id)["status"] == "succeeded"
    assert stream.ids() == [f"{a}.{s}" for a, s, _ in studio.trace(run_id)]
    for other in waiting:
        studio.wait(other, "succeeded")


def test_redis_gone_runs_end_and_new_ones_wait_for_it(studio: Studio) -> None:
    running = studio.ask("[slow] 1 + 1?")
    stream = open_stream(studio.url(), running, studio.headers)
    studio.holder(running)
    studio.children["redis"].kill()
    asked = studio.ask("2 + 2?")
    stream.wait_for("end")
    assert studio.run(running)["status"] == "succeeded"
    assert studio.run(asked)["status"] == "queued"
    studio.start_redis()
    assert studio.wait(asked, "succeeded")["answer"] == "4"


def test_a_cancelled_run_ends_within_a_second_and_its_call_is_closed(
    studio: Studio, llm: RunningStub
) -> None:
    run_id = studio.ask("[stuck] 1 + 1?")
    studio.holder(run_id)
    until(lambda: llm.log()["active"], seconds=5, what="the model is asked")
    answer = requests.post(
        f"{studio.url('web2')}/api/runs/{run_id}/cancel", headers=studio.headers, timeout=10
    )
    assert answer.status_code == 200
    run = studio.wait(run_id, "cancelled", seconds=1.0)
    assert run["answer"] is None
    until(lambda: not llm.log()["active"], seconds=1.0, what="the call to the model is closed")
    assert studio.trace(run_id)[-1][2] == "run_cancelled"


def test_a_worker_told_to_stop_gives_its_run_back(studio: Studio) -> None:
    run_id = studio.ask("[slow] 1 + 1?")
    name = studio.holder(run_id)
    worker = studio.children[name].process
    worker.terminate()
    until(lambda: attempts_lost(studio.trace(run_id)), seconds=3, what="the run is given back")
    worker.wait(20)
    run = studio.wait(run_id, "succeeded", "failed")
    assert (run["status"], run["attempt"], run["max_attempts"]) == ("succeeded", 2, 4)
    trace = studio.trace(run_id)
    assert attempts_lost(trace) == [1]
    assert gap_free(trace)
