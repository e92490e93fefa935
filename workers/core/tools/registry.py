"""The tools that roles may name."""

from __future__ import annotations

from workers.core.tools.base import Tool

TOOLS: dict[str, Tool] = {}
