"""Designs: drawn with mouse and keys, saved over nobody, named, restored and run."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.designer import (
    by_name,
    drag,
    drawn,
    edges,
    name_of_design,
    node,
    opened,
    panel,
    saved,
)
from tests.browser.learning import draft
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser


def test_a_team_is_drawn_named_and_run(page: Page) -> None:
    page.goto("/designs")
    page.get_by_role("button", name="New design").click()
    page.wait_for_url(re.compile("/designs/[0-9a-f-]{36}$"))
    expect(page.get_by_text("The design has no agents.")).to_be_visible()

    roles = page.get_by_role("region", name="Roles")
    roles.get_by_role("searchbox").fill("planner")
    roles.get_by_role("button", name=re.compile("^Add .*planner", re.IGNORECASE)).first.click()
    roles.get_by_role("searchbox").fill("")
    roles.get_by_role("button", name="Add Empty role").click()
    expect(page.locator(".react-flow__node")).to_have_count(2)
    expect(edges(page)).to_have_count(1)
    expect(page.get_by_text("has no prompt.")).to_be_visible()
    page.get_by_role("textbox", name="Name", exact=True).fill("Solver")
    page.get_by_role("textbox", name="Prompt").fill("Solve the baker's problem.")
    expect(page.get_by_text("has no prompt.")).to_have_count(0)

    name_of_design(page).fill("Two for the baker")
    saved(page)
    page.reload()
    expect(node(page, "Solver")).to_be_visible()
    expect(name_of_design(page)).to_have_value("Two for the baker")

    page.get_by_role("textbox", name="Question").fill("What does the baker earn?")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/runs/*")
    expect(page.get_by_role("region", name="Answer", exact=True)).to_contain_text("102")
    expect(page.get_by_role("link", name="Two for the baker")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("textbox", name="Question")).to_have_value("What does the baker earn?")
    expect(node(page, "Solver")).to_be_visible()


def test_mouse_and_keys(page: Page, studio: VisitedStudio) -> None:
    opened(page, drawn(studio, "By hand", draft("abc")))
    drag(page, node(page, "Agent A").locator(".source"), node(page, "Agent B").locator(".target"))
    drag(page, node(page, "Agent B").locator(".source"), node(page, "Agent C").locator(".target"))
    expect(edges(page)).to_have_count(2)

    page.keyboard.press("Control+z")
    expect(edges(page)).to_have_count(1)
    page.keyboard.press("Control+Shift+Z")
    expect(edges(page)).to_have_count(2)

    node(page, "Agent B").click()
    for field in ("Prompt", "Name"):
        written = panel(page).get_by_role("textbox", name=field, exact=True)
        before = written.input_value()
        written.click()
        page.keyboard.press("End")
        page.keyboard.type(", typed in one go", delay=20)
        expect(written).to_have_value(f"{before}, typed in one go")
        page.keyboard.press("Control+z")
        expect(written).to_have_value(before)
        page.keyboard.press("Control+Shift+Z")
        expect(written).to_have_value(f"{before}, typed in one go")
        page.keyboard.press("Control+z")
        expect(written).to_be_focused()
    page.keyboard.press("Escape")
    expect(node(page, "Agent B")).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.locator(".react-flow__node")).to_have_count(2)
    expect(edges(page)).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(edges(page)).to_have_count(2)

    page.keyboard.press("Control+a")
    expect(page.get_by_text("3 agents")).to_be_visible()
    page.keyboard.press("Control+d")
    expect(page.locator(".react-flow__node")).to_have_count(6)
    expect(edges(page)).to_have_count(4)
    page.keyboard.press("Control+c")
    page.keyboard.press("Control+v")
    expect(page.locator(".react-flow__node")).to_have_count(9)
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Run the design")).to_be_visible()
    saved(page)


def test_a_role_is_dragged_from_the_pool(page: Page, studio: VisitedStudio) -> None:
    opened(page, drawn(studio, "Dragged", draft("a")))
    roles = page.get_by_role("region", name="Roles")
    roles.get_by_role("searchbox").fill("planner")
    role = roles.get_by_role("button", name=re.compile("^Add .*planner", re.IGNORECASE)).first
    role.drag_to(page.locator(".react-flow__pane"), target_position={"x": 120, "y": 90})
    expect(page.locator(".react-flow__node")).to_have_count(2)
    dropped = page.locator(".react-flow__node").filter(has_text=re.compile("planner", re.I))
    place = dropped.bounding_box()
    pane = page.locator(".react-flow__pane").bounding_box()
    assert place
    assert pane
    assert place["x"] < pane["x"] + pane["width"] / 3, "it lies where it was let go"
    page.keyboard.press("Control+z")
    expect(page.locator(".react-flow__node")).to_have_count(1)


def test_without_a_mouse(page: Page, studio: VisitedStudio) -> None:
    """Chosen with Enter, read by a menu, moved with the arrow keys."""
    opened(page, drawn(studio, "By keys", draft("ab")))
    card = node(page, "Agent B")
    card.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_have_value("Agent B")
    panel(page).get_by_role("button", name="Reads").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    expect(edges(page)).to_have_count(1)
    expect(page.get_by_label("Agent B. reads Agent A")).to_be_visible()
    before = card.get_attribute("style")
    assert before
    card.focus()
    page.keyboard.press("ArrowDown")
    expect(card).not_to_have_attribute("style", before)

    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(card).to_be_focused()
    expect(panel(page).get_by_role("textbox", name="Name", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Run the design")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(node(page, "Agent A")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(card).to_be_focused()
    page.keyboard.press("F2")
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_have_value("Agent B")
    page.keyboard.press("Escape")
    page.keyboard.press("Delete")
    expect(node(page, "Agent A")).to_be_focused()
    viewport = page.locator(".react-flow__viewport")
    near = viewport.get_attribute("style")
    assert near
    page.keyboard.press("-")
    expect(viewport).not_to_have_attribute("style", near)

    page.keyboard.press("/")
    search = page.get_by_role("searchbox", name="Search roles")
    expect(search).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Add Empty role")).to_be_focused()
    page.keyboard.press("ArrowDown")
    first = page.locator(":focus")
    expect(first).to_have_accessible_name(re.compile("^Add "))
    page.keyboard.press("Tab")
    expect(page.get_by_role("region", name="Roles").locator(":focus")).to_have_count(0)
    page.keyboard.press("Shift+Tab")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".react-flow__node")).to_have_count(2)


def test_every_key_and_command_has_a_name(page: Page, studio: VisitedStudio) -> None:
    opened(page, drawn(studio, "By name", draft("ab", "ab")))
    page.locator(".react-flow__pane").click(position={"x": 30, "y": 90})
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keyboard")
    expect(sheet).to_contain_text("remove it")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    page.get_by_role("button", name="Keyboard").click()
    expect(sheet).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()

    by_name(page, "Go to Agent B")
    expect(node(page, "Agent B")).to_be_focused()
    by_name(page, "Add Planner")
    expect(edges(page)).to_have_count(2)
    by_name(page, "Switch breakpoints")
    expect(page.get_by_label("a run stops before it")).to_have_count(1)
    by_name(page, "Versions")
    versions = page.get_by_role("dialog", name="Versions")
    expect(versions).to_be_visible()
    page.keyboard.press("Escape")
    expect(versions).to_be_hidden()
    with page.expect_download() as download:
        by_name(page, "Export Mermaid")
    assert download.value.suggested_filename == "by-name.mmd"
    by_name(page, "Run the design")
    expect(page.get_by_role("textbox", name="Question")).to_be_focused()

    page.get_by_role("button", name="Duplicate", exact=True).click()
    expect(name_of_design(page)).to_have_value("By name (copy)")
    expect(page.locator(".react-flow__node")).to_have_count(3)
    page.goto("/designs?q=By+name+(copy)")
    page.get_by_role("button", name="Duplicate: By name (copy)").click()
    expect(name_of_design(page)).to_have_value("By name (copy) (copy)")


def test_agents_go_from_tab_to_tab(visit: Visit, studio: VisitedStudio) -> None:
    there = visit()
    first = opened(there.new_page(), drawn(studio, "From here", draft("ab", "ab")))
    second = opened(there.new_page(), drawn(studio, "To there", draft("")))
    first.bring_to_front()
    node(first, "Agent A").click()
    first.keyboard.press("Control+a")
    first.keyboard.press("Control+c")
    second.bring_to_front()
    second.locator(".react-flow__pane").click(position={"x": 30, "y": 90})
    second.keyboard.press("Control+v")
    expect(second.locator(".react-flow__node")).to_have_count(2)
    expect(edges(second)).to_have_count(1)
    saved(second)
    second.reload()
    expect(second.locator(".react-flow__node")).to_have_count(2)
    second.locator(".react-flow__pane").click(position={"x": 30, "y": 90})
    second.keyboard.press("Control+v")
    expect(second.locator(".react-flow__node")).to_have_count(4)
    for text, told in (
        ('{"mas_studio": "design", "design": {"agents": [{"id": "<img>"}]}}', "are damaged"),
        ("<img src=x onerror=alert(1)>", None),
    ):
        second.evaluate(
            """(text) => {
              const clipboardData = new DataTransfer()
              clipboardData.setData('text/plain', text)
              const options = { clipboardData, bubbles: true, cancelable: true }
              document.body.dispatchEvent(new ClipboardEvent('paste', options))
            }""",
            text,
        )
        if told:
            expect(second.get_by_role("status").filter(has_text=told)).to_be_visible()
    expect(second.locator(".react-flow__node")).to_have_count(4)


def test_what_is_wrong_is_shown_where_it_is(page: Page, studio: VisitedStudio) -> None:
    opened(page, drawn(studio, "A circle", draft("abc", "ab ba bc")))
    expect(
        page.get_by_role("button", name=re.compile("^“Agent A” is part of a cycle"))
    ).to_be_visible()
    expect(node(page, "Agent A").get_by_label("1 problem")).to_be_visible()
    expect(node(page, "Agent C").get_by_label("1 problem")).to_have_count(0)
    page.get_by_role("textbox", name="Question").fill("Well?")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="Python program (LangGraph)").click()
    told = page.get_by_role("dialog").filter(has_text="waits for its own message")
    expect(told).to_be_visible()
    told.get_by_role("button", name="Close").last.click()
    page.get_by_role("button", name=re.compile("^“Agent B” is part of a cycle")).click()
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_have_value("Agent B")
    panel(page).get_by_role("button", name="Reads").click()
    page.get_by_role("menuitemcheckbox", name=re.compile("Agent A")).click()
    page.keyboard.press("Escape")
    expect(node(page, "Agent B").get_by_label(re.compile("problem"))).to_have_count(0)
    # What is left: nobody reads A and C, of which one answers.
    expect(node(page, "Agent C").get_by_label("1 problem")).to_be_visible()


def test_two_who_draw_at_once(visit: Visit, studio: VisitedStudio) -> None:
    address = drawn(studio, "For two", draft("ab"))
    first = opened(visit("operator").new_page(), address)
    second = opened(visit("curator").new_page(), address)

    name_of_design(first).fill("The first one's")
    saved(first)
    node(second, "Agent A").click()
    second.keyboard.press("Delete")
    alert = second.get_by_role("alert").filter(has_text="Changed elsewhere since you opened it")
    expect(alert).to_be_visible()
    expect(alert).to_contain_text("test-operator saved this design at")
    alert.get_by_role("button", name="Compare theirs with mine").click()
    expect(alert.get_by_text("Removed: Agent A")).to_be_visible()
    second.get_by_role("link", name="Runs", exact=True).click()
    asked = second.get_by_role("dialog", name="Not saved")
    expect(asked).to_contain_text("you lose them")
    asked.get_by_role("button", name="Stay").click()
    assert second.url.endswith(address)
    alert.get_by_role("button", name="Keep mine as a new design").click()
    second.wait_for_url(lambda url: not url.endswith(address))
    expect(second.locator(".react-flow__node")).to_have_count(1)
    expect(name_of_design(second)).to_have_value("For two (mine)")


def test_an_ended_session_loses_nothing(page: Page, studio: VisitedStudio) -> None:
    opened(page, drawn(studio, "In rough weather", draft("a")))
    node(page, "Agent A").click()
    page.context.clear_cookies()
    page.get_by_role("textbox", name="Prompt").fill("Written while logged out.")
    alert = page.get_by_role("alert").filter(has_text="You are logged out")
    link = alert.get_by_role("link", name="Log in in another tab")
    with page.context.expect_page() as tab:
        link.click()
    login = tab.value
    login.get_by_label("Username").fill("test-operator")
    login.get_by_label("Password").fill(studio.people["operator"]["password"])
    login.get_by_role("button", name="Log in").click()
    login.wait_for_url(re.compile(r"\d/designs$"))
    login.close()
    page.evaluate("dispatchEvent(new Event('focus'))")  # somebody looks at this window again
    saved(page)
    expect(alert).to_have_count(0)
    page.reload()
    expect(node(page, "Agent A")).to_contain_text("Written while logged out.")


def test_versions(page: Page, studio: VisitedStudio) -> None:
    opened(page, drawn(studio, "With versions", draft("ab", "ab")))
    page.get_by_role("button", name="Versions", exact=True).click()
    dialog = page.get_by_role("dialog", name="Versions")
    dialog.get_by_role("textbox", name="Name of this version").fill("two agents")
    dialog.get_by_role("button", name="Save version").click()
    expect(dialog.get_by_role("listitem")).to_have_count(1)
    page.keyboard.press("Escape")

    node(page, "Agent B").click()
    page.get_by_role("textbox", name="Prompt").fill("You are somebody else.")
    page.get_by_role("button", name="Versions", exact=True).click()
    dialog.get_by_role("button", name="Compare").click()
    expect(dialog.get_by_role("button", name="The current draft")).to_be_visible()
    expect(dialog.locator("del")).to_have_text(["removed: b"])
    expect(dialog.locator("ins")).to_have_text(["added: somebody else"])
    dialog.get_by_role("button", name="Restore").click()
    expect(dialog).to_be_hidden()
    expect(node(page, "Agent B")).to_contain_text("You are b.")
    expect(page.get_by_role("button", name="Versions", exact=True)).to_be_focused()


def test_a_file_goes_out_and_comes_back(page: Page, studio: VisitedStudio, tmp_path: Path) -> None:
    opened(page, drawn(studio, "There and back", draft("ab", "ab")))
    files = {}
    for item, name in (("JSON", "there-and-back.json"), ("PNG picture", "there-and-back.png")):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=item).click()
        assert download.value.suggested_filename == name
        files[item] = tmp_path / name
        download.value.save_as(files[item])
    assert files["PNG picture"].read_bytes().startswith(b"\x89PNG\r\n")

    def taken_in(file: Path) -> None:
        page.goto("/designs")
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Import design").click()
        chooser.value.set_files(file)

    taken_in(files["JSON"])
    page.wait_for_url(re.compile("/designs/[0-9a-f-]{36}$"))
    expect(node(page, "Agent B")).to_be_visible()
    expect(edges(page)).to_have_count(1)
    expect(name_of_design(page)).to_have_value("There and back")
    (tmp_path / "none.json").write_text("no design")
    taken_in(tmp_path / "none.json")
    expect(page.get_by_text("The file is not JSON")).to_be_visible()


def test_the_graph_of_a_run_is_taken_over(page: Page, team_run: str) -> None:
    page.goto(f"/runs/{team_run}")
    agents = page.locator("button[data-node]")
    expect(agents.first).to_be_visible()
    page.get_by_role("button", name="Open in the designer").click()
    page.wait_for_url("**/designs/*")
    cards = page.locator(".react-flow__node")
    expect(cards.first).to_be_visible()
    question = page.get_by_role("textbox", name="Question")
    expect(question).not_to_have_value("")

    # M−: one agent less, asked the same, beside the original.
    count = cards.count()
    cards.first.click()
    page.keyboard.press("Delete")
    expect(cards).to_have_count(count - 1)
    expect(panel(page)).to_contain_text("Same question and seed")
    page.get_by_role("button", name="Run and compare with that run").click()
    page.wait_for_url(f"**/runs/compare?left={team_run}&right=*")
    expect(page.get_by_role("region", name="Both graphs")).to_be_visible()


def test_samples_are_taken_over_with_their_vote(page: Page, studio: VisitedStudio) -> None:
    asked = studio.ask("What do 3 loaves at 4 dollars cost?", method="self_consistency")
    studio.wait(asked, "succeeded")
    page.goto(f"/runs/{asked}")
    page.get_by_role("button", name="Open in the designer").click()
    page.wait_for_url("**/designs/*")
    expect(page.get_by_text("There are no problems.")).to_be_visible()
    answering = page.get_by_role("button", name=re.compile("Whose answer counts$"))
    expect(answering).to_contain_text("A vote of several agents")
    expect(panel(page).get_by_role("button", name="Who votes")).to_contain_text("5")
    expect(panel(page)).to_contain_text("The vote of Independent reasoner (a1), ")
    expect(page.locator(".react-flow__node").get_by_text("votes")).to_have_count(5)
    page.locator(".react-flow__node").nth(1).click()
    temperature = page.get_by_role("textbox", name="Temperature")
    expect(temperature).to_have_value("0.7")
    expect(panel(page)).to_contain_text("One of 5 samples, seed +1.")
    expect(page.get_by_role("checkbox", name="This agent votes on the answer")).to_be_checked()

    page.keyboard.press("Escape")
    page.get_by_role("button", name="Run and compare with that run").click()
    page.wait_for_url(f"**/runs/compare?left={asked}&right=*")
    again = page.url.rpartition("=")[2]
    studio.wait(again, "succeeded")
    before, after = studio.run(asked), studio.run(again)
    assert (after["answer"], after["message"]) == (before["answer"], before["message"])


def test_a_viewer_looks_and_changes_nothing(visit: Visit, studio: VisitedStudio) -> None:
    page = visit("viewer").new_page()
    opened(page, drawn(studio, "To look at", draft("ab", "ab")))
    expect(page.get_by_role("region", name="Roles")).to_have_count(0)
    expect(page.get_by_role("textbox", name="Question")).to_have_count(0)
    node(page, "Agent A").click()
    page.keyboard.press("Delete")
    expect(page.locator(".react-flow__node")).to_have_count(2)
    expect(panel(page)).to_contain_text("You are a.")
    expect(panel(page).get_by_role("textbox")).to_have_count(0)
    page.goto("/designs")
    expect(page.get_by_role("button", name="New design")).to_have_count(0)


def test_deleting_one(page: Page, studio: VisitedStudio) -> None:
    drawn(studio, "Not for long", draft("a"))
    page.goto("/designs?q=Not+for+long")
    page.get_by_role("button", name="Delete: Not for long").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No design matches")).to_be_visible()


def test_a_design_is_an_arm_of_a_new_evaluation(page: Page, studio: VisitedStudio) -> None:
    opened(page, drawn(studio, "Two by hand", draft("ab", "ab")))
    page.get_by_role("button", name="Evaluate on a dataset").click()
    page.wait_for_url("**/evaluations/new")
    expect(page.get_by_role("button", name=re.compile("Two by hand Design$"))).to_be_visible()
