"""Tasks, references and names of studies that try to run code: text on every page of theirs.

The `visit` fixture adds that no dialog opened, no other host was asked, no policy was violated.
"""

import pytest
from playwright.sync_api import expect

from tests.browser import hostile, learning
from tests.browser.conftest import Visit
from tests.browser.studio import VisitedStudio
from tests.browser.test_hostile_text import harmless

pytestmark = pytest.mark.browser

NAME = hostile.ROLE_NAMES[0]


@pytest.fixture(scope="package")
def hostile_study(studio: VisitedStudio, trained: tuple[str, str]) -> dict[str, str]:
    """A dataset whose every text attacks, an evaluation and a training on it."""
    rows = [
        {"query": f"[hostile] {attack}", "reference": attack, "verifier": "exact", "domain": NAME}
        for attack in (*hostile.HTML[:3], hostile.MARKDOWN[0])
    ]
    about = {"name": NAME, "description": hostile.HTML[1], "source": hostile.HTML[5]}
    studio.dataset("hostile", {"train": rows, "dev": rows}, **about, licence=hostile.HTML[3])
    arms = [{"method": "direct", "label": name} for name in hostile.ROLE_NAMES[:2]]
    config = {**learning.SMALL, "steps": 1}
    job = learning.training(studio, hostile.ROLE_NAMES[1], dataset="hostile", config=config)
    made = learning.evaluation(studio, NAME, dataset="hostile", arms=arms)
    studio.ends(f"/api/training-jobs/{job}")
    return {"job": job, "evaluation": made}


@pytest.mark.parametrize(
    ("path", "shows"),
    [
        ("/datasets", NAME),
        ("/datasets/hostile", "<script>"),
        ("/evaluations", NAME),
        ("/evaluations/{evaluation}", NAME),
        ("/evaluations/{evaluation}?tab=answers", "<svg onload"),
        ("/evaluations/{evaluation}?tab=compare", "<svg onload"),
        ("/training", "<script>"),
        ("/training?tab=checkpoints", "<script>"),
        ("/training/{job}?step=1", "[hostile]"),
        ("/training/{job}?tab=settings", "<script>"),
    ],
)
def test_a_hostile_study_is_text(
    visit: Visit, hostile_study: dict[str, str], path: str, shows: str
) -> None:
    page = visit("operator").new_page()
    page.goto(path.format(**hostile_study))
    shown = page.get_by_role("main").get_by_text(shows).filter(visible=True)
    expect(shown.first).to_be_visible()
    harmless(page)
    if path == "/datasets/hostile":
        page.get_by_role("table").get_by_role("button").first.click()
        expect(page.get_by_role("dialog").get_by_text("<script>").first).to_be_visible()
        harmless(page)
