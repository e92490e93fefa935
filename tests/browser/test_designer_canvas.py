"""What the designer shows: problems as one types, many agents, narrow screens, files."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Visit
from tests.browser.designer import box, drawn, edges, node, opened, panel, saved
from tests.browser.learning import draft
from tests.browser.run_page import RESTS
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
READABLE = 12.0
"""Pixels on the screen, of a name and of a handle."""


def changed(spec: dict[str, Any], place: int, **change: Any) -> dict[str, Any]:
    """With another endpoint or place, or of its role another text or tools, of one agent."""
    agent = spec["agents"][place]
    agent |= {key: value for key, value in change.items() if key in {"endpoint", "x", "y"}}
    agent["role"] |= {key: value for key, value in change.items() if key in {"prompt", "tools"}}
    return spec


def problem(page: Page, name: str) -> Locator:
    """The triangle on an agent's card."""
    return node(page, name).get_by_role("button", name=re.compile("problem"))


def without_saving(page: Page) -> None:
    """No save arrives from now on."""

    def refuse(route: Route) -> None:
        if route.request.method == "PATCH":
            route.abort()
        else:
            route.continue_()

    page.route("**/api/designs/*", refuse)


def shown_size(element: Locator) -> float:
    """The size of its writing on the screen, the zoom included."""
    size: float = element.evaluate("""element => {
        const zoom = new DOMMatrix(getComputedStyle(
            document.querySelector('.react-flow__viewport')).transform).a
        return parseFloat(getComputedStyle(element).fontSize) * zoom
    }""")
    return size


def is_within(inner: Locator, outer: Locator) -> bool:
    a, b = box(inner), box(outer)
    return (
        a["x"] >= b["x"]
        and a["y"] >= b["y"]
        and a["x"] + a["width"] <= b["x"] + b["width"]
        and a["y"] + a["height"] <= b["y"] + b["height"]
    )


def test_tools_endpoint_and_a_person(page: Page, studio: VisitedStudio) -> None:
    address = drawn(studio, "Well equipped", draft("ab"))
    opened(page, address)
    node(page, "Agent A").click()
    expect(panel(page)).to_contain_text("It uses no tools.")
    expect(panel(page)).to_contain_text("It reads only the question. No agent reads it.")
    panel(page).get_by_role("button", name="Tools").click()
    page.get_by_role("menuitemcheckbox", name=re.compile("^Calculator")).click()
    expect(page.get_by_role("menuitemcheckbox", name="A person answers")).to_have_count(0)
    page.keyboard.press("Escape")
    panel(page).get_by_role("button", name=re.compile("Endpoint$")).click()
    page.locator("[role=option][data-key=default]").click()
    panel(page).get_by_text("Ask a person").click()
    card = node(page, "Agent A")
    for mark in ("asks a person", "calculator", "default"):
        expect(card).to_contain_text(mark)
    saved(page)
    kept = studio.get(f"/api{address}")["draft"]["agents"][0]
    assert kept["endpoint"] == "default"
    assert kept["role"]["tools"] == ["calculator", "person"]

    for _ in range(3):  # from far away the same, as marks
        page.get_by_role("button", name="Zoom out").click()
    for mark in ("asks a person", "uses calculator", "asks the endpoint default"):
        expect(card.get_by_role("img", name=mark)).to_be_visible()
    panel(page).get_by_text("Ask a person").click()
    expect(card.get_by_role("img", name="asks a person")).to_have_count(0)


def test_several_are_chosen_aligned_and_spread(page: Page, studio: VisitedStudio) -> None:
    spec = draft("abcd")
    for place, (x, y) in enumerate([(0, 0), (300, 40), (900, 90), (300, 600)]):
        changed(spec, place, x=x, y=y)
    opened(page, drawn(studio, "In disorder", spec))
    a, b, c = (node(page, f"Agent {name}") for name in "ABC")
    first, second = box(a), box(b)
    page.keyboard.down("Shift")
    page.mouse.move(first["x"] - 8, first["y"] - 8)
    page.mouse.down()
    page.mouse.move(second["x"] + 20, second["y"] + second["height"] + 8, steps=6)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(panel(page).get_by_role("heading", name="2 agents")).to_be_visible()
    c.click(modifiers=["Shift"])
    expect(panel(page).get_by_role("heading", name="3 agents")).to_be_visible()

    page.get_by_role("button", name="Align: top edges").click()
    page.wait_for_function("""() => new Set([...document.querySelectorAll(
        '.react-flow__node.selected')].map(each => each.getBoundingClientRect().top)).size === 1""")
    assert box(a)["y"] == pytest.approx(first["y"], abs=1), "the highest one stays"
    assert box(node(page, "Agent D"))["y"] > box(a)["y"] + 100, "who is not chosen stays"
    saved(page)


