"""What `ask` reads from the stream, shows, and prints as JSON."""

import email
import http.server
import io
import json
import threading
from email.message import Message
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from rich.console import Console

from studio.launcher.ask import Question, ask, sent, settings_in
from studio.launcher.errors import LauncherError
from studio.launcher.remote import Remote, exit_code, frames, refusal
from studio.launcher.report import Report, result, tokens
from studio.launcher.terminal_text import printable_json

USAGE = {"prompt_tokens": 1200, "completion_tokens": 34, "cost": 0.0}


def event(kind: str, /, **values: Any) -> dict[str, Any]:
    return {"event": kind, **values}


def action(name: str, probability: float) -> dict[str, Any]:
    return {"action": name, "probability": probability, "masked": not probability}


TASK_GRAPH = {
    "subtasks": [
        {"id": "s1", "text": "What do [14] loaves bring?", "depends_on": []},
        {"id": "s2", "text": "What do both bring?", "depends_on": ["s1"]},
    ]
}
SCORED = [
    {"role_key": "adder", "endpoint": "stub", "score": 0.96},
    {"role_key": "poet", "endpoint": "large", "score": 0.334},
]
SAMPLED = {
    "candidates": [action("solver", 0.75), action("critic", 0.25), action("DELETE", 0.0)],
    "choice": "solver",
}
CALL = {"agent_id": "a1", "tool": "calculator"}
LATE = {"code": "timeout", "message": "The endpoint did not answer in 120 s."}
NO_OS = {"line": 1, "message": "A script imports nothing but workflow."}
EVENTS = [
    event("run_started", method="mashost", model="smollm2", pool="builtin", seed=7, trained=False),
    event("node_sampled", step=1, kind="add", agent_id="a1", **SAMPLED),
    event("planner_asked", endpoint="stub", ordinal=1),
    event("plan_rejected", problem="There is no [JSON] in it."),
    event("planner_asked", endpoint="stub", ordinal=2),
    event("subtasks_planned", task_graph=TASK_GRAPH),
    event("candidates_scored", subtask="s1", candidates=SCORED),
    event("subtask_answered", subtask="s1", answer="42", correct=True),
    event("subtask_answered", subtask="s2", answer=None, correct=None),
    event("script_read", script="import os", problems=[NO_OS], shape=""),
    event("script_read", script="a\nb", problems=[], shape="ensemble:majority(agent×3)"),
    event("block_called", node={"role": {"name": "Solver"}}, line=2),
    event("agent_started", agent_id="a1", role_name="Solver [maths]"),
    event("agent_started", agent_id="a2", role_name="Critic"),
    event(
        "edges_sampled",
        step=2,
        agent_id="a2",
        candidates=[{"source": "a1", "probability": 0.61, "chosen": True}],
    ),
    event("tool_called", **CALL, arguments={"x": "14*3"}),
    event("tool_returned", **CALL, ok=True, output="42"),
    event(
        "agent_finished",
        agent_id="a1",
        message="The answer is 102.",
        usage=USAGE,
        seconds=1.25,
        cached=True,
    ),
    event("agent_failed", agent_id="a2", failure=LATE),
    event("checkpoint_saved", step=0, name="a kind that is not shown"),
]
RUN = {
    "id": "11111111-2222-3333-4444-555555555555",
    "status": "succeeded",
    "method": "mashost",
    "answer": "102",
    "failure": None,
    "graph": {"nodes": [{"id": "a1"}], "edges": []},
    "usage": USAGE,
    "seconds": 2.5,
    "query": "not part of the result",
}


def shown(*, twice: bool = False) -> str:
    report = Report(quiet=False)
    output = io.StringIO()
    report.console = Console(file=output, width=100, highlight=False)
    entries = [{"id": f"1.{n}", "event": event} for n, event in enumerate(EVENTS, start=1)]
    with report:
        for entry in entries:
            report.frame("trace", entry)
        if twice:
            report.frame("snapshot", {"events": entries, "partial": {}})
        report.frame("end", {})
    report.end(RUN)
    return output.getvalue()


