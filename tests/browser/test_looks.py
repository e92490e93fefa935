"""Every page, at a desk and on a phone, light and dark: accessible, inside its width, pictured."""

import re
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.learning import draft
from tests.browser.looks import AXE, THEMES, WIDTHS, overflow, picture, violations
from tests.browser.run_page import settle
from tests.browser.studio import VisitedStudio
from tests.processes.children import ROOT

pytestmark = pytest.mark.browser

ROUTES = ROOT / "frontend" / "src" / "app" / "routes.tsx"
WIDE = (2560, 1440)

Ready = Callable[[Page], Locator]
PAGES: dict[str, tuple[str, Ready]] = {
    "login": ("/login", lambda page: page.get_by_role("button", name="Log in")),
    "ask": ("/", lambda page: page.get_by_role("button", name=re.compile("Method$"))),
    "run-graph": ("/runs/{run}", lambda page: page.locator("button[data-node]").first),
    "run-agent": (
        "/runs/{run}?agent=a1",
        lambda page: page.get_by_role("heading", name="Prompt sent"),
    ),
    "run-trace": ("/runs/{run}?tab=trace", lambda page: page.get_by_role("tree")),
    "run-timeline": (
        "/runs/{run}?tab=timeline",
        lambda page: page.get_by_role("button", name="As table"),
    ),
    "run-moment": (
        "/runs/{run}?moment=6",
        lambda page: page.get_by_role("slider", name="Moment of the run"),
    ),
    "run-waiting": (
        "/runs/{waiting}",
        lambda page: page.get_by_role("button", name="Run next agent"),
    ),
    "run-compare": (
        "/runs/compare?left={run}&right={waiting}",
        lambda page: page.get_by_role("region", name="Both graphs"),
    ),
    "run-shared": ("/shared/{shared}", lambda page: page.locator("button[data-node]").first),
    "sample": ("/sample", lambda page: page.get_by_role("dialog", name="Tour of this page")),
    "sample-reso": ("/sample/reso", lambda page: page.locator("button[data-node]").last),
    "runs": ("/runs", lambda page: page.get_by_role("row").last),
    "roles": (
        "/roles?role=planner",
        lambda page: page.get_by_role("main").get_by_role("heading").nth(1),
    ),
    "agents": ("/agents", lambda page: page.get_by_role("main").get_by_role("link").first),
    "agent": (
        "/agents/{agent}",
        lambda page: page.get_by_role("slider", name="Reward over rewards", exact=True),
    ),
    "endpoints": ("/endpoints", lambda page: page.get_by_role("article").first),
    "tokens": ("/tokens", lambda page: page.get_by_text("browser tests").first),
    "webhooks": ("/webhooks", lambda page: page.get_by_role("article", name="Pipeline")),
    "trainings": ("/training", lambda page: page.get_by_role("row").last),
    "training-form": ("/training/new", lambda page: page.get_by_label("Queries per step")),
    "training": (
        "/training/{job}?with={other}&step=2",
        lambda page: page.locator("button[data-node]").first,
    ),
    "training-team": (
        "/training/team",
        lambda page: page.get_by_role("button", name="Train the team"),
    ),
    "branches": (
        "/training/{team}/branches/{step}",
        lambda page: page.get_by_role("row").last,
    ),
    "branch-group": (
        "/training/{team}/branches/{step}/{episode}/{speaker}/{turn}",
        lambda page: page.get_by_role("heading", name="Branch 4"),
    ),
    "step-designs": (
        "/training/{meta}/designs/{stage}",
        lambda page: page.get_by_role("region", name="Rewards of question 1"),
    ),
    "design-execution": (
        "/training/{meta}/designs/{stage}/{question}/{place}/{execution}",
        lambda page: page.get_by_role("navigation", name="Executions of the question"),
    ),
    "checkpoints": ("/training?tab=checkpoints", lambda page: page.get_by_role("row").last),
    "evaluations": ("/evaluations", lambda page: page.get_by_role("row").last),
    "evaluation-form": (
        "/evaluations/new",
        lambda page: page.get_by_role("button", name="Remove arm: Arm 3"),
    ),
    "evaluation": (
        "/evaluations/{evaluation}",
        lambda page: page.get_by_role("table", name="Why answers of Direct are wrong"),
    ),
    "evaluation-compare": (
        "/evaluations/{evaluation}?tab=compare",
        lambda page: page.get_by_role("row").last,
    ),
    "designs": ("/designs", lambda page: page.get_by_role("row").last),
    "design": ("/designs/{design}", lambda page: page.locator(".react-flow__node").last),
    "lost": ("/nowhere", lambda page: page.get_by_role("heading").first),
    "datasets": ("/datasets", lambda page: page.get_by_role("row").last),
    "dataset": ("/datasets/{dataset}", lambda page: page.get_by_role("row").last),
}

DIALOGS: dict[str, tuple[tuple[str, str | re.Pattern[str]], ...]] = {
    "ask": (("news", re.compile(r"^Notifications(: \d+ new)?$")),),
    "run-graph": (("share", "Share"), ("note", "Add note")),
    "runs": (("run-filters", "More filters"), ("views", "Views")),
    "agent": (("agent-own", "Edit"),),
    "design": (("versions", "Versions"),),
    "datasets": (("dataset-new", "New dataset"),),
    "dataset": (("dataset-import", "Import tasks"), ("dataset-delete", "Delete")),
    "tokens": (("token", "Create token"),),
    "webhooks": (("webhook", "Add webhook"),),
    "endpoints": (("endpoint", "Add endpoint"),),
}
"""Of a page: each with the button that opens it."""


