"""The branches of a training over HTTP."""

import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest

from apps.accounts.tests.cast import AsUser, by_group
from apps.training.folders import training_folder
from apps.training.models import TrainingJob
from apps.training.tests.support import address
from workers.core.rollouts.branches import BATCH, BranchRow, write_branches

pytestmark = pytest.mark.django_db

HOSTILE = "</script> \x00 \u202e ’"


def row(episode: int, agent: str, turn: int, branch: int, **fields: Any) -> BranchRow:
    given: dict[str, Any] = {
        "task": episode + 3,
        "policy": "shared",
        "version": 4,
        "prompt_hash": "ab",
        "messages": [{"role": "user", "content": HOSTILE}],
        "tokens": [1, 2],
        "pieces": ["D", "D"],
        "logprobs": [-0.5, -0.25],
        "after": [],
        "message": "DD",
        "read": "DD",
        "finish": "stop",
        "reward": float(branch),
        "team": {"goal": 1.0},
        "local": {"steps": -0.5},
        "advantage": branch - 1.5,
        "taken": branch == 2,
        "ended": "solved" if episode == 0 else "turns",
        "solved": episode == 0,
        "picture": {"board": "S.G"} if branch == 2 else {},
    }
    return BranchRow(episode, agent=agent, turn=turn, branch=branch, **(given | fields))


@pytest.fixture
def job(curve: TrainingJob) -> TrainingJob:
    """Two episodes, each with a group of two branches for each agent; step 3 is kept."""
    rows = [
        row(episode, agent, 1, branch)
        for episode in (0, 1)
        for agent in ("proposer", "planner")
        for branch in (1, 2)
    ]
    rows += [row(1, "planner", 2, branch, reward=0.5, finish="length") for branch in (1, 2)]
    write_branches(training_folder(curve.id), 3, rows, kept=10)
    return curve


def test_the_steps_that_are_kept(as_user: AsUser, job: TrainingJob) -> None:
    write_branches(training_folder(job.id), 5, [row(0, "planner", 1, 1, task=8)], kept=10)
    steps = {
        query: as_user("viewer").get(address(job, f"/branches{query}")).json()["steps"]
        for query in ("", "?task=3", "?task=8", "?task=9")
    }
    assert steps == {"": [3, 5], "?task=3": [3], "?task=8": [5], "?task=9": []}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", 5),
        ("agent=planner", 3),
        ("agent=nobody", 0),
        ("turn=2", 1),
        ("task=3", 2),
        ("ended=solved", 2),
        ("mixed=true", 4),
        ("mixed=false", 1),
        ("least=1.5", 4),
        ("most=0.5", 1),
        ("agent=planner&mixed=true&ended=turns", 1),
        # Kept with 32 bits, 0.7 is less than 0.7, and a sum may be a little off.
        ("least=0.7&turn=3", 1),
        ("most=0.7&turn=3", 1),
        ("mixed=false&turn=3", 1),
        ("least=0.71&turn=3", 0),
    ],
)
def test_groups_are_filtered(as_user: AsUser, job: TrainingJob, query: str, found: int) -> None:
    if "turn=3" in query:
        rewards = (0.7, 0.1 + 0.2 + 0.4)
        rows = [row(1, "planner", 3, at + 1, reward=each) for at, each in enumerate(rewards)]
        write_branches(training_folder(job.id), 3, rows, kept=10)
    page = as_user("viewer").get(address(job, f"/branches/3?{query}")).json()
    assert (page["count"], len(page["results"])) == (found, found)


def test_groups_page_by_page(as_user: AsUser, job: TrainingJob) -> None:
    client = as_user("viewer")
    page = client.get(address(job, "/branches/3?offset=3&page_size=1")).json()
    assert page == {
        "count": 5,
        "agents": ["proposer", "planner"],
        "turns": [1, 2],
        "endings": ["solved", "turns"],
        "rewards": [0.5, 2.0],
        "results": [
            {
                "episode": 1,
                "task": 4,
                "agent": "planner",
                "turn": 1,
                "policy": "shared",
                "version": 4,
                "rewards": [1.0, 2.0],
                "cut": 0,
                "ended": "turns",
                "solved": False,
            }
        ],
    }
    assert client.get(address(job, "/branches/3?offset=9")).json()["results"] == []


