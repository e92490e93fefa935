"""The role whose program answers: one agent in `program`, several in other baselines.

Without it, a comparison with teams that run programs would only test mental arithmetic.
"""

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
