"""Names that try to run code in the admin, whose script may evaluate what stands in attributes.

The `visit` fixture adds that no dialog opened, no other host was asked, no policy was violated.
"""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import hostile
from tests.browser.conftest import Visit
from tests.browser.looks import picture
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

# What a working attack would leave behind.
TRACES = """() => ({
  ran: window.__ran ?? null,
  elements: document.querySelectorAll(
    '[data-hostile], [onerror], [onload], [ontoggle], [onfocus], iframe, img[src=x]').length,
  links: [...document.querySelectorAll('a[href]')].map((link) => link.href)
    .filter((address) => !/^https?:/.test(address)),
})"""
NOTHING: dict[str, object] = {"ran": None, "elements": 0, "links": []}
KEY = "alpine"
ALIVE = hostile.ALPINE[0]
ATTACKED = re.compile(f"{KEY}|data-hostile|__ran")
WHOLE = "\n".join((*hostile.ALPINE, *hostile.HTML))
THINGS = {
    "roles/rolepool": ("publish", "versions", "clone"),
    "roles/role": ("try_role",),
    "roles/poolversion": (),
    "roles/poolchange": (),
    "roles/roleversion": (),
    "tasks/dataset": ("import_tasks",),
    "tasks/task": (),
    "llms/endpoint": ("test_now",),
    "llms/endpointchange": (),
    "evaluations/evaluation": (),
    "accounts/apitoken": ("revoke_now",),
    "webhooks/webhook": (),
}
"""With the pages that each has beside those of every other thing."""


@pytest.fixture(scope="package")
def hostile_names(studio: VisitedStudio) -> None:
    """A pool with roles, a dataset, an endpoint, a webhook and an evaluation that attack."""
    attacks = hostile.ALPINE
    about = {"name": attacks[0], "description": WHOLE}
    studio.post("/api/pools", {"key": KEY, **about})
    for number, attack in enumerate(attacks):
        role = {"key": f"role-{number}", "name": attack, "family": "mathematics"}
        texts = {"description": attack, "prompt": WHOLE, "capabilities": [attack]}
        studio.post(f"/api/pools/{KEY}/roles", {**role, **texts})
    studio.post(f"/api/pools/{KEY}/publish", {"note": attacks[1]})
    path = f"/api/pools/{KEY}/roles/role-0"
    studio.request("PATCH", path, json={"name": attacks[1], "prompt": attacks[0]})
    rows = [{"query": attack, "reference": attack, "verifier": "exact"} for attack in attacks[:2]]
    studio.dataset(KEY, {"dev": rows}, **about, source=attacks[2], licence=attacks[3])
    studio.endpoint(KEY, attacks[0], base_url="http://127.0.0.1:9/v1", model=attacks[2])
    studio.post("/api/webhooks", {"name": attacks[4], "url": "https://ci.example.org/hook"})
    arms = [{"method": "direct", "label": name} for name in attacks[:2]]
    body = {"name": attacks[2], "dataset": KEY, "split": "dev", "arms": arms}
    studio.post("/api/evaluations", body, by="operator")


def token_named(context: BrowserContext, name: str) -> None:
    """As the page of tokens makes one: a token cannot make tokens."""
    csrf = context.request.get("/api/auth/csrf").json()["token"]
    until = datetime.now(UTC) + timedelta(days=1)
    body = {"name": name, "scopes": ["read"], "expires_at": until.isoformat()}
    made = context.request.post("/api/me/tokens", headers={"X-CSRFToken": csrf}, data=body)
    assert made.ok, made.text()


def harmless(page: Page, address: str) -> None:
    """Its script has started, and everything that it does at first is done."""
    answer = page.goto(address)
    assert answer, address
    assert answer.ok, address
    page.wait_for_load_state("load")
    assert page.evaluate(TRACES) == NOTHING, address


@pytest.mark.usefixtures("hostile_names")
def test_hostile_names_are_text_in_the_admin(visit: Visit) -> None:
    context = visit("admin")
    token_named(context, hostile.ALPINE[1])
    page = context.new_page()
    for thing, own in THINGS.items():
        harmless(page, f"/admin/{thing}/")
        row = page.locator("#result_list tbody tr").filter(has_text=ATTACKED).first
        expect(row).to_be_visible()
        row.hover()
        link = row.locator("a[href*='/change/']").first.get_attribute("href")
        assert link
        for name in ("change", *own):
            harmless(page, link.replace("/change/", f"/{name}/"))
    page.screenshot(path=picture("admin-hostile"))


@pytest.mark.usefixtures("hostile_names")
def test_what_is_searched_for_chosen_or_deleted_is_text(visit: Visit) -> None:
    page = visit("curator").new_page()
    harmless(page, f"/admin/roles/role/?{urlencode({'q': hostile.ALPINE[0]})}")
    page.locator("input.action-select").first.check()
    for action in ("Move to a family", "Delete selected roles"):
        page.get_by_label("Select action to run").select_option(label=action)
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator("#content").get_by_text("data-hostile").first).to_be_visible()
        assert page.evaluate(TRACES) == NOTHING, action
        page.go_back()
        page.locator("input.action-select").first.check()


def test_as_markup_these_names_would_run(visit: Visit) -> None:
    """Else the tests above would say nothing: this page's script evaluates them."""
    page = visit("curator").new_page()
    page.goto("/admin/")
    page.wait_for_function("() => document.body._x_dataStack !== undefined")
    page.evaluate("attack => document.body.insertAdjacentHTML('beforeend', attack)", ALIVE)
    page.wait_for_function("() => window.__ran === 1")
    assert page.evaluate(TRACES) != NOTHING
