"""Two webs, two workers: a browser sees every run, whoever executes it and whoever serves."""

import pytest

from tests.processes.children import until
from tests.processes.stream import Stream, open_stream
from tests.processes.studio import Studio

pytestmark = pytest.mark.processes


def text_of(stream: Stream, agent_id: str) -> str:
    """The agent's text as a browser puts it together."""
    partial = stream.wait_for("snapshot")["partial"]
    text: str = partial.get(agent_id, "")
    for delta in stream.of("delta"):
        if delta["agent_id"] == agent_id:
            assert delta["offset"] <= len(text), "a delta is missing"
            text = text[: delta["offset"]] + delta["text"]
    return text


def test_both_webs_stream_runs_of_both_workers(studio: Studio) -> None:
    streams: dict[tuple[str, str], Stream] = {}
    for number in range(6):
        run_id = studio.ask(f"[slow] {number} + 1?", web=f"web{1 + number % 2}")
        for web in ("web1", "web2"):
            streams[web, run_id] = open_stream(studio.url(web), run_id, studio.headers)
    runs = list(dict.fromkeys(run_id for _, run_id in streams))
    holders = {studio.holder(run_id) for run_id in runs}
    assert holders == {"worker1", "worker2"}
    late = open_stream(studio.url("web2"), runs[0], studio.headers)
    for (_, run_id), stream in streams.items():
        assert stream.wait_for("end")["detail"]["status"] == "succeeded"
        assert stream.ids() == [f"{a}.{s}" for a, s, _ in studio.trace(run_id)]
        written = text_of(stream, "a1")
        message = stream.of("end")[0]["detail"]["message"]
        assert len(written) > 100
        assert message.startswith(written)
    late.wait_for("end")
    assert late.of("snapshot")[0]["events"]
    assert len(text_of(late, "a1")) > 100


def test_a_browser_resumes_at_another_web_after_its_own_was_killed(studio: Studio) -> None:
    run_id = studio.ask("[slow] 1 + 1?")
    first = open_stream(studio.url("web1"), run_id, studio.headers)
    until(lambda: first.of("delta"), seconds=20, what="text streams")
    studio.children["web1"].kill()
    assert first.closed.wait(5)
    seen = first.ids()
    second = open_stream(studio.url("web2"), run_id, studio.headers, last_event_id=seen[-1])
    second.wait_for("end")
    assert not second.of("snapshot")
    trace = [f"{a}.{s}" for a, s, _ in studio.trace(run_id, web="web2")]
    assert seen + second.ids() == trace
    delta = second.of("delta")[0]
    assert delta["offset"] == 0  # what it missed comes from the beginning
