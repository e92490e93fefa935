"""A design that is a script: stored, checked, turned, exported, imported and run."""

from collections.abc import Callable
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.designs.models import Design
from apps.designs.services import design_create, design_save, version_create
from apps.designs.tests.conftest import agent, draft
from apps.designs.tests.test_from_run import GRAPH, traced
from apps.runs.models import Run
from apps.runs.taking import graph_of_run
from apps.runs.tests.conftest import endpoint, make_run, pool, sent
from workers.core.events import GraphPlanned, IntermediateAnswer, ScriptRead
from workers.core.events.scripts import ScriptProblem

__all__ = ["endpoint", "make_run", "pool", "sent"]
pytestmark = pytest.mark.django_db

TEAM = """from workflow import agent, deliver, ensemble

solvers = [agent(f"Solver {n}", "Solve it.") for n in range(3)]
deliver(ensemble(solvers))
"""
CRITIC = """from workflow import agent, deliver, reflection

deliver(reflection(agent("Solver", "Solve it."), agent("Critic", "Check it.")))
"""
WRONG = TEAM.replace("ensemble(solvers)", "ensemble(solvers, by='most')")


def script(text: str) -> dict[str, Any]:
    return {"script": text}


@pytest.fixture
def made(cast: dict[str, User]) -> Design:
    return design_create(user=cast["operator"], name="Team", draft=script(TEAM))


def test_it_is_listed_shown_and_copied_with_what_it_means(as_user: AsUser, made: Design) -> None:
    viewer = as_user("viewer")
    [row] = viewer.get("/api/designs").json()["results"]
    assert (row["is_script"], row["agent_count"]) == (True, 0)
    body = viewer.get(f"/api/designs/{made.id}").json()
    assert (body["draft"]["script"], body["problems"]) == (TEAM, [])
    kinds = [block["kind"] for block in body["meaning"]["blocks"]]
    assert kinds == ["ensemble", "agent", "agent", "agent"]
    copy = as_user("operator").post("/api/designs", {"name": "Copy", "draft": body["draft"]})
    assert copy.json()["draft"] == body["draft"]
    drawn = as_user("operator").post("/api/designs", {"draft": draft("ab", "ab")}).json()
    assert (drawn["is_script"], drawn["meaning"]) == (False, None)


def test_a_script_with_a_mistake_is_stored_and_tells_line_and_remedy(
    as_user: AsUser, made: Design, cast: dict[str, User]
) -> None:
    user = cast["operator"]
    design_save(user=user, design_id=made.id, revision=1, draft=script(WRONG))
    body = as_user("operator").get(f"/api/designs/{made.id}").json()
    [problem] = body["problems"]
    assert (problem["line"], problem["agent_id"], body["meaning"]) == (4, None, None)
    assert problem["remedy"]
    checked = as_user("operator").post("/api/designs/check", {"draft": script(WRONG)}).json()
    assert checked == {"problems": [problem], "meaning": None}


def test_an_empty_script_is_no_empty_drawing_to_begin_again_with(
    as_user: AsUser, cast: dict[str, User]
) -> None:
    made = design_create(user=cast["operator"], draft=script(""))
    other = as_user("operator").post("/api/designs", {"reuse": True}).json()
    assert other["id"] != str(made.id)
    listed = as_user("operator").get("/api/designs").json()["results"]
    assert [row["id"] for row in listed] == [str(made.id)]


def test_a_version_keeps_the_script_and_restores_it_over_a_drawing(
    as_user: AsUser, made: Design, cast: dict[str, User]
) -> None:
    user = cast["operator"]
    version_create(user=user, design_id=made.id, revision=1, name="script")
    design_save(user=user, design_id=made.id, revision=1, draft=draft("a"))
    restored = as_user("operator").post(
        f"/api/designs/{made.id}/versions/1/restore", {"revision": 2}
    )
    assert restored.json()["draft"]["script"] == TEAM
    assert restored.json()["draft"]["agents"] == []


def test_a_script_turns_into_a_drawing_and_back(as_user: AsUser) -> None:
    client = as_user("operator")
    into_drawing = {"draft": script(TEAM), "into": "drawing"}
    drawn = client.post("/api/designs/turn", into_drawing).json()
    assert [each["role"]["name"] for each in drawn["draft"]["agents"]] == [
        "Solver 0",
        "Solver 1",
        "Solver 2",
    ]
    assert (drawn["draft"]["script"], drawn["changes"]) == (None, [])
    back = client.post("/api/designs/turn", {"draft": drawn["draft"], "into": "script"}).json()
    assert "ensemble([solver_0, solver_1, solver_2]" in back["draft"]["script"]
    told = draft("a")
    told["agents"] = [agent("a", output_form="One line.")]
    changed = client.post("/api/designs/turn", {"draft": told, "into": "script"}).json()
    assert changed["changes"] == ["The output form of “A” becomes the end of its prompt."]


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ({"draft": {"script": CRITIC}, "into": "drawing"}, "reflection", "Line 3: "),
        ({"draft": {"script": WRONG}, "into": "drawing"}, None, "Line 4: "),
        ({"draft": {"agents": []}, "into": "script"}, "empty", "no agents"),
    ],
)
def test_what_can_not_be_turned_names_line_and_remedy(
    as_user: AsUser, body: dict[str, Any], code: str | None, part: str
) -> None:
    answer = as_user("operator").post("/api/designs/turn", body)
    assert answer.status_code == 400
    [field] = answer.json()["error"]["fields"]
    assert field["field"] == "draft"
    assert part in field["message"]
    assert code in (None, field["code"])