@pytest.mark.parametrize(
    "words",
    [
        "mashost on smollm2 · pool builtin · seed 7 · untrained weights",
        "add solver   solver 75%  critic 25%",
        "planner stub divides the question",
        "plan rejected: There is no [JSON] in it.",
        "planner stub asked again",
        "subtask s1 What do [14] loaves bring?",
        "subtask s2 What do both bring?  after s1",
        "candidates for s1   adder on stub 0.96  poet on large 0.33",
        "answer of s1: 42 · right",
        "answer of s2: no answer",
        "script rejected: line 1: A script imports nothing but workflow.",
        "script ensemble:majority(agent×3), 2 lines",
        "line 2 asks Solver",
        "Solver [maths] → Critic  61%",
        "calculator {'x': '14*3'}",
        "= 42",
        "Solver [maths] 1,200 + 34 tokens · 1.2 s · cached",
        "The answer is 102.",
        "Critic failed: The endpoint did not answer in 120 s.",
        "Answer  102",
        "1,200 + 34 tokens · 2.5 s",
    ],
)
def test_the_run_is_told_as_it_happens(words: str) -> None:
    assert words in shown()


def test_masked_actions_are_not_offered_and_a_reconnect_repeats_nothing() -> None:
    assert "DELETE" not in shown()
    assert shown(twice=True) == shown()


def test_deltas_follow_their_offsets() -> None:
    report = Report(quiet=True)
    for offset, text in ((0, "The an"), (6, "swer"), (4, "beginning")):
        report.frame("delta", {"agent_id": "a1", "text": text, "offset": offset})
    assert report.texts == {"a1": "The beginning"}


CLEARS, COPIES, EIGHT_BIT = "\x1b[2J\x1b[H", "\x1b]52;c;ZXZpbA==\x07", "\x9b2J"
HOSTILE = f"{CLEARS}{COPIES}{EIGHT_BIT}\r\x08\u202e[bold]gnp\n."


