"""Turns an evaluation's answers into examples for a reward model: ReSo's records, right or wrong.

    bin/studio manage evaluate … --out RESULTS.csv
    STUDIO_TOKEN=… python -m bench.common.reward_examples RESULTS.csv OUT.jsonl \
        --studio http://127.0.0.1:8000

It takes the first run of each question that ended with an answer: the question as the subtask, the
arm as the role, and the text that led to the answer.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import aiohttp

from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.reso.rewards import record
from workers.core.methods.reso.tuning.examples import RewardExample
from workers.core.specs import RoleSpec, SubtaskSpec


def main() -> None:
    parser = argparse.ArgumentParser(description="Write an evaluation's answers as ReSo's records.")
    parser.add_argument("results", type=Path, help="CSV file of an evaluation's answers")
    parser.add_argument("out", type=Path)
    parser.add_argument("--studio", default="http://127.0.0.1:8000", metavar="URL")
    options = parser.parse_args()
    token = os.environ.get("STUDIO_TOKEN", "")
    if not token:
        raise SystemExit(
            "STUDIO_TOKEN is not set. Create a token that may read on your account page, and "
            "set it."
        )
    with options.results.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["run"]]
    runs = asyncio.run(_runs(rows, options.studio, token))
    examples = examples_of(zip(rows, runs, strict=True))
    options.out.write_text("".join(f"{each.model_dump_json()}\n" for each in examples))
    print(f"{len(examples)} answers, {sum(each.right for each in examples)} of them right")


async def _runs(
    rows: Iterable[Mapping[str, str]], studio: str, token: str
) -> list[Mapping[str, Any]]:
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    runs = []
    async with aiohttp.ClientSession(studio, headers=headers, raise_for_status=True) as client:
        for row in rows:
            async with client.get(f"/api/runs/{row['run']}") as answer:
                runs.append(await answer.json())
    return runs


def examples_of(
    answers: Iterable[tuple[Mapping[str, str], Mapping[str, Any]]],
) -> list[RewardExample]:
    """Examples from rows of the CSV, each with its run. Only the first answer to each problem
    counts: several answers to one problem teach less than answers to several problems."""
    found: dict[str, RewardExample] = {}
    for row, run in answers:
        if run["status"] == "succeeded" and run["answer"] and run["correct"] is not None:
            found.setdefault(run["query"], example_of(row["arm"], run))
    return list(found.values())


def example_of(arm: str, run: Mapping[str, Any]) -> RewardExample:
    told = record(
        RoleSpec(key="arm", name=arm, family="arms", description=arm, prompt=arm),
        SubtaskSpec(id="s1", text=run["query"]),
        AgentOutcome("a", arm, message=run["message"] or "", answer=run["answer"]),
        [],
    )
    return RewardExample(record=told, right=run["correct"])


if __name__ == "__main__":
    main()
