"""The designs of a training over HTTP."""

from typing import Any
from uuid import UUID

import pytest

from apps.accounts.tests.cast import AsUser, by_group
from apps.training.folders import training_folder
from apps.training.models import TrainingJob
from apps.training.tests.support import address
from workers.core.events.scripts import DrawnBlock, ScriptDrawing, ScriptProblem
from workers.core.rollouts.designs import CallRow, DesignRow, ExecutionRow, write_designs

pytestmark = pytest.mark.django_db

HOSTILE = "</script> \x00 \ud800 \u202e ’"
CLEANED = "</script> \ufffd \ufffd \u202e ’"
PROBLEM = ScriptProblem(code="no_code_block", message=HOSTILE, remedy="Write one.", line=None)
DRAWING = ScriptDrawing(blocks=(DrawnBlock(id="b1", kind="agent", name="Solver", line=2),))


def call(number: int, **fields: Any) -> CallRow:
    given: dict[str, Any] = {
        "role": "solver",
        "family": "executor",
        "name": "Solver",
        "prompt": "Solve it.",
        "tools": (),
        "reads": [number - 1] if number > 1 else [],
        "block": "b1",
        "line": 2,
        "lines": (3,),
        "messages": [{"role": "user", "content": HOSTILE}],
        "text": HOSTILE,
        "answer": "4",
        "usable": True,
        "policy": "executor",
        "prompt_tokens": 5,
        "tokens": 7,
        "finish": "stop",
        "advantage": 0.5,
    }
    return CallRow(number, **(given | fields))


def execution(number: int, **fields: Any) -> ExecutionRow:
    given: dict[str, Any] = {
        "ending": "delivered",
        "problem": None,
        "printed": "",
        "delivered": 2,
        "reward": 1.0,
        "parts": {"correct": 1.0},
        "advantage": 0.5,
        "correct": True,
        "answer": "4",
        "learned": True,
        "calls": (call(1), call(2)),
    }
    return ExecutionRow(number, **(given | fields))


def design(question: int, number: int, **fields: Any) -> DesignRow:
    given: dict[str, Any] = {
        "task": question + 3,
        "query": "2 + 2?",
        "reference": "4",
        "messages": [{"role": "user", "content": "Design."}],
        "reply": HOSTILE,
        "script": f"deliver(agent())  # {HOSTILE}",
        "shape": "agent",
        "problems": (),
        "drawing": DRAWING,
        "policy": "designer",
        "prompt_tokens": 9,
        "tokens": 11,
        "finish": "stop",
        "reward": 1.0,
        "advantage": 1.0,
        "executions": (execution(1), execution(2, reward=0.0, parts={}, correct=False)),
    }
    return DesignRow(question, design=number, **(given | fields))


UNUSABLE: dict[str, Any] = {
    "script": "",
    "shape": "",
    "problems": (PROBLEM,),
    "drawing": None,
    "reward": 0.0,
    "advantage": -1.0,
    "executions": (),
}


@pytest.fixture
def job(curve: TrainingJob) -> TrainingJob:
    """Two questions with two designs each, of which one can't be used; step 3 is kept."""
    rows = [design(0, 1), design(0, 2, **UNUSABLE), design(1, 1), design(1, 2)]
    write_designs(training_folder(curve.id), 3, rows, kept=10)
    return curve


def test_the_steps_that_are_kept(as_user: AsUser, job: TrainingJob) -> None:
    for step in (4, 5):
        write_designs(training_folder(job.id), step, [design(0, 1)], kept=2)
    steps = as_user("viewer").get(address(job, "/designs/steps")).json()["steps"]
    assert steps == [4, 5]


def test_questions_with_their_matrix(as_user: AsUser, job: TrainingJob) -> None:
    page = as_user("viewer").get(address(job, "/designs?step=3&page_size=1")).json()
    assert (page["step"], page["count"], len(page["results"])) == (3, 2, 1)
    assert page["shapes"] == [
        {"shape": "agent", "designs": 3, "reward": 1.0},
        {"shape": "", "designs": 1, "reward": 0.0},
    ]
    [question] = page["results"]
    assert (question["question"], question["task"], question["reference"]) == (0, 3, "4")
    usable, unusable = question["designs"]
    assert usable["script"] == f"deliver(agent())  # {CLEANED}"
    assert [cell["reward"] for cell in usable["executions"]] == [1.0, 0.0]
    assert usable["executions"][0] == {
        "execution": 1,
        "ending": "delivered",
        "reward": 1.0,
        "parts": {"correct": 1.0},
        "advantage": 0.5,
        "correct": True,
        "answer": "4",
        "learned": True,
        "tokens": 14,
        "calls": 2,
    }
    assert (unusable["executions"], unusable["reward"]) == ([], 0.0)
    assert unusable["problems"] == [
        {"code": "no_code_block", "message": CLEANED, "remedy": "Write one.", "line": None}
    ]
    later = as_user("viewer").get(address(job, "/designs?step=3&offset=1")).json()
    assert [each["question"] for each in later["results"]] == [1]


