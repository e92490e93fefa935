"""The designer's page, as a person draws on it."""

from typing import Any

from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.studio import VisitedStudio


def drawn(studio: VisitedStudio, name: str, spec: dict[str, Any]) -> str:
    """The address of a design of the operator's."""
    made: dict[str, Any] = studio.post("/api/designs", {"name": name, "draft": spec}, by="operator")
    return f"/designs/{made['id']}"


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    expect(name_of_design(page)).to_be_visible()
    return page


def node(page: Page, name: str) -> Locator:
    return page.locator(".react-flow__node").filter(has_text=name)


def panel(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Properties")


def edges(page: Page) -> Locator:
    return page.locator(".react-flow__edge")


def saved(page: Page) -> None:
    expect(page.get_by_role("status").get_by_text("Saved", exact=True)).to_be_visible()


def name_of_design(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Name of the design")


def by_name(page: Page, command: str) -> None:
    """Done from the palette."""
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("searchbox").fill(command)
    expect(page.get_by_role("menuitem").first).to_contain_text(command)
    page.keyboard.press("Enter")


def drag(page: Page, source: Locator, target: Locator) -> None:
    begin, end = source.bounding_box(), target.bounding_box()
    assert begin
    assert end
    page.mouse.move(begin["x"] + begin["width"] / 2, begin["y"] + begin["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=8)
    page.mouse.up()


def box(card: Locator) -> FloatRect:
    found = card.bounding_box()
    assert found
    return found
