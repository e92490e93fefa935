"""A real studio, a real Chromium, and one person per group who visits it."""

import os
import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from apps.agents.history import RECORD_REWARD
from tests.browser import failures, hostile, learning
from tests.browser.studio import VisitedStudio
from tests.browser.visits import ONE_PROCESS_PER_SITE, PATIENCE_MS, Visited, Visits
from tests.processes.children import ROOT, until
from tests.processes.database import own_database
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import Rule

LONG_REPLY = (
    "First, what is given: 14 loaves at 3 dollars, and 5 cakes at 12 dollars.\n\n"
    "1. The loaves bring `14 * 3 = 42` dollars.\n"
    "2. The cakes bring `5 * 12 = 60` dollars.\n\n"
    "Together that is **102** dollars, and checking it the other way round gives the same sum "
    "once more, so there is nothing left to correct.\nAnswer: 102"
)
PLAN = (
    '{"subtasks": [{"id": "loaves", "text": "What is 14 * 3?", "depends_on": []}, '
    '{"id": "all", "text": "What is the answer of loaves + 60?", "depends_on": ["loaves"]}]}'
)
SCRIPT = """Two solvers and a critic should do.

```python
from workflow import agent, deliver, ensemble, reflection

solvers = [agent(f"Solver {n}", "Solve it.", temperature=0.7) for n in range(1, 3)]
vote = ensemble(solvers, by="majority")
critic = agent("Critic", "Check every step of the solution.")
deliver(reflection(vote, critic, rounds=1))
```
"""
RULES = (
    Rule("You design a team of agents", SCRIPT),
    Rule("Bergen", "17 go there.\nAnswer: 17"),
    Rule("[parcels]", tool_calls=(("read_file", '{"name": "deliveries.csv"}'),)),
    Rule("baker", LONG_REPLY),
    Rule("[stuck]", latency=600.0),
    Rule("[divide]", PLAN),
    Rule("[hostile]", hostile.REPLY),
    Rule("in short numbered steps"),  # whoever is told so works it out, the others slip
    Rule("[slip]", "A quick look is enough here.\nAnswer: 0"),
)

AS_MOST: dict[str, Any] = {
    "viewport": {"width": 1440, "height": 900},
    # Whatever turns and flows is drawn without a graphics card here, for as long as anybody waits.
    "reduced_motion": "reduce",
}

Visit = Callable[..., BrowserContext]
FAILED = pytest.StashKey[bool]()


@pytest.fixture(scope="package")
def llm() -> Iterator[RunningStub]:
    """Streams 16 characters every 30 ms: about 0.7 s for an answer to the baker's question."""
    with running_stub(chunk_latency=0.03, chunk_chars=16, rules=RULES) as stub:
        yield stub


@pytest.fixture(scope="package")
def database_url() -> Iterator[str]:
    with own_database("browser") as url:
        yield url


@pytest.fixture(scope="package")
def studio(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, llm: RunningStub
) -> Iterator[VisitedStudio]:
    pages = ROOT / "frontend" / "dist" / "index.html"
    assert pages.exists(), "The pages are not built: bin/studio test builds them."
    studio = VisitedStudio(Path(tmp_path_factory.mktemp("browser")), database_url)
    try:
        studio.open(llm.url)
        yield studio
    finally:
        studio.stop()


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Package scope: while Playwright's loop runs, no other test may have a loop of its own."""
    program = os.environ.get("STUDIO_CHROMIUM") or shutil.which("chromium")
    assert program, "The browser tests need Chromium: bin/studio test finds or installs it."
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            args=["--no-sandbox", "--disable-background-networking", ONE_PROCESS_PER_SITE],
        )
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def logins(chromium: Browser, studio: VisitedStudio) -> dict[str, Any]:
    """The cookies of each person, once logged in with a one-time link."""
    states: dict[str, Any] = {}
    for group, person in studio.people.items():
        with chromium.new_context(base_url=studio.url()) as context:
            assert context.request.get(person["links"][0]).ok
            states[group] = context.storage_state()
    return states


@pytest.fixture(scope="package")
def visits(chromium: Browser, studio: VisitedStudio, logins: dict[str, Any]) -> Visits:
    return Visits(chromium, studio.url(), logins, AS_MOST)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture
