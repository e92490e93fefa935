"""A design as a JSON file: the design as it is stored, and its name.

The file says of itself what it is (`mas_studio: design`), so that another JSON file is told apart;
the design's own `format` says which version of the schema it has.
"""

from __future__ import annotations

from typing import Any

import orjson

from workers.core.designs.spec import DesignSpec, read_design

KIND = "design"


class NotADesign(ValueError):
    """What is wrong with a file that was to be read."""


def to_json(design: DesignSpec, *, name: str) -> str:
    whole = {"mas_studio": KIND, "name": name, "design": design.model_dump(mode="json")}
    return orjson.dumps(whole, option=orjson.OPT_INDENT_2).decode() + "\n"


def from_json(text: str) -> tuple[str, DesignSpec]:
    """Name and design. Raises NotADesign, and ValidationError or NewerFormat for the design."""
    try:
        read: Any = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise NotADesign(f"The file is not JSON: {error}") from error
    if not isinstance(read, dict) or read.get("mas_studio") != KIND:
        raise NotADesign("The file is JSON, but no design that a MAS Studio exported.")
    design, name = read.get("design"), read.get("name")
    if not isinstance(design, dict):
        raise NotADesign("The file holds no design.")
    return name if isinstance(name, str) else "", read_design(design)