def test_a_heap_is_tidied_and_all_of_it_shown(page: Page, studio: VisitedStudio) -> None:
    spec = draft("abcdefghijklmn", "ab ac bd cd de ef fg gh hi ij jk kl lm mn")
    for place in range(len(spec["agents"])):
        changed(spec, place, x=10 * place, y=10 * place)
    opened(page, drawn(studio, "A heap", spec))
    expect(page.locator(".react-flow__minimap")).to_be_visible()
    expect(page.locator(".react-flow__minimap-node")).to_have_count(14)
    page.get_by_role("button", name="Tidy").click()
    page.evaluate(RESTS)
    cards = page.locator(".react-flow__node")
    boxes = [box(card) for card in cards.all()]
    lefts = [each["x"] for each in boxes]
    assert lefts[0] < lefts[1] == lefts[2] < lefts[3] < lefts[4] < lefts[13], "readers follow"
    assert boxes[1]["y"] + boxes[1]["height"] <= boxes[2]["y"] or (
        boxes[2]["y"] + boxes[2]["height"] <= boxes[1]["y"]
    ), "side by side, not over each other"
    pane = page.locator(".react-flow__pane")
    assert all(is_within(card, pane) for card in cards.all()), "all of it is in sight"

    for _ in range(6):
        page.get_by_role("button", name="Zoom in").click()
    page.evaluate(RESTS)
    assert not all(is_within(card, pane) for card in cards.all())
    page.get_by_role("button", name="Fit view").click()
    page.evaluate(RESTS)
    assert all(is_within(card, pane) for card in cards.all())


def test_what_is_wrong_is_told_while_one_types(page: Page, studio: VisitedStudio) -> None:
    spec = draft("abcd", "ab bd") | {"answer_from": "d"}
    changed(spec, 0, prompt="")
    changed(spec, 1, endpoint="gone")
    changed(spec, 3, tools=["shell"])
    opened(page, drawn(studio, "All wrong", spec))
    without_saving(page)
    for name, said in (
        ("Agent A", "“Agent A” has no prompt."),
        ("Agent B", "“Agent B” uses the endpoint “gone”, which does not exist or is turned off."),
        ("Agent C", "The message of “Agent C” never reaches the agent that answers."),
        ("Agent D", "“Agent D” has the tool “shell”, which this studio does not have."),
    ):
        mark = problem(page, name)
        expect(mark).to_have_accessible_name(f"1 problem: {said}")
        mark.focus()
        expect(node(page, name)).to_have_attribute("aria-label", re.compile(re.escape(said)))
    node(page, "Agent B").hover()
    problem(page, "Agent B").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("uses the endpoint “gone”")

    problem(page, "Agent A").click()
    panel(page).get_by_role("textbox", name="Prompt").fill("Written.")
    expect(problem(page, "Agent A")).to_have_count(0)

    node(page, "Agent B").click()
    panel(page).get_by_role("button", name=re.compile("Endpoint$")).click()
    page.locator("[role=option][data-key=default]").click()
    expect(problem(page, "Agent B")).to_have_count(0)
    expect(page.get_by_role("status").get_by_text("Saved", exact=True)).to_have_count(0)


def test_the_summary_agent_is_seen(page: Page, studio: VisitedStudio, tmp_path: Path) -> None:
    spec = draft("abc", "ab")
    opened(page, drawn(studio, "Summed up", changed(spec, 0, tools=["calculator"])))
    ghost = page.locator(".react-flow__node-ghost")
    expect(ghost).to_have_count(0)
    page.get_by_text("A summary agent reads all agents and answers").click()
    expect(ghost).to_have_accessible_name("Summary: reads all agents and answers")
    expect(ghost).to_be_in_viewport()
    expect(edges(page)).to_have_count(4)
    page.locator(".react-flow__pane").click(position={"x": 60, "y": 60})
    page.keyboard.press("Control+a")
    expect(panel(page).get_by_role("heading", name="3 agents")).to_be_visible()
    page.keyboard.press("Escape")
    saved(page)
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="SVG picture").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    for said in ("Agent B", "reads all agents and answers", "uses calculator"):
        assert said in file.read_text()
    assert "oklch" not in file.read_text(), "not every program knows it"


def test_panels_are_put_away_for_good(page: Page, studio: VisitedStudio) -> None:
    opened(page, drawn(studio, "Wide", draft("ab", "ab ba")))
    pane = page.locator(".react-flow__pane")
    before = box(pane)["width"]
    page.get_by_role("button", name="Hide the roles").click()
    page.get_by_role("button", name="Hide the properties").click()
    expect(page.get_by_role("region", name="Roles")).to_have_count(0)
    expect(panel(page)).to_have_count(0)
    assert box(pane)["width"] > before + 500
    page.reload()
    expect(node(page, "Agent A")).to_be_visible()
    expect(page.get_by_role("region", name="Roles")).to_have_count(0)
    problem(page, "Agent A").focus()
    page.keyboard.press("Enter")
    expect(panel(page)).to_contain_text("Remove one of the cycle's edges.")
    page.get_by_role("button", name="Show the roles").click()
    expect(page.get_by_role("region", name="Roles")).to_be_visible()


def test_a_chain_on_a_phone(visit: Visit, studio: VisitedStudio) -> None:
    page = visit("operator", viewport=PHONE, has_touch=True, is_mobile=True).new_page()
    opened(page, drawn(studio, "By thumb", draft("abcdefg", "ab bc cd de ef fg")))
    pane = page.locator(".react-flow__pane")
    first = node(page, "Agent A")
    assert is_within(first, pane)
    assert shown_size(first.get_by_text("Agent A")) >= READABLE
    assert box(first.locator(".source"))["width"] >= READABLE

    page.get_by_role("tab", name="Roles").click()
    add = page.get_by_role("button", name=re.compile("^Add .*critic", re.IGNORECASE)).first
    add.tap()
    expect(page.get_by_role("tab", name="Agent")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_have_value("Critic")
    page.evaluate(RESTS)
    card = page.locator(".react-flow__node.selected")
    expect(card).to_be_in_viewport()
    expect(card).to_be_focused()
    assert is_within(card, pane)
