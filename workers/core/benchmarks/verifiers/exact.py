"""Text: is the answer the reference, letter for letter?

Case, Unicode compatibility forms, spaces, and outer quotes, markdown or punctuation do not count.
`metadata`: `aliases`, further right answers; `case_sensitive`.
"""

from dataclasses import dataclass

from workers.core.answers.notation import compatible, plain_text
from workers.core.benchmarks.base import Verdict
from workers.core.benchmarks.verifiers.reasons import no_answer, no_reference, right, wrong
from workers.core.specs import TaskSpec

_MAX_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class Exact:
    key: str = "exact"
    name: str = "Exact text"
    description: str = "Compares texts; case, spaces and outer punctuation do not count."

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        if not task.reference:
            raise no_reference()
        if answer is None:
            return no_answer()
        aliases = task.metadata.get("aliases", [])
        accepted = [task.reference, *map(str, aliases if isinstance(aliases, list) else [])]
        read = _as_written if task.metadata.get("case_sensitive") is True else _folded
        if read(answer) in {read(each) for each in accepted}:
            return right(answer, task.reference)
        return wrong(answer, task.reference)


def _folded(text: str) -> str:
    """The text to compare. A text of only punctuation stays unchanged."""
    return plain_text(text[:_MAX_CHARS]) or text.strip()


def _as_written(text: str) -> str:
    return " ".join(compatible(text[:_MAX_CHARS]).split())