def hostile(value: Any) -> Any:
    """The same event with each of its texts hostile, but for what is read by its name."""
    if isinstance(value, str):
        return HOSTILE + value
    if isinstance(value, list):
        return [hostile(item) for item in value]
    if isinstance(value, dict):
        named = ("event", "kind", "agent_id")
        return {key: item if key in named else hostile(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize("terminal", [True, False])
def test_no_escape_sequence_of_a_model_reaches_the_terminal(terminal: bool) -> None:
    """Of none of the events, the partial texts, the answer and the cause of a failure."""
    report, out = Report(quiet=False), io.StringIO()
    report.console = Console(file=out, width=100, force_terminal=terminal, color_system=None)
    report.live.console = report.console
    for place, event in enumerate(EVENTS):
        report.frame("trace", {"id": str(place), "event": hostile(event)})
    report.frame("snapshot", {"events": [], "partial": {"a1": HOSTILE}})
    report.frame("delta", {"agent_id": "a2", "offset": 0, "text": HOSTILE})
    run = {"status": "succeeded", "answer": HOSTILE, "usage": USAGE, "seconds": 1.0}
    report.end(run)
    report.end({**run, "status": "failed", "failure": {"message": HOSTILE}})
    told = out.getvalue()
    assert "[bold]gnp" in told
    assert not {"\x1b", "\x07", "\x9b", "\x08", "\u202e"} & set(told)


def test_the_json_of_a_hostile_answer_says_the_same_and_controls_nothing() -> None:
    said = printable_json(json.dumps({"answer": HOSTILE}, ensure_ascii=False))
    assert json.loads(said) == {"answer": HOSTILE}
    assert not {"\x1b", "\x07", "\x9b", "\x08", "\u202e"} & set(said)


def test_the_json_has_these_fields_and_no_others() -> None:
    assert result(RUN) == {
        "run_id": RUN["id"],
        "status": "succeeded",
        "method": "mashost",
        "answer": "102",
        "graph": {"nodes": [{"id": "a1"}], "edges": []},
        "tokens": {"prompt": 1200, "completion": 34},
        "seconds": 2.5,
    }


def test_a_run_that_failed_before_its_graph_has_an_empty_one() -> None:
    assert result({**RUN, "graph": None})["graph"] == {"nodes": [], "edges": []}


def test_unknown_usage_is_a_dash() -> None:
    assert tokens({"prompt_tokens": None, "completion_tokens": 0}) == "— + 0 tokens"


def test_only_what_was_said_is_asked() -> None:
    judged = Question("why?", reference="42").body()
    assert judged == {"query": "why?", "reference": "42"}
    assert Question("why?", seed=0).body() == {"query": "why?", "seed": 0}


def test_settings_of_the_method_are_json_or_text_or_a_file_s_text(tmp_path: Path) -> None:
    script = tmp_path / "team.py"
    script.write_text("deliver(agent('A', 'Solve.'))\n")
    settings = settings_in(["repairs=2", "tools=python", f"script=@{script}", "designer="])
    assert settings == {
        "repairs": 2,
        "tools": "python",
        "script": "deliver(agent('A', 'Solve.'))\n",
        "designer": "",
    }
    assert Question("why?", method_config=settings).body()["method_config"] == settings
    for wrong in ("repairs", "=2", f"script=@{tmp_path / 'gone.py'}"):
        with pytest.raises(LauncherError, match=r"--set needs KEY=VALUE|can't be read"):
            settings_in([wrong])


def test_frames_of_the_stream() -> None:
    lines = [
        "retry: 1000\n",
        "\n",
        ": heartbeat\n",
        "\n",
        "id: 1.1\n",
        "event: trace\r\n",
        'data: {"a":\n',
        "data: 1}\n",
        "\n",
        "event: end\n",
        "data: {}\n",
        "\n",
        "event: cut off\n",
        "data: {",
    ]
    assert list(frames(iter(lines))) == [("trace", "1.1", {"a": 1}), ("end", "1.1", {})]


def test_an_error_of_the_api_is_said_with_its_way_out() -> None:
    answer = {"error": {"message": "There is no method “x”.", "remedy": "Use one of: direct."}}
    assert refusal(answer, 400) == "There is no method “x”. Use one of: direct."
    assert "status 502" in refusal({}, 502)
    assert [exit_code(status) for status in (400, 404, 403, 500)] == [2, 2, 1, 1]


class Recorder(http.server.BaseHTTPRequestHandler):
    """Answers every POST with an id, and keeps its path, its kind and its body."""

    received: ClassVar[list[tuple[str, str, bytes]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received.append((self.path, self.headers["Content-Type"], body))
        answer = json.dumps({"id": f"u{len(self.received)}"}).encode()
        self.send_response(201)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


def test_files_are_sent_before_the_question_that_names_them(tmp_path: Path) -> None:
    table = tmp_path / 'a "b".csv'
    table.write_bytes(b"x,y\r\n\x00")
    server = http.server.HTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        remote = Remote(f"http://127.0.0.1:{server.server_port}", "t")
        sent(remote, Question("What is it?", files=(table, table)), {})
    finally:
        server.shutdown()
        server.server_close()
    (path, kind, form), _, (_, _, body) = Recorder.received
    assert path == "/api/uploads"
    message = email.message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + form)
    [part] = cast("list[Message]", message.get_payload())
    assert (part.get_filename(), part.get_payload(decode=True)) == (
        "a %22b%22.csv",
        table.read_bytes(),
    )
    assert json.loads(body) == {"query": "What is it?", "uploads": ["u1", "u2"]}


def test_a_file_that_can_not_be_sent_is_told_before_anything_starts(tmp_path: Path) -> None:
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(60_000_000)
    with pytest.raises(LauncherError, match="has more than 30 MB"):
        ask(Question("What is it?", files=(large,)), as_json=True)
    with pytest.raises(LauncherError, match=r"There is no file .*gone\.txt"):
        ask(Question("What is it?", files=(tmp_path / "gone.txt",)), as_json=True)
