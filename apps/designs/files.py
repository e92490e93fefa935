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
from workers.core.designs.formats.graphml import from_graphml, to_graphml
from workers.core.designs.formats.graphml_reader import NotGraphml
from workers.core.designs.formats.json_file import NotADesign, from_json, to_json
from workers.core.designs.formats.langgraph_program import NotExportable, to_langgraph
from workers.core.designs.formats.mermaid import to_mermaid
from workers.core.designs.problems import has_errors
from workers.core.designs.spec import DesignSpec, NewerFormat

_UNSAFE_IN_FILE = re.compile(r"[^A-Za-z0-9]+")
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,8}$")


@dataclass(frozen=True, slots=True)
class Format:
    """A format to export a design in. `runs`: the file is a program, so the design must have no
    error."""

    ending: str
    media_type: str
    write: Callable[[DesignSpec, str], str]
    runs: bool = False


FORMATS = {
    "json": Format("json", "application/json", lambda spec, name: to_json(spec, name=name)),
    "graphml": Format("graphml", "application/xml", lambda spec, name: to_graphml(spec, name=name)),
    "mermaid": Format("mmd", "text/plain", lambda spec, name: to_mermaid(spec)),
    "python": Format(
        "py", "text/x-python", lambda spec, name: to_langgraph(spec, name=name), runs=True
    ),
}


@dataclass(frozen=True, slots=True)
class File:
    name: str
    media_type: str
    text: str


def design_file(*, design: Design, spec: DesignSpec, form: str) -> File:
    """Raises ApplicationError: 409 if the design cannot be exported in this format."""
    chosen = FORMATS[form]
    if chosen.runs:
        _require_runnable(spec)
    try:
        text = chosen.write(spec, design.name)
    except NotExportable as error:
        raise conflict("not_exportable", str(error), _("Change the design first.")) from error
    stem = _UNSAFE_IN_FILE.sub("-", design.name).strip("-").lower()[:60] or "design"
    return File(f"{stem}.{chosen.ending}", chosen.media_type, text)


def design_import(
    *, user: User, text: str, name: str | None = None, file_name: str | None = None
) -> Design:
    """Makes a design from a JSON or GraphML file, with the name in the file, or else the file's own
    name. If it raises ApplicationError, nothing is made."""
    text = text.removeprefix("\ufeff")  # of editors that mark a file as Unicode
    try:
        read = from_graphml if text.lstrip().startswith("<") else from_json
        said, spec = read(text)
    except (NotGraphml, NotADesign, NewerFormat) as error:
        raise ApplicationError.of_fields(
            [FieldError("text", "not_a_design", str(error))]
        ) from error
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="text") from error
    usable = name or _name_in(said) or _name_in(_ENDING.sub("", file_name or ""))
    return design_create(user=user, name=usable or None, draft=spec.model_dump(mode="json"))


def _name_in(said: str) -> str:
    return " ".join(said.split())[:NAME_CHARS] if said.isprintable() else ""


def _require_runnable(spec: DesignSpec) -> None:
    problems = design_problems(spec)
    if has_errors(problems):
        first = problems[0]
        raise conflict("design_has_errors", first.message, first.remedy)
