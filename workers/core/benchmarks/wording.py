"""The words that benchmarks put around a question, and the question without them.

Two editions of a question are the same, whatever text is added and however its options are ordered.
"""

import re

TESTS = "\n\nYour code should pass these tests:\n\n```python\n"
LETTER = "\n\nAnswer with the letter of the right option."
BOXED = "\n\nGive the final answer as \\boxed{answer}."
BRIEF = (
    "\n\nThe final answer is a number, as few words as possible, or a list of these with commas. "
    "Write a number in digits, without a unit unless the question asks for one."
)
COMPLETE = (
    "Complete this Python function. Give the whole function, with its imports.\n\n```python\n"
)
CODE_END = "\n```"

_OPTION = re.compile(r"^[A-Z]\. ", re.MULTILINE)


def bare_question(query: str) -> str:
    """The query without the tests, the answer's form and the option letters; options are sorted."""
    if query.endswith(LETTER):
        return _without_letters(query.removesuffix(LETTER))
    if query.startswith(COMPLETE):
        return query.removeprefix(COMPLETE).removesuffix(CODE_END)
    if query.endswith(CODE_END) and TESTS in query:
        return query.partition(TESTS)[0]
    return query.removesuffix(BOXED).removesuffix(BRIEF)


def _without_letters(query: str) -> str:
    question, first, options = query.rpartition("\n\nA. ")
    if not first:
        return query
    choices = _OPTION.split(options)
    return "\n".join([question, *sorted(choice.strip() for choice in choices)])
