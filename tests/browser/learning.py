"""Tasks, trainings and evaluations small enough to be waited for, and where pages show them."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.studio import VisitedStudio

STEPS = 6
SMALL = {
    "steps": STEPS,
    "queries_per_step": 2,
    "systems_per_query": 2,
    "max_agents": 2,
    "max_steps": 3,
    "checkpoint_every": 2,
}
TEAM = {
    "cold_weak": 1.0,
    "cold_steps": 40,
    "cold_rate": 5e-3,
    "steps": 2,
    "episodes_per_step": 3,
    "branches": 4,
    "turns": 2,
    "max_tokens": 16,
    "checkpoint_every": 42,
}
"""A nano model that plays a team: it learns the form of a way in seconds, and finds some ways."""
ARMS = [{"method": "direct"}, {"method": "chain_of_thought"}]
DEV = 12
SLIPS = 3
WRONG = 2
"""Of the dev tasks: those that only careful methods answer, and those whose reference is wrong."""


def sums(count: int, first: int) -> list[dict[str, str]]:
    """Every fourth invites a slip, every sixth (from the last) has a wrong reference."""
    return [
        {
            "query": f"{'[slip] ' if index % 4 == 0 else ''}What is {first + index} + {index}?",
            "reference": str(first + 2 * index + (7 if index % 6 == 5 else 0)),
            "verifier": "numeric",
            "domain": "mathematics",
        }
        for index in range(count)
    ]


def training(studio: VisitedStudio, name: str, *, by: str = "operator", **asked: Any) -> str:
    """The id of a new training on the sums."""
    body = {"method": "mashost", "dataset": "sums", "split": "train", "config": SMALL}
    job: str = studio.post("/api/training-jobs", {**body, "name": name, **asked}, by=by)["id"]
    return job


def team(studio: VisitedStudio, name: str) -> str:
    """The id of a training of a team on small boards that has ended. Its last steps have
    branches."""
    splits = {"train": 6, "dev": 0, "test": 0}
    boards = {"key": "boards", "options": {"size": 4}, "splits": splits}
    studio.post("/api/games/plan_path/episodes", boards)
    asked = {"method": "at_grpo", "preset": "studio", "dataset": "boards", "config": TEAM}
    job = training(studio, name, **asked)
    studio.ends(f"/api/training-jobs/{job}")
    return job


def evaluation(studio: VisitedStudio, name: str, **asked: Any) -> str:
    """The id of an evaluation that has ended."""
    body = {"name": name, "dataset": "sums", "split": "dev", "arms": ARMS, **asked}
    made: str = studio.post("/api/evaluations", body, by="operator")["id"]
    studio.ends(f"/api/evaluations/{made}")
    return made


def chart(page: Page, metric: str = "Reward") -> Locator:
    return page.get_by_role("slider", name=f"{metric} over training steps")


def drawn(page: Page, last: int, metric: str = "Reward") -> Locator:
    """The chart once its plot stands and reaches this step."""
    plot = chart(page, metric)
    expect(plot).to_have_attribute("aria-valuemax", str(last))
    expect(plot.locator(".u-over")).to_be_visible()
    return plot


def sampled(page: Page, step: int | None = None) -> Locator:
    """The panel with the systems of a step, of any where none is named."""
    name = re.compile("^Systems sampled at step" + ("" if step is None else f" {step}$"))
    return page.get_by_role("region", name=name)


def row(page: Page, text: str) -> Locator:
    return page.get_by_role("row").filter(has_text=text)


def draft(agents: str, edges: str = "", *, asked: str = "") -> dict[str, Any]:
    """`draft("abc", "ab bc")`: a is read by b, b by c; side by side on the canvas. A person answers
    for those in `asked`."""
    return {
        "agents": [
            {
                "id": i,
                "role": {
                    "key": i,
                    "name": f"Agent {i.upper()}",
                    "prompt": f"You are {i}.",
                    **({"tools": ["person"]} if i in asked else {}),
                },
                "x": 320 * place,
                "y": 40,
            }
            for place, i in enumerate(agents)
        ],
        "edges": [{"source": pair[0], "target": pair[1]} for pair in edges.split()],
    }
