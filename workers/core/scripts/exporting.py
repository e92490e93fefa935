"""Makes a script run without the studio: the script, and one file with the blocks beside it."""

import ast
import re
from functools import lru_cache
from pathlib import Path

from workers.core.tools.foreign_text import CLOSING_MESSAGE, TEMPLATE_MARKS

_OWN_IMPORT = re.compile(r"^from workers\.[\s\S]*?(?:\)|[^(]\n)\n*", re.M)
_DOCSTRING = re.compile(r'\A"""[\s\S]*?"""\n')
_HINTS_UNREAD = "from __future__ import annotations\n\n"
"""As in the studio, hints may name types that there are not."""
_USAGE = """\
# A team of agents from MAS Studio. It needs Python 3.11 and workflow.py beside it.
#
#   BASE_URL=http://127.0.0.1:11434/v1 MODEL=qwen3 API_KEY=… python team.py "Your question"
#
# It prints the answer; what the agents say and the script prints goes to standard error.
# RUN_PYTHON=1 lets models run programs on this computer, for agents with the tool "python".
# PYTHONHASHSEED=0 lets a script go through a set of texts in the studio's order.

"""


def exported(script: str) -> dict[str, str]:
    """The texts of `team.py` and `workflow.py`."""
    hints = _HINTS_UNREAD if _has_hints(script) else ""
    return {"team.py": f"{_USAGE}{hints}{script.rstrip()}\n", "workflow.py": _workflow()}


def _has_hints(script: str) -> bool:
    try:
        tree = ast.parse(script)
    except (SyntaxError, ValueError):
        return False
    return any(
        getattr(node, "annotation", None) or getattr(node, "returns", None)
        for node in ast.walk(tree)
    )


@lru_cache(maxsize=1)
def _workflow() -> str:
    here = Path(__file__)
    blocks = here.with_name("blocks.py").read_text(encoding="utf-8")
    client = here.with_name("elsewhere.py").read_text(encoding="utf-8")
    marks = f"TEMPLATE_MARKS = {TEMPLATE_MARKS!r}\nCLOSING_MESSAGE = {CLOSING_MESSAGE!r}"
    client = _OWN_IMPORT.sub("", _DOCSTRING.sub("", client))
    return f"{blocks}\n\n# The client.\n\n{marks}\n{client}"