def visit(visits: Visits, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """`visit("operator", viewport=…)` → a watched context; `None` is logged out, and where not
    `kept` nothing was ever fetched. What its pages show is kept when the test fails."""
    opened: list[Visited] = []

    def open_context(
        who: str | None = "operator", *, kept: bool = True, **options: Any
    ) -> BrowserContext:
        opened.append(visits.begin(who, kept=kept, **options))
        return opened[-1].context

    yield open_context
    pages = [page for each in opened for page in each.pages]
    failed = request.node.stash.get(FAILED, False)
    if failed or any(each.watch.problems for each in opened):
        failures.keep(pages, request.node.name)
    for each in opened:
        visits.end(each, passed=not failed)
    assert [problem for each in opened for problem in each.watch.problems] == []


@pytest.fixture
def page(visit: Visit) -> Page:
    """The operator's, at 1440 pixels."""
    return visit().new_page()


@pytest.fixture(scope="package")
def team_run(studio: VisitedStudio) -> str:
    """A finished run of MasHost."""
    run_id = studio.ask("A baker asks: what do 14 loaves and 5 cakes bring?", method="mashost")
    studio.wait(run_id, "succeeded", seconds=90)
    return run_id


@pytest.fixture(scope="package")
def stored(studio: VisitedStudio) -> dict[str, str]:
    """By name, runs that are stored with their whole trace: see `stored.py`."""
    return studio.stored()


@pytest.fixture(scope="package")
def designed(studio: VisitedStudio) -> str:
    """A training of MetaAgent-X that is stored with its curves, and with the designs of its last
    step: see `designed.py`."""
    return studio.designed()["job"]


@pytest.fixture(scope="package")
def agent(studio: VisitedStudio, team_run: str) -> dict[str, Any]:
    """The first agent of that run as the API has it, rewarded three times."""
    role = studio.run(team_run)["graph"]["nodes"][0]["role_key"]
    found = until(
        lambda: studio.get(f"/api/agents?role={role}")["results"], seconds=30, what="it is known"
    )
    assert found is not None
    with psycopg.connect(studio.database_url) as database:
        for reward in (1.0, 0.0, 1.0):
            values = {"id": found[0]["id"], "reward": reward, "cost": 0.5}
            where = {"run_id": team_run, "job_id": None, "step": None, "position": None}
            database.execute(RECORD_REWARD, {**values, **where})
    known: dict[str, Any] = found[0]
    return known


@pytest.fixture(scope="package")
def sums(studio: VisitedStudio) -> str:
    """The key of a dataset of sums, some of which invite a slip."""
    splits = {"train": learning.sums(6, 1), "dev": learning.sums(learning.DEV, 11)}
    studio.dataset("sums", splits, name="Sums", description="Sums of two numbers")
    return "sums"


@pytest.fixture(scope="package")
def trained(studio: VisitedStudio, sums: str) -> tuple[str, str]:
    """Two trainings of the operator that have succeeded; the second one, short, has other seeds."""
    studio.start_trainer()
    first = learning.training(studio, "A first lesson", seed=1)
    second = learning.training(
        studio, "A second lesson", seed=2, config={**learning.SMALL, "steps": learning.STEPS - 2}
    )
    for job in (first, second):
        studio.ends(f"/api/training-jobs/{job}")
    return first, second


@pytest.fixture(scope="package")
def branched(studio: VisitedStudio, trained: tuple[str, str]) -> dict[str, str]:
    """A group of branches of a team's training, as pages name it. The trainer runs."""
    job = learning.team(studio, "A team")
    branches = f"/api/training-jobs/{job}/branches"
    step = studio.get(branches)["steps"][-1]
    groups = studio.get(f"{branches}/{step}?mixed=true")["results"]
    place = {name: groups[0][name] for name in ("episode", "agent", "turn")}
    return {name: str(value) for name, value in {"job": job, "step": step, **place}.items()}


@pytest.fixture(scope="package")
def evaluated(studio: VisitedStudio, sums: str) -> str:
    """An evaluation of the operator: careless and careful on the same sums."""
    return learning.evaluation(studio, "Careless and careful")
