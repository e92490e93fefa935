"""A design as a script: a zip with `team.py` and the file of blocks that it needs beside it.

It runs on any OpenAI-compatible server. A drawing is written as a script first.
"""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from workers.core.designs.formats.langgraph_program import NotExportable
from workers.core.designs.scripts import drawing_of
from workers.core.designs.spec import DesignSpec
from workers.core.designs.teams import StaysDrawing, changes, script_of_design
from workers.core.scripts.elsewhere import TOOLS
from workers.core.scripts.exporting import exported

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The same design gives the same file."""


def to_script_zip(design: DesignSpec) -> bytes:
    """Raises NotExportable for a drawing that no script can say."""
    try:
        script = design.script if design.script is not None else script_of_design(design)
    except StaysDrawing as error:
        raise NotExportable(str(error)) from error
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as packed:
        for name, text in exported(script).items():
            packed.writestr(ZipInfo(name, EPOCH), text, ZIP_DEFLATED)
    return file.getvalue()


def script_changes(design: DesignSpec) -> list[str]:
    """What the exported script says otherwise than the design, a sentence each."""
    if design.script is None:
        return changes(design)
    drawing = drawing_of(design)
    used = {tool: block.name for block in drawing.blocks for tool in block.tools} if drawing else {}
    return [
        f"{name} uses the tool “{tool}”, which is the studio's: outside, the script ends there."
        for tool, name in used.items()
        if tool not in TOOLS
    ]
