"""A model, a question and a role that try to run code in the reader's browser: all stay text.

The `visit` fixture adds that no dialog opened, no other host was asked, no policy was violated.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import hostile, run_page
from tests.browser.conftest import Visit
from tests.browser.learning import draft
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

# What a working attack would leave behind.
TRACES = """() => ({
  ran: window.__ran ?? null,
  elements: document.querySelectorAll(
    'main iframe, main script, main img, main style, main form[action], main link, main base,' +
    'main [onerror], main [onload], main [ontoggle], main [onfocus]').length,
  links: [...document.querySelectorAll('main a[href]')].map((link) => link.href)
    .filter((address) => !/^(https?|mailto):/.test(address)),
})"""
NOTHING: dict[str, object] = {"ran": None, "elements": 0, "links": []}


@pytest.fixture(scope="package")
def hostile_run(studio: VisitedStudio) -> str:
    """MasHost over a pool whose roles, and with a model whose every message, attack."""
    pool = {"key": "hostile", "name": hostile.ROLE_NAMES[0], "description": hostile.HTML[1]}
    studio.post("/api/pools", pool)
    for number, name in enumerate(hostile.ROLE_NAMES):
        role = {"key": f"role-{number}", "name": name, "family": "mathematics"}
        texts = {"description": hostile.HTML[2], "prompt": hostile.REPLY[:2_000]}
        studio.post("/api/pools/hostile/roles", {**role, **texts, "capabilities": [name]})
    studio.post("/api/pools/hostile/publish", {})
    run_id = studio.ask(f"[hostile] {hostile.HTML[0]}", method="mashost", pool="hostile")
    studio.wait(run_id, "succeeded", seconds=90)
    return run_id


def harmless(page: Page) -> None:
    """Checked once everything on the page has been drawn."""
    run_page.settle(page)
    assert page.evaluate(TRACES) == NOTHING


@pytest.mark.parametrize("who", ["operator", None])
def test_a_hostile_run_is_text_wherever_it_is_shown(
    visit: Visit, studio: VisitedStudio, hostile_run: str, who: str | None
) -> None:
    page = visit(who).new_page()
    page.goto(f"/runs/{hostile_run}" if who else studio.share(hostile_run))
    expect(run_page.answer(page)).to_contain_text("<img src=x")
    page.get_by_role("button", name="Show message").click()
    expect(run_page.answer(page)).to_contain_text("[pixel]")
    harmless(page)
    run_page.open_card(page, 1)
    expect(page.get_by_role("heading", name="Prompt sent")).to_be_visible()
    harmless(page)
    for view in ("Trace", "Timeline"):
        page.get_by_role("tab", name=view).click()
        harmless(page)


def test_it_stays_text_while_it_streams(visit: Visit, studio: VisitedStudio) -> None:
    page = visit("operator").new_page()
    page.goto("/")
    page.evaluate(run_page.RECORD)
    run_page.choose(page, "Method", "Direct")
    run_id = run_page.ask(page, f"[hostile] live {hostile.HTML[1]}")
    run_page.shown(page, studio, run_id)
    assert len({each["writing"] for each in run_page.samples(page)}) > 5
    harmless(page)


@pytest.mark.parametrize("path", ["/", "/runs", "/roles?pool=hostile&role=role-1", "/endpoints"])
def test_names_and_questions_are_text_on_every_page(
    visit: Visit, hostile_run: str, path: str
) -> None:
    page = visit("operator").new_page()
    page.goto(path)
    expect(page.get_by_role("main").get_by_role("heading").first).to_be_visible()
    harmless(page)


def test_a_hostile_design_is_text(visit: Visit, studio: VisitedStudio) -> None:
    drawing = draft("ab", "ab")
    for agent, name, attack in zip(
        drawing["agents"], hostile.ROLE_NAMES, hostile.HTML[:2], strict=False
    ):
        agent["role"] |= {"name": name, "prompt": attack, "description": attack}
    body = {"name": hostile.ROLE_NAMES[0], "draft": drawing}
    made = studio.post("/api/designs", body)["id"]
    page = visit("operator").new_page()
    page.goto(f"/designs/{made}")
    nodes = page.locator(".react-flow__node")
    expect(nodes).to_have_count(2)
    expect(nodes.first).to_contain_text(hostile.ROLE_NAMES[0][:12])
    nodes.first.click()
    expect(page.get_by_role("textbox", name="Prompt")).to_have_value(hostile.HTML[0])
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as picture:
        page.get_by_role("menuitem", name="SVG picture").click()
    assert "<script" not in picture.value.path().read_text()
    harmless(page)
    page.goto("/designs")
    expect(page.get_by_role("row").filter(has_text=hostile.ROLE_NAMES[0][:12])).to_have_count(1)
    harmless(page)


def test_a_hostile_address_is_text(visit: Visit) -> None:
    page = visit("operator").new_page()
    page.goto("/roles?pool=%3Cimg%20src%3Dx%20onerror%3Dwindow.__ran%3D1%3E")
    harmless(page)
    logged_out = visit(None).new_page()
    logged_out.goto("/login?next=javascript:window.__ran=1")
    expect(logged_out.get_by_role("button", name="Log in")).to_be_visible()
    harmless(logged_out)