def test_a_group_has_its_branches(as_user: AsUser, job: TrainingJob) -> None:
    group = as_user("viewer").get(address(job, "/branches/3/1/planner/2")).json()
    assert (group["episode"], group["task"], group["solved"]) == (1, 4, False)
    assert group["prompt"] == [{"role": "user", "content": HOSTILE}]
    first, second = group["branches"]
    assert (first["taken"], second["taken"]) == (False, True)
    assert (first["picture"], second["picture"]) == ({}, {"board": "S.G"})
    assert (first["logprobs"], first["pieces"]) == ([-0.5, -0.25], ["D", "D"])
    assert (first["team"], first["local"]) == ({"goal": 1.0}, {"steps": -0.5})
    assert first["finish"] == "length"


@pytest.mark.parametrize(
    ("query", "name", "rows"),
    [
        ("", "", 10),
        ("agent=planner", "-filtered", 6),
        ("agent=planner&turn=1&ended=turns", "-filtered", 2),
        ("mixed=false", "-filtered", 2),
        ("least=1.5&task=3", "-filtered", 4),
        ("agent=nobody", "-filtered", 0),
    ],
)
def test_a_file_has_what_the_filters_leave(
    as_user: AsUser, job: TrainingJob, query: str, name: str, rows: int
) -> None:
    client = as_user("viewer")
    count = client.get(address(job, f"/branches/3?{query}")).json()["count"]
    response = client.get(address(job, f"/branches/3/file?{query}"))
    assert f"branches-{job.id}-3{name}.parquet" in response["Content-Disposition"]
    table = pq.read_table(io.BytesIO(response.getvalue())).to_pylist()
    assert len(table) == rows == 2 * count
    response = client.get(address(job, f"/branches/3/file?{query}&format=jsonl"))
    assert f"branches-{job.id}-3{name}.jsonl" in response["Content-Disposition"]
    lines = [json.loads(line) for line in response.getvalue().splitlines()]
    places = ("episode", "agent", "turn", "branch", "tokens", "reward")
    assert [[line[key] for key in places] for line in lines] == [
        [row[key] for key in places] for row in table
    ]
    for line in lines:
        assert line["messages"] == [{"role": "user", "content": HOSTILE}]
        assert (line["team"], line["local"]) == ({"goal": 1.0}, {"steps": -0.5})


def test_a_large_step_is_sent_in_parts(as_user: AsUser, job: TrainingJob) -> None:
    """The filter goes on across the parts."""
    agents = ("proposer", "planner")
    rows = [row(at, agents[at % 2], 1, branch) for at in range(BATCH) for branch in (1, 2)]
    write_branches(training_folder(job.id), 4, rows, kept=10)
    response = as_user("viewer").get(address(job, "/branches/4/file?agent=planner"))
    table = pq.read_table(io.BytesIO(response.getvalue()))
    assert table["episode"].to_pylist() == [at for at in range(1, BATCH, 2) for _ in (1, 2)]


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("/branches/2", "branches_not_kept"),
        ("/branches/2/file", "branches_not_kept"),
        (f"/branches/{10**300}", "branches_not_kept"),
        ("/branches/2/0/planner/1", "branches_not_kept"),
        ("/branches/3/7/planner/1", "no_such_group"),
        (f"/branches/3/{10**30}/planner/1", "no_such_group"),
        (f"/branches/3/0/planner/{10**30}", "no_such_group"),
    ],
)
def test_what_is_not_there(as_user: AsUser, job: TrainingJob, place: str, code: str) -> None:
    response = as_user("viewer").get(address(job, place))
    assert (response.status_code, response.json()["error"]["code"]) == (404, code)


@pytest.mark.parametrize(
    "query",
    [
        "?task=x",
        "?turn=0",
        "?least=high",
        "?least=nan",
        "?mixed=maybe",
        "?offset=-1",
        "/file?format=xml",
        "/file?turn=0",
    ],
)
def test_bad_places(as_user: AsUser, job: TrainingJob, query: str) -> None:
    assert as_user("viewer").get(address(job, f"/branches/3{query}")).status_code == 400


@pytest.mark.parametrize(("who", "expected"), by_group("viewer"))
def test_only_members_see_them(as_user: AsUser, job: TrainingJob, who: str, expected: int) -> None:
    for place in ("", "/3", "/3/file?agent=planner&format=jsonl", "/3/0/planner/1"):
        assert as_user(who).get(address(job, f"/branches{place}")).status_code == expected
