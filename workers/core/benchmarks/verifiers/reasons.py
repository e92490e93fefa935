"""The sentences of verdicts, shared by all verifiers."""

from workers.core.benchmarks.base import Verdict, VerifierError

_SHOWN = 120


def right(answer: str, reference: str | None) -> Verdict:
    same = answer.strip() == (reference or "").strip()
    means = "" if same else f", which means {_shown(reference)}"
    return Verdict(True, 1.0, f"The answer is {_shown(answer)}{means}.")


def wrong(answer: str, reference: str | None, because: str = "") -> Verdict:
    reason = f" ({because})" if because else ""
    return Verdict(
        False, 0.0, f"The answer is {_shown(answer)}{reason}; expected {_shown(reference)}."
    )


def no_answer() -> Verdict:
    return Verdict(False, 0.0, "No answer was given.")


def no_reference() -> VerifierError:
    return VerifierError(
        code="no_reference",
        message="The task has no reference answer.",
        remedy="Add a reference to the task, or remove its verifier.",
    )


def _shown(text: str | None) -> str:
    line = " ".join((text or "").split())
    return f"“{line[:_SHOWN]}…”" if len(line) > _SHOWN else f"“{line}”"
