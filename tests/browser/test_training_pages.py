"""Trainings: started, followed, stopped for a while, compared, and looked into step by step."""

import json
import re
import signal
from uuid import uuid4

import psycopg
import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser import learning, run_page
from tests.browser.conftest import Visit
from tests.browser.learning import STEPS, chart, drawn, sampled
from tests.browser.looks import pictured
from tests.browser.studio import VisitedStudio
from workers.core.testing.stub_process import RunningStub

pytestmark = pytest.mark.browser

JOB_ADDRESS = re.compile(r"/training/[0-9a-f-]{36}")
MANY = 12

# How far the curve reached, whenever the page changed.
RECORD = """() => {
  const seen = (window.__steps = [])
  new MutationObserver(() => {
    const running = document.querySelector('main header')?.textContent.startsWith('Running')
    const reached = document.querySelector('.line-chart')?.getAttribute('aria-valuemax')
    if (running && reached && seen.at(-1) !== reached) seen.push(reached)
  }).observe(document.body, { subtree: true, childList: true, attributes: true })
}"""
# Whether the chart has pixels of both trainings' colours, which its legend shows.
BOTH_DRAWN = """(chart) => {
  const canvas = chart.querySelector('canvas')
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
  const one = document.createElement('canvas').getContext('2d')
  const counts = [...chart.parentElement.querySelectorAll('p [style*=background]')].map((mark) => {
    one.fillStyle = getComputedStyle(mark).backgroundColor
    one.fillRect(0, 0, 1, 1)
    const wanted = one.getImageData(0, 0, 1, 1).data
    let found = 0
    for (let at = 0; at < pixels.length; at += 4)
      if ([0, 1, 2, 3].every((part) => pixels[at + part] === wanted[part])) found += 1
    return found
  })
  return counts.length === 2 && counts.every((count) => count > 50)
}"""


def test_a_training_is_started_draws_live_pauses_goes_on_and_is_deleted(
    page: Page, studio: VisitedStudio, llm: RunningStub, trained: tuple[str, str]
) -> None:
    page.goto("/training")
    page.get_by_role("link", name="Start training").click()
    page.get_by_label("Name", exact=True).fill("From the form")
    run_page.choose(page, "Dataset", "Sums")
    for label, value in (("Steps", MANY), ("Queries per step", 2), ("Systems per query", 2)):
        page.get_by_label(label, exact=True).fill(str(value))
    page.get_by_label("Max agents", exact=True).fill("2")
    page.get_by_label("Seed", exact=True).fill("5")
    expect(
        page.get_by_text(f"{MANY} steps will build and run about {MANY * 4} systems")
    ).to_be_visible()
    page.evaluate(RECORD)
    page.get_by_role("button", name="Start training").click()
    page.wait_for_url(JOB_ADDRESS)
    expect(page).to_have_title(re.compile(r"^(\(\d+\) )?\d+ % · From the form"))
    expect(page.get_by_role("heading", name="From the form")).to_be_visible()

    expect(chart(page)).to_be_visible()
    llm.process.send_signal(signal.SIGSTOP)  # it does not end meanwhile, however busy the machine
    try:
        page.get_by_role("button", name="Pause").click()
        expect(run_page.status(page, "Pausing")).to_be_visible()
    finally:
        llm.process.send_signal(signal.SIGCONT)
    expect(run_page.status(page, "Paused")).to_be_visible()
    job = studio.get(f"/api/training-jobs/{page.url.split('/')[-1]}")
    expect(chart(page)).to_have_attribute("aria-valuemax", str(job["step"]))
    assert 0 < job["step"] < MANY
    page.get_by_role("button", name="Resume").click()
    expect(run_page.status(page, "Succeeded")).to_be_visible()
    expect(chart(page)).to_have_attribute("aria-valuemax", str(MANY))
    reached = [int(step) for step in page.evaluate("window.__steps")]
    assert len(reached) >= 2, f"the curve did not grow while it ran: {reached}"
    assert reached == sorted(reached)

    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.wait_for_url("**/training")
    expect(learning.row(page, "A first lesson")).to_be_visible()
    expect(learning.row(page, "From the form")).to_have_count(0)


def test_what_can_be_trained_is_offered_and_what_cannot_is_said_at_its_field(
    page: Page, sums: str
) -> None:
    page.goto("/training/new")
    run_page.choose(page, "Dataset", "Sums")
    run_page.choose(page, "Split", "test")
    expect(page.get_by_role("button", name="Start training")).to_be_disabled()
    expect(page.get_by_text(re.compile("has no tasks")).first).to_be_visible()
    assert page.url.endswith("/training/new")

    page.goto("/training/team")
    run_page.choose(page, "Game or dataset", "Sums")
    expect(page.get_by_text(re.compile("^Reasoner and Tool user · ")).first).to_be_visible()
    expect(page.get_by_role("button", name="Train the team")).to_be_enabled()
    run_page.choose(page, "Game or dataset", "Sokoban")
    expect(page.get_by_label("Boxes", exact=True)).to_be_visible()


