"""A design as a JSON file: the design as it is stored, and its name.

The file names its type (`mas_studio: design`), unlike other JSON files. The design's
own `format` is the version of its schema.
"""

from typing import Any

import orjson

from workers.core.designs.spec import DesignSpec, read_design

KIND = "design"


class NotADesign(ValueError):
    """Why a file can't be read."""


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
        raise NotADesign("The file is JSON, but not a design that MAS Studio exported.")
    design, name = read.get("design"), read.get("name")
    if not isinstance(design, dict):
        raise NotADesign("The file has no design.")
    return name if isinstance(name, str) else "", read_design(design)
