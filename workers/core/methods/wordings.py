"""How the baselines that reason are worded, by the size of the model and the form of the answer.

A baseline is as strong as a careful user would make it. `bench wordings` tried many wordings on
rows of training. These are among those with most right (docs/log/2026-11-26-baseline-wordings.md).
It tried no model of a billion parameters or more. Such a model reads what each role says.
"""

from collections.abc import Mapping

from workers.core.mas.rules import ANSWER_ALONE, WHOLE_PROGRAM
from workers.core.specs import AnswerForm, EndpointSpec, RoleSpec

STEPS = "Work through the question in short numbered steps. Then give the answer."
SMALL_STEPS: Mapping[AnswerForm, str] = {
    "text": "Please reason step by step, and put your final answer within \\boxed{}.",
    "code": (
        "Explain your solution in a few short steps, edge cases included, and end with "
        f"{WHOLE_PROGRAM}"
    ),
}
SMALL_CHECK: Mapping[AnswerForm, str] = {
    "text": (
        "Check each solution below step by step for mistakes, and put the right answer within "
        "\\boxed{}."
    ),
    "code": f"Check each program below for mistakes, and end with {WHOLE_PROGRAM}",
}
"""How a debater goes on after the first round. Asked to compare instead, a small model answers at
once."""
SMALL_DIRECT: Mapping[AnswerForm, str] = {"text": ANSWER_ALONE}


def worded(
    role: RoleSpec, prompts: Mapping[AnswerForm, str], endpoint: EndpointSpec, form: AnswerForm
) -> RoleSpec:
    """The role with its prompt for a small model, where there is one for this form."""
    if not endpoint.is_small or form not in prompts:
        return role
    return role.model_copy(update={"prompt": prompts[form], "output_form": ""})