def test_a_step_opens_its_systems_down_to_a_prompt(page: Page, trained: tuple[str, str]) -> None:
    page.goto(f"/training/{trained[0]}")
    drawn(page, STEPS).click()  # in its middle
    page.wait_for_url(re.compile(r"step=\d+"))
    step = int(page.url.split("step=")[1])
    assert 1 < step < STEPS
    panel = sampled(page, step)
    systems = panel.get_by_role("list", name="Sampled systems").get_by_role("button")
    expect(systems).to_have_count(2)
    expect(panel).to_be_in_viewport(ratio=0.9)  # the page has moved to it
    expect(panel.get_by_text("Advantage").first).to_be_visible()
    systems.last.click()
    page.wait_for_url(re.compile(r"sample=\d+"))
    run_page.open_card(page, 1)
    expect(panel.get_by_role("heading", name="Prompt sent")).to_be_visible()
    page.reload()
    expect(panel.get_by_role("heading", name="Prompt sent")).to_be_visible()
    panel.get_by_role("button", name="Close").last.click()

    chart(page).focus()
    for key in ("Home", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(sampled(page, 2)).to_be_visible()
    sampled(page, 2).get_by_role("button", name="Open in the designer").click()
    page.wait_for_url("**/designs/*")
    expect(page.locator(".react-flow__node").first).to_be_visible()


@pytest.mark.parametrize(
    "viewport", [{"width": 1440, "height": 900}, {"width": 390, "height": 844}]
)
def test_a_curve_of_an_agent_and_a_turn_is_found_among_many(
    visit: Visit, branched: dict[str, str], viewport: ViewportSize
) -> None:
    page = visit("viewer", viewport=viewport).new_page()
    page.goto(f"/training/{branched['job']}")
    page.get_by_role("button", name=re.compile("^Metrics")).click()
    choices = page.get_by_role("menuitemcheckbox")
    expect(choices.nth(40)).to_be_attached()
    pictured(page, "metrics-menu")
    page.keyboard.type("turn 1 planner solving")  # the search field has the focus
    expect(choices).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(chart(page, "Solving answers of the planner, turn 1")).to_be_visible()
    expect(chart(page)).to_be_visible()
    pictured(page, "metrics-chosen")


def test_two_trainings_are_drawn_over_each_other(page: Page, trained: tuple[str, str]) -> None:
    page.goto(f"/training/{trained[0]}")
    page.get_by_role("button", name="Compare with").click()
    page.get_by_role("menuitemcheckbox", name="A second lesson").click()
    page.keyboard.press("Escape")
    both = re.compile("first.+, A second lesson")
    expect(chart(page)).to_have_attribute("aria-valuetext", both)
    page.reload()
    plot = drawn(page, STEPS)
    expect(plot).to_have_attribute("aria-valuetext", both)
    page.wait_for_function(BOTH_DRAWN, arg=plot.element_handle())


SEVEN = ("io", "multi_generate", "self_refine", "web_search", "web_browser", "early_exit")
FOUR = ("io", "web_search", "early_exit")


def of_evomas(studio: VisitedStudio, like: str, agents: str) -> str:
    """A training of EvoMAS with nine steps, stored beside another one."""
    roles = (*(SEVEN if agents == "7" else FOUR), "ensemble")
    config = {"agents": agents}
    changed = {"id": str(uuid4()), "method": "evomas", "config": config, "pool_version_id": None}
    with psycopg.connect(studio.database_url) as database:
        database.execute(
            "INSERT INTO training_trainingjob SELECT (jsonb_populate_record(t, %s)).* "
            "FROM training_trainingjob t WHERE id = %s",
            (json.dumps({**changed, "step": 9, "idempotency_key": None}), like),
        )
        for step in range(1, 10):
            chances = dict.fromkeys(roles, 0.6 / (len(roles) - 1)) | {roles[step % 3]: 0.4}
            cells = [
                {"place": place, "layer": layer, "count": 12 // layer, "probabilities": chances}
                for place in ("first", "middle", "last")
                for layer in (1, 2, 3)
            ]
            database.execute(
                "INSERT INTO training_metric (job_id, step, values, selections, at) "
                "VALUES (%s, %s, '{}', %s, now())",
                (changed["id"], step, json.dumps(cells)),
            )
    return str(changed["id"])


@pytest.mark.parametrize(
    "viewport", [{"width": 1440, "height": 900}, {"width": 390, "height": 844}]
)
@pytest.mark.parametrize("agents", ["4", "7"])
def test_how_likely_each_agent_was_is_read_at_a_desk_and_on_a_phone(
    visit: Visit,
    studio: VisitedStudio,
    trained: tuple[str, str],
    viewport: ViewportSize,
    agents: str,
) -> None:
    job = of_evomas(studio, trained[0], agents)
    page = visit("viewer", viewport=viewport).new_page()
    page.goto(f"/training/{job}")
    page.get_by_role("tab", name="Choices").click()
    grid = page.get_by_role("table", name="Probabilities by stage of the task")
    expect(grid.get_by_role("columnheader")).to_have_text(
        ["Earlysteps 1–3", "Middlesteps 4–6", "Latesteps 7–9"]
    )
    expect(grid.get_by_role("cell")).to_have_count(9)
    expect(grid.get_by_text("36 stages")).to_have_count(9)
    legend = page.get_by_role("list", name="Agents", exact=True)
    expect(legend.get_by_role("listitem")).to_have_count(int(agents))
    page.get_by_role("button", name="Last stage: all numbers").click()
    numbers = page.get_by_role("table", name="Last stage: all numbers")
    expect(numbers.get_by_role("row", name=re.compile("^Ensemble"))).to_have_count(3)
    pictured(page, f"choices-{agents}")