def test_exports_of_a_script(as_user: AsUser, made: Design, cast: dict[str, User]) -> None:
    client = as_user("viewer")
    address = f"/api/designs/{made.id}/export"
    packed = client.get(address, {"format": "script"})
    assert packed["Content-Disposition"] == 'attachment; filename="team.zip"'
    assert packed["Content-Type"] == "application/zip"
    assert ZipFile(BytesIO(packed.content)).read("team.py").decode().endswith(TEAM)
    assert client.get(address, {"format": "mermaid"}).content.decode().count("-.-> vote") == 3
    text = client.get(address, {"format": "json"}).content.decode()
    again = as_user("operator").post("/api/designs/import", {"text": text}).json()
    assert (again["draft"]["script"], again["name"]) == (TEAM, "Team")
    design_save(user=cast["operator"], design_id=made.id, revision=1, draft=script(CRITIC))
    refused = client.get(address, {"format": "graphml"})
    assert refused.status_code == 409
    assert "Line 3" in refused.json()["error"]["message"]
    design_save(user=cast["operator"], design_id=made.id, revision=2, draft=script(WRONG))
    wrong = client.get(address, {"format": "script"}).json()["error"]
    assert (wrong["code"], wrong["message"][:7]) == ("design_has_errors", "Line 4:")


def test_what_the_script_of_a_drawing_says_otherwise(
    as_user: AsUser, cast: dict[str, User]
) -> None:
    drawing = design_create(user=cast["operator"], draft=draft("ab", "ab", summary=True))
    address = f"/api/designs/{drawing.id}/export/left-out"
    told = as_user("viewer").get(address, {"format": "script"}).json()["left_out"]
    assert told == ["The summary agent becomes an agent “Summary” that reads all others."]
    assert as_user("viewer").get(address).json()["left_out"] == []
    assert as_user("viewer").get(address, {"format": "json"}).status_code == 400


def test_imports_of_a_script(as_user: AsUser) -> None:
    client = as_user("operator")

    def imported(text: str, **more: Any) -> Any:
        return client.post("/api/designs/import", {"text": text, "file_name": "team.py", **more})

    drawn = imported(TEAM).json()
    assert (drawn["name"], drawn["agent_count"], drawn["is_script"]) == ("team", 3, False)
    refused = imported(CRITIC + "x = 1 / 0").json()["error"]["fields"]
    assert {field["field"] for field in refused} == {"text"}
    assert Design.objects.count() == 1
    kept = imported(CRITIC, keep_script=True).json()
    assert (kept["is_script"], kept["draft"]["script"]) == (True, CRITIC)
    wrong = imported(WRONG, keep_script=True).json()
    assert [problem["line"] for problem in wrong["problems"]] == [4]
    unnamed = client.post("/api/designs/import", {"text": TEAM})
    assert unnamed.status_code == 201


def test_a_run_of_a_script_gives_its_script_and_a_fork_its_calls(
    as_user: AsUser, make_run: Callable[..., Run]
) -> None:
    run = traced(
        make_run(method="metaagent_x"),
        ScriptRead(origin="model", script=TEAM),
        GraphPlanned(graph=GRAPH),
        IntermediateAnswer(step=1, answer="2", agent_id="a2"),
    )
    body = as_user("operator").post("/api/designs", {"from_run": str(run.id)}).json()
    assert (body["draft"]["script"], body["origin"], body["problems"]) == (TEAM, "run", [])
    assert [node.id for node in graph_of_run(run).agents] == ["a1", "a2"]
    run.checkpoint = "bakers"
    run.save()
    trained = as_user("operator").post("/api/designs", {"from_run": str(run.id)}).json()
    [told] = trained["problems"]
    assert (told["code"], told["severity"]) == ("other_models", "warning")


def test_a_run_of_scripts_with_mistakes_gives_the_last_one(
    as_user: AsUser, make_run: Callable[..., Run]
) -> None:
    problem = ScriptProblem(code="unknown_setting", message="It is wrong.", remedy="Correct it.")
    run = traced(
        make_run(method="metaagent_x"),
        ScriptRead(origin="model", script="import os", problems=(problem,)),
        ScriptRead(origin="model", script=WRONG, problems=(problem,), attempt=2),
    )
    body = as_user("operator").post("/api/designs", {"from_run": str(run.id)}).json()
    assert body["draft"]["script"] == WRONG
    assert [each["line"] for each in body["problems"]] == [4]


@pytest.mark.usefixtures("endpoint")
def test_a_script_runs_by_its_method_wherever_a_design_runs(
    as_user: AsUser, made: Design, cast: dict[str, User]
) -> None:
    client = as_user("operator")
    body = {"query": "What is 1 + 1?", "method": "design", "design": str(made.id)}
    run = client.post("/api/runs", body)
    assert run.status_code == 201, run.json()
    stored = Run.objects.get(id=run.json()["id"])
    assert (stored.method, stored.design_id) == ("metaagent_x", made.id)
    assert stored.method_config["script"] == TEAM
    assert client.post("/api/runs", {**body, "method": "metaagent_x"}).status_code == 201
    led = client.post("/api/runs", {**body, "step": True}).json()["error"]["fields"]
    assert [(field["field"], field["code"]) for field in led] == [("step", "is_script")]
    design_save(user=cast["operator"], design_id=made.id, revision=1, draft=script(WRONG))
    [told] = client.post("/api/runs", body).json()["error"]["fields"]
    assert told["message"].startswith("Line 4: ")
    design_save(user=cast["operator"], design_id=made.id, revision=2, draft=draft("a"))
    other = client.post("/api/runs", {**body, "method": "metaagent_x"}).json()["error"]["fields"]
    assert [field["code"] for field in other] == ["is_drawing"]
