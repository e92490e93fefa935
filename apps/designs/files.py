"""Designs as files: exported for other programs, and imported."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from pydantic import ValidationError

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.names import NAME_CHARS
from apps.designs.models import Design
from apps.designs.selectors import design_problems
from apps.designs.services import design_create
from apps.designs.turning import as_drawing
from workers.core.designs.formats.graphml import from_graphml, to_graphml
from workers.core.designs.formats.graphml_reader import NotGraphml
from workers.core.designs.formats.json_file import NotADesign, from_json, to_json
from workers.core.designs.formats.langgraph_program import (
    NotExportable,
    left_out,
    to_langgraph,
)
from workers.core.designs.formats.mermaid import to_mermaid
from workers.core.designs.formats.script_file import script_changes, to_script_zip
from workers.core.designs.problems import has_errors
from workers.core.designs.scripts import StaysScript, design_of_script
from workers.core.designs.spec import DesignSpec, NewerFormat
from workers.core.scripts.language import MODULE
from workers.core.scripts.problems import ScriptError

_IMPORT = re.compile(rf"^\s*from\s+{MODULE}\s+import\s", re.MULTILINE)
_UNSAFE_IN_FILE = re.compile(r"[^A-Za-z0-9]+")
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,8}$")


@dataclass(frozen=True, slots=True)
class Format:
    """A format to export a design in. `runs`: the file is a program, so the design must have no
    error. `draws`: it has a graph, so a script is drawn first."""

    ending: str
    media_type: str
    write: Callable[[DesignSpec, str], str | bytes]
    runs: bool = False
    draws: bool = True


FORMATS = {
    "json": Format(
        "json", "application/json", lambda spec, name: to_json(spec, name=name), draws=False
    ),
    "graphml": Format("graphml", "application/xml", lambda spec, name: to_graphml(spec, name=name)),
    "mermaid": Format("mmd", "text/plain", lambda spec, name: to_mermaid(spec)),
    "python": Format(
        "py", "text/x-python", lambda spec, name: to_langgraph(spec, name=name), runs=True
    ),
    "script": Format(
        "zip", "application/zip", lambda spec, name: to_script_zip(spec), runs=True, draws=False
    ),
}
LEFT_OUT = {"python": left_out, "script": script_changes}
"""What a program does otherwise than the design, by its format."""


@dataclass(frozen=True, slots=True)
class File:
    name: str
    media_type: str
    content: str | bytes


def design_file(*, design: Design, spec: DesignSpec, form: str) -> File:
    """Raises ApplicationError: 409 if the design cannot be exported in this format."""
    chosen = FORMATS[form]
    if chosen.runs:
        _require_runnable(spec)
    try:
        drawn = as_graph(spec) if chosen.draws else spec
        content = chosen.write(drawn, design.name)
    except NotExportable as error:
        raise conflict("not_exportable", str(error), _("Change the design first.")) from error
    stem = _UNSAFE_IN_FILE.sub("-", design.name).strip("-").lower()[:60] or "design"
    return File(f"{stem}.{chosen.ending}", chosen.media_type, content)


def design_import(
    *,
    user: User,
    text: str,
    name: str | None = None,
    file_name: str | None = None,
    keep_script: bool = False,
) -> Design:
    """Makes a design from a JSON or GraphML file, with the name in the file, or else the file's own
    name, or from a script, which becomes a drawing unless it is kept. If it raises
    ApplicationError, nothing is made."""
    text = text.removeprefix("\ufeff")  # of editors that mark a file as Unicode
    try:
        if text.lstrip().startswith("<"):
            said, spec = from_graphml(text)
        elif (file_name or "").lower().endswith(".py") or _IMPORT.search(text):
            script = DesignSpec(script=text)
            said, spec = "", script if keep_script else as_drawing(script, field="text")
        else:
            said, spec = from_json(text)
    except (NotGraphml, NotADesign, NewerFormat) as error:
        raise ApplicationError.of_fields(
            [FieldError("text", "not_a_design", str(error))]
        ) from error
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="text") from error
    usable = name or _name_in(said) or _name_in(_ENDING.sub("", file_name or ""))
    return design_create(user=user, name=usable or None, draft=spec.model_dump(mode="json"))


def as_graph(spec: DesignSpec) -> DesignSpec:
    """The design, or what its script means. Raises NotExportable."""
    try:
        return spec if spec.script is None else design_of_script(spec.script)
    except (ScriptError, StaysScript) as error:
        raise NotExportable(f"This format has graphs alone. {error}") from error


def _name_in(said: str) -> str:
    return " ".join(said.split())[:NAME_CHARS] if said.isprintable() else ""


def _require_runnable(spec: DesignSpec) -> None:
    problems = design_problems(spec)
    if has_errors(problems):
        first = problems[0]
        raise conflict("design_has_errors", first.where + first.message, first.remedy)
