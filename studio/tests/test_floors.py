"""Floors of the apps where the linter cannot look: foreign keys by name, and tables in SQL."""

import re
import tomllib
from pathlib import Path

from django.apps import apps

ROOT = Path(__file__).resolve().parents[2]
UPWARD = {
    ("agents", "AgentReward", "run"),
    ("agents", "AgentReward", "job"),
    ("checkpoints", "Checkpoint", "job"),
    ("designs", "Design", "from_run"),
    ("runs", "Run", "evaluation"),
}
"""Where a row of a lower app comes from. It outlives what it names, or goes with it."""


def floors() -> dict[str, int]:
    """Of each app, from the contract: the lowest is 0."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (
        each["layers"] for each in contracts["contracts"] if each["name"] == "apps stand on floors"
    )
    return {
        name: floor for floor, line in enumerate(reversed(layers)) for name in line.split(" | ")
    }


def test_foreign_keys_lead_down_but_for_those_that_are_named() -> None:
    floor = floors()
    found = {
        (model._meta.app_label, model.__name__, field.name)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if field.concrete and field.is_relation and isinstance(field.related_model, type)
        for mine, theirs in [(model._meta.app_label, field.related_model._meta.app_label)]
        if mine != theirs and {mine, theirs} <= floor.keys() and floor[theirs] >= floor[mine]
    }
    assert found == UPWARD


def test_no_table_of_an_upper_app_stands_in_sql() -> None:
    floor = floors()
    tables = {model._meta.db_table: model._meta.app_label for model in apps.get_models()}
    above = []
    for name in floor:
        for file in (ROOT / "apps" / name).rglob("*.py"):
            if {"tests", "migrations"} & set(file.parts):
                continue
            words = set(re.findall(r"\b[a-z]+_[a-z_]+\b", file.read_text()))
            named = {tables[word] for word in words & tables.keys()} & floor.keys()
            above += [
                f"{file}: {app}" for app in named if app != name and floor[app] >= floor[name]
            ]
    assert not above
