"""The last lines of a prompt: the form in which an agent must answer."""

from workers.core.specs import AnswerForm, RoleSpec

STEPS_FORM = "Solve it step by step first."
"""The output form of an agent that reasons. A small model heeds most what stands last: asked to
reason by its role alone, Qwen2.5-Coder-0.5B answered at once."""
SHORT_FORM_CHARS = 60
ANSWER_ALONE = "Give only the final answer."
WHOLE_PROGRAM = "the whole program in one ```python block."
OWN_ENDINGS: dict[AnswerForm, tuple[str, ...]] = {
    "text": ("\\boxed{}", ANSWER_ALONE),
    "code": (WHOLE_PROGRAM,),
}
"""A prompt with one of these says itself how the answer ends. Of 34 questions Qwen2.5-Coder-0.5B
was right on 7 more, and on none fewer, where it was to put its answer in a box than where it was to
end with a line (docs/log/2026-11-26-baseline-wordings.md)."""
ANSWER_RULE = "End with your final answer on one last line in this form:\nAnswer: …"
CODE_RULE = (
    "Give the whole program, imports included, in one block at the end, in place of an answer line:"
    "\n```python\n…\n```"
)
PROGRAM_RULE = (
    "Write one Python program that computes the answer and prints it, and nothing else, on its "
    "last line. It is run for you as it stands, once; what it prints last is your answer:\n"
    "```python\n…\n```"
)
SMALL_CODE_RULE = f"Write {WHOLE_PROGRAM}"
SMALL_PROGRAM_RULE = (
    "Write a short Python program that computes the answer step by step and prints it on the last "
    "line with print(). Write only the program, in one ```python block."
)
"""Qwen2.5-Coder-0.5B on the first 48 items of GSM8K train: 19 right, 4 programs without an answer
among the first 24 and 2 among the rest. On the first 24, where this had 8: a function `solution()`
had 9, each sentence of the question as a comment 2, with 9 programs without an answer."""


def answer_rule(
    role: RoleSpec,
    *,
    answer_form: AnswerForm = "text",
    runs_program: bool = False,
    small_model: bool = False,
) -> str:
    """The end of the user message. `runs_program`: the agent's program is run after its turn.

    Models also get the role's own output form; a small model only if the form is short and it need
    not write a program. A program that is the answer itself is asked for as such, whether it is run
    or not. Empty if the role's prompt says how to end (`OWN_ENDINGS`).
    """
    if not runs_program and any(end in role.prompt for end in OWN_ENDINGS[answer_form]):
        return role.output_form.strip()
    if answer_form == "code":
        rule, small = CODE_RULE, SMALL_CODE_RULE
    elif runs_program:
        rule, small = PROGRAM_RULE, SMALL_PROGRAM_RULE
    else:
        rule = small = ANSWER_RULE
    form = role.output_form.strip()
    if small_model and (len(form) > SHORT_FORM_CHARS or small is not ANSWER_RULE):
        return small
    return f"{form}\n{rule}" if form else rule


def no_more_tools(answer_form: AnswerForm, ending: str = "") -> str:
    """What an agent gets after its last tool round. `ending`: how its message must end, if not with
    an answer."""
    if ending:
        return f"No more tool calls. {ending}"
    answer = "```python\n…\n```" if answer_form == "code" else "Answer: …"
    return f"No more tool calls. Give your final answer now.\n{answer}"