def test_an_execution_is_shown_like_a_run(as_user: AsUser, job: TrainingJob) -> None:
    place = "/designs/execution?step=3&question=1&design=2&execution=1"
    found = as_user("viewer").get(address(job, place)).json()
    assert (found["reward"], found["design_advantage"], found["correct"]) == (1.0, 1.0, True)
    assert [event["event"] for event in found["events"]] == [
        *("graph_planned", "agent_started", "agent_finished", "script_read"),
        *("block_called", "agent_started", "agent_finished") * 2,
        *("script_ended", "intermediate_answer"),
    ]
    assert found["events"][3]["drawing"]["blocks"][0]["id"] == "b1"
    assert found["events"][-1]["agent_id"] == "a2"
    assert [node["id"] for node in found["graph"]["nodes"]] == ["designer", "a1", "a2"]
    assert found["graph"]["edges"] == [{"source": "a1", "target": "a2"}]


def test_a_design_that_cannot_be_used_is_shown_with_its_problems(
    as_user: AsUser, job: TrainingJob
) -> None:
    place = "/designs/execution?step=3&question=0&design=2&execution=0"
    found = as_user("viewer").get(address(job, place)).json()
    assert [event["event"] for event in found["events"]] == [
        *("graph_planned", "agent_started", "agent_finished", "script_read")
    ]
    assert found["events"][3]["script"] == CLEANED, "what it wrote instead"
    assert found["events"][3]["problems"][0]["code"] == "no_code_block"


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("/designs?step=2", "designs_not_kept"),
        ("/designs/execution?step=2&question=0&design=1&execution=1", "designs_not_kept"),
        ("/designs/execution?step=3&question=7&design=1&execution=1", "no_such_execution"),
        ("/designs/execution?step=3&question=0&design=2&execution=1", "no_such_execution"),
        ("/designs/execution?step=3&question=0&design=1&execution=0", "no_such_execution"),
    ],
)
def test_what_is_not_there(as_user: AsUser, job: TrainingJob, place: str, code: str) -> None:
    response = as_user("viewer").get(address(job, place))
    assert (response.status_code, response.json()["error"]["code"]) == (404, code)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?step=x",
        "?step=0",
        "?step=3&offset=-1",
        "?step=3&page_size=0",
        "/execution?step=3",
        "/execution?step=3&question=0&design=0&execution=1",
        f"/execution?step=3&question=0&design=1&execution={2**15}",
    ],
)
def test_bad_places(as_user: AsUser, job: TrainingJob, query: str) -> None:
    assert as_user("viewer").get(address(job, f"/designs{query}")).status_code == 400


def begun(of: TrainingJob, **place: Any) -> dict[str, Any]:
    """The request for a design from one of the training's."""
    return {
        "from_sampled_design": {"job": str(of.id), "step": 3, "question": 0, "design": 1} | place
    }


def test_a_design_starts_from_its_script(as_user: AsUser, job: TrainingJob) -> None:
    answer = as_user("operator").post("/api/designs", begun(job))
    assert answer.status_code == 201, answer.json()
    body = answer.json()
    assert body["draft"]["script"] == f"deliver(agent())  # {CLEANED}"
    assert (body["name"], body["origin"], body["from_run"]) == ("2 + 2?", "sample", None)
    [told] = [each for each in body["problems"] if each["severity"] == "warning"]
    assert (told["code"], "its own models" in told["message"]) == ("other_models", True)


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ({"design": 2}, "no_script"),
        ({"design": 3}, "unknown_design"),
        ({"question": 2}, "unknown_design"),
        ({"step": 4}, "unknown_design"),
        ({"job": str(UUID(int=0))}, "unknown_design"),
        ({"design": 2**15}, "max_value"),
        ({"step": 0}, "min_value"),
    ],
)
def test_a_design_cannot_start_from_what_is_not_there(
    as_user: AsUser, job: TrainingJob, place: dict[str, Any], code: str
) -> None:
    unwritten = design(0, 2, **UNUSABLE | {"script": ""})
    write_designs(training_folder(job.id), 3, [design(0, 1), unwritten, design(1, 1)], kept=10)
    answer = as_user("operator").post("/api/designs", begun(job, **place))
    assert answer.status_code == 400
    assert answer.json()["error"]["fields"][0]["code"] == code


def test_a_design_starts_from_one_thing(as_user: AsUser, job: TrainingJob) -> None:
    answer = as_user("operator").post("/api/designs", begun(job) | {"from_sample": 1})
    assert answer.json()["error"]["fields"][0]["code"] == "two_beginnings"


@pytest.mark.parametrize(("who", "expected"), by_group("operator", done=201))
def test_who_may_start_a_design_from_its_script(
    as_user: AsUser, job: TrainingJob, who: str, expected: int
) -> None:
    assert as_user(who).post("/api/designs", begun(job)).status_code == expected


@pytest.mark.parametrize(("who", "expected"), by_group("viewer"))
def test_only_members_see_them(as_user: AsUser, job: TrainingJob, who: str, expected: int) -> None:
    execution_place = "/execution?step=3&question=0&design=1&execution=1"
    for place in ("?step=3", "/steps", execution_place):
        assert as_user(who).get(address(job, f"/designs{place}")).status_code == expected
