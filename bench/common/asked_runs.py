"""Asks a studio for what it stored of the runs behind an evaluation's answers."""

import argparse
import asyncio
import csv
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import aiohttp

T = TypeVar("T")
Row = Mapping[str, str]
"""Of an evaluation's answers."""
Told = Mapping[str, Any]
"""What the API answers."""


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("results", type=Path, help="CSV file of an evaluation's answers")
    parser.add_argument("--studio", default="http://127.0.0.1:8000", metavar="URL")
    return parser


def asked(
    options: argparse.Namespace, read: Callable[[Told], T], *, part: str = ""
) -> list[tuple[Row, T]]:
    """Each answer that has a run, with what `read` makes of `/api/runs/{id}` and `part`."""
    token = os.environ.get("STUDIO_TOKEN", "")
    if not token:
        raise SystemExit(
            "STUDIO_TOKEN is not set. Create a token that may read on your account page, and "
            "set it."
        )
    with options.results.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["run"]]

    async def ask() -> list[tuple[Row, T]]:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        found: list[tuple[Row, T]] = []
        async with aiohttp.ClientSession(
            options.studio, headers=headers, raise_for_status=True
        ) as client:
            for row in rows:
                async with client.get(f"/api/runs/{row['run']}{part}") as answer:
                    found.append((row, read(await answer.json())))
        return found

    return asyncio.run(ask())