def routes() -> set[str]:
    """Every address that the pages have, as the router writes it: `/runs/:id`."""
    source = ROUTES.read_text()
    paths = {f"/{path.lstrip('/')}" for path in re.findall(r"path: '([^']*)'", source)}
    assert len(paths) == source.count("path:"), "A path in routes.tsx is not a plain string."
    return paths


def fits(route: str, address: str) -> bool:
    """Whether an address of PAGES is that route's: `:id` is a `{name}`, `:id?` may be left out."""
    pattern = re.sub(r"/:\w+\\\?", r"(/\\w+)?", re.escape(route))
    pattern = re.sub(r":\w+", r"\\{\\w+\\}", pattern)
    return re.fullmatch(pattern, address.partition("?")[0]) is not None


@pytest.fixture(scope="package")
def learned(
    trained: tuple[str, str], branched: dict[str, str], designed: str, evaluated: str
) -> dict[str, str]:
    """What the addresses of trainings and evaluations name."""
    job, other = trained
    place = {name: branched[name] for name in ("step", "episode", "turn")}
    team = {"team": branched["job"], "speaker": branched["agent"], **place}
    designs = {"meta": designed, "stage": "12", "question": "0", "place": "4", "execution": "1"}
    return {"job": job, "other": other, "evaluation": evaluated, **team, **designs}


@pytest.fixture(scope="package")
def subjects(
    studio: VisitedStudio,
    team_run: str,
    agent: dict[str, Any],
    learned: dict[str, str],
) -> dict[str, str]:
    """What the addresses name."""
    drawing = draft("abc", "ab ba bc")
    design = studio.post("/api/designs", {"name": "A circle", "draft": drawing})["id"]
    asks = studio.post(
        "/api/designs", {"name": "Asks", "draft": draft("abcd", "ab ac bd cd", asked="b")}
    )
    led = {"design": asks["id"], "breakpoints": ["c"]}
    waiting = studio.post("/api/runs", {"query": "1 + 1?", "method": "design", **led})["id"]
    shared = studio.share(team_run).removeprefix("/shared/")
    studio.post("/api/webhooks", {"name": "Pipeline", "url": "https://ci.example.org/studio"})
    named = {"run": team_run, "waiting": waiting, "design": design, "shared": shared}
    return {**learned, **named, "agent": agent["id"], "dataset": "sums"}


def test_every_route_is_looked_at() -> None:
    addresses = [address for address, _ in PAGES.values()]
    looked_at = {route for route in routes() for address in addresses if fits(route, address)}
    assert routes() - looked_at == {"/*"}  # whatever has no route: "lost" is there
    lost = PAGES["lost"][0]
    assert not any(fits(route, lost) for route in routes())


def looked_at(page: Page, name: str, seen: Locator, *, is_dialog: bool = False) -> list[str]:
    """What is wrong with what is shown, at a desk and on a phone, in both themes."""
    problems: list[str] = []
    for (width, height), (theme, rules) in product(WIDTHS.items(), THEMES.items()):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": height})
        expect(seen).to_be_visible()
        settle(page)
        page.screenshot(path=picture(f"{name}-{width}-{theme}"))
        # React Aria puts a button for screen readers beside a popover: no landmark can hold it.
        found = violations(page, *rules, without="region" if is_dialog and not rules else None)
        if not is_dialog and (sideways := overflow(page)):
            found.append(f"{sideways} pixels stand out")
        problems += [f"{name} {width} {theme}: {each}" for each in found]
    return problems


@pytest.mark.parametrize("name", PAGES)
def test_a_page_and_its_dialogs_are_accessible_and_fit_in_both_themes(
    visit: Visit, subjects: dict[str, str], name: str
) -> None:
    who = None if name in {"login", "run-shared"} else "curator"
    page = visit(who).new_page()
    address, ready = PAGES[name]
    page.goto(address.format(**subjects))
    page.evaluate(AXE.read_text())  # evaluated, since no page lets a script be added
    problems = looked_at(page, name, ready(page))
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    settle(page)
    if sideways := overflow(page):
        problems.append(f"{name} {WIDE[0]}: {sideways} pixels stand out")
    for dialog, button in DIALOGS.get(name, ()):
        page.set_viewport_size({"width": 1440, "height": WIDTHS[1440]})
        page.get_by_role("button", name=button, exact=True).first.click()
        opened = page.get_by_role("dialog").or_(page.get_by_role("alertdialog"))
        problems += looked_at(page, f"dialog-{dialog}", opened.first, is_dialog=True)
        page.keyboard.press("Escape")
        expect(opened).to_have_count(0)
    assert problems == []


def test_the_chosen_theme_takes_effect_at_once_and_lasts(visit: Visit) -> None:
    """An inherited colour in transition would reach a text one frame later per ancestor."""
    page = visit("viewer", color_scheme="light").new_page()
    page.goto("/")
    expect(PAGES["ask"][1](page)).to_be_visible()
    in_transition: int = page.evaluate("""() => {
        document.documentElement.dataset.theme = "dark"
        const transitions = document.getAnimations().filter((a) => a instanceof CSSTransition)
        return transitions.length
    }""")
    assert in_transition == 0
    page.reload()
    page.get_by_role("button", name=re.compile("^Account")).click()
    page.get_by_role("menuitemradio", name="Dark").click()
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert "dark" in page.evaluate("getComputedStyle(document.documentElement).colorScheme")
