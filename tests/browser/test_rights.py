"""What each group is offered, as the pages show it."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

CHECKPOINT = "a-second-lesson-step-000004"


def test_a_viewer_reads_and_is_told_why_not_to_ask(visit: Visit) -> None:
    page = visit("viewer").new_page()
    page.goto("/")
    page.get_by_label("Question", exact=True).fill("May I ask?")
    expect(page.get_by_text("Your account can read runs but not start them")).to_be_visible()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    for form, kind in (("training", "trainings"), ("evaluations", "evaluations")):
        page.goto(f"/{form}/new")
        # It stands at the top, and beside the button as soon as the form is there.
        told = page.get_by_text(f"can read {kind} but not start them")
        expect(told.first).to_be_visible()
        expect(page.get_by_role("button", name=f"Start {form.rstrip('s')}")).to_be_disabled()


@pytest.mark.parametrize(
    ("who", "path", "seen", "others"),
    [
        ("viewer", "/runs/{run}", "102", ["Run again"]),
        ("viewer", "/training", "A first lesson", ["Start training"]),
        ("viewer", "/training/{job}", "Succeeded", ["Delete", "Train again"]),
        ("curator", "/training/{job}", "Train again", ["Delete"]),
        ("viewer", "/training/{job}?tab=checkpoints", CHECKPOINT, [f"Actions for {CHECKPOINT}"]),
        ("viewer", "/evaluations/{evaluation}", "Export", ["Delete", "Evaluate again"]),
        ("curator", "/evaluations/{evaluation}", "Evaluate again", ["Delete"]),
        ("viewer", "/datasets", "Sums", ["New dataset"]),
        ("operator", "/datasets/sums", "2 + 1?", ["Import", "Compose", "Edit", "Delete"]),
        ("operator", "/endpoints", "stub", ["Add", "Test", "Edit", "Delete", "History"]),
        ("viewer", "/webhooks", "No webhook yet", ["Add webhook"]),
    ],
)
def test_what_is_for_others_is_not_offered(
    *,
    visit: Visit,
    team_run: str,
    trained: tuple[str, str],
    evaluated: str,
    who: str,
    path: str,
    seen: str,
    others: list[str],
) -> None:
    page = visit(who).new_page()
    page.goto(path.format(run=team_run, job=trained[1], evaluation=evaluated))
    main = page.get_by_role("main")
    expect(main.get_by_text(seen).filter(visible=True).first).to_be_visible()
    for name in others:
        for role in ("button", "link"):
            expect(main.get_by_role(role, name=name)).to_have_count(0)


def test_who_only_reads_takes_traces_away(visit: Visit, team_run: str) -> None:
    page = visit("viewer").new_page()
    page.goto("/runs")
    page.get_by_role("checkbox", name="Choose: ").first.press("Space")
    bar = page.get_by_role("region", name="Chosen runs")
    expect(bar.get_by_role("link", name="Download traces")).to_be_visible()
    for name in ("Run again", "Label", "Delete", "Cancel"):
        expect(bar.get_by_role("button", name=name, exact=True)).to_have_count(0)


@pytest.mark.parametrize("who", ["viewer", "curator"])
def test_who_does_not_own_a_run_gets_its_address_only(
    visit: Visit, team_run: str, who: str
) -> None:
    page = visit(who).new_page()
    page.goto(f"/runs/{team_run}")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share this run")
    expect(dialog.get_by_label("Address of this page")).to_be_visible()
    expect(dialog.get_by_role("listitem").get_by_label("Link 1")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Make link")).to_have_count(0)


def test_a_curator_reads_the_history_of_an_endpoint(visit: Visit) -> None:
    page = visit("curator").new_page()
    page.goto("/endpoints")
    expect(page.get_by_role("button", name="Add endpoint")).to_be_enabled()
    page.get_by_role("button", name="History of").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("added it").first).to_be_visible()
    page.reload()
    expect(dialog.get_by_text("added it").first).to_be_visible()
