"""The role whose program answers: alone in `program`, several in the baselines that can do so, too.

A comparison with teams that run programs would else be one of arithmetic in the head.
"""

from __future__ import annotations

from workers.core.specs import RoleSpec
from workers.core.tools.program import PROGRAM_TOOL

PROGRAM_WRITER = RoleSpec(
    key="program",
    name="Program writer",
    family="baseline",
    description="Writes a short program that computes the answer; its output is the answer.",
    prompt="You answer questions by writing a short Python program.",
    tools=(PROGRAM_TOOL,),
)
