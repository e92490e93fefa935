"""What the evaluator is asked, and how its reply is read (EvoMAS, B.2 and C.2, Eq. 20).

e = (verdict, confidence, feedback). The reply is tagged lines or a JSON object. Prose without a
verdict is no success: a subtask must not be done by accident.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, get_args

from workers.core.answers.thoughts import parted
from workers.core.events import Assessment, TaskState
from workers.core.events.stages import Verdict
from workers.core.methods.evomas.state import active_of, shortened

FEEDBACK_CHARS = 1_000
UNSURE = 0.5
"""The confidence of a verdict that names none."""

_WORDS: dict[str, Verdict] = {
    **{word: word for word in get_args(Verdict)},
    "successful": "success",
    "solved": "success",
    "done": "success",
    "failed": "fail",
    "failure": "fail",
    "refinement": "refine",
    "need-refine": "refine",
    "1": "success",
    "1.0": "success",
    "0": "refine",
    "0.0": "refine",
}
"""A reward of 1 is a success (C.2); 0 says no more than that it is none."""
_VERDICT = re.compile(
    r"\b(?:answer|verdict|reward)\b[\s*_\"'“”]*[:=][\s*_\"'“”]*(?:\\?boxed\{)?(?P<word>[a-z-]+|[01])\b"
    r"(?![^\w\n]{0,8}(?:or[^\w\n]{1,8})?(?:success|refine|fail)\b)",
    re.IGNORECASE,
)
"""A reply that lists all verdicts repeats the question."""
_CONFIDENCE = re.compile(
    r"\bconfidence\b[\s*_\"']*[:=][\s*_\"']*(?P<number>\d+(?:\.\d+)?|\.\d+)"
    r"\s*(?:(?P<percent>%)|/\s*(?P<most>\d{1,4}))?",
    re.IGNORECASE,
)
_FEEDBACK = re.compile(
    r"\bfeedback\b[\s*_\"']*[:=][\s*_]*(?P<text>.+?)(?=\n\s*\W*(?:confidence|answer|verdict)\b|\Z)",
    re.IGNORECASE | re.DOTALL,
)

QUESTION = """\
The whole task, for orientation:
{objective}

The subtask to judge:
{subtask}

What the team left for it is in the messages above. Is the subtask done?"""

SMALL = """\
The task:
{objective}

Does the message above give what this asks for: {subtask}
Reply with one word: success, refine or fail."""

REPAIR = """\
{question}

Your last reply had no verdict: {problem} Reply with one line “Feedback: …”, one line \
“Confidence: …” and the verdict success, refine or fail."""


class AssessmentError(Exception):
    """Why a reply is no assessment, in a sentence for the model and for people."""


def question(state: TaskState, *, small_model: bool) -> str:
    form = SMALL if small_model else QUESTION
    return form.format(objective=state.objective, subtask=active_of(state).text)


def repair(state: TaskState, problem: str) -> str:
    return REPAIR.format(question=question(state, small_model=False), problem=problem)


def read_assessment(reply: str) -> Assessment:
    """Raises AssessmentError."""
    text = parted(reply).message.strip()
    if not text:
        raise AssessmentError("the reply is empty.")
    found = _from_json(text)
    if found is not None:
        return found
    verdicts = {
        _verdict(match["word"]) for match in _VERDICT.finditer(text) if _verdict(match["word"])
    }
    alone = _verdict(text.strip(" .!*\"'“”").lower())
    verdict = alone or (verdicts.pop() if len(verdicts) == 1 else None)
    if verdict is None:
        problem = "it names several verdicts." if verdicts else "none is named."
        raise AssessmentError(problem)
    confidence = _CONFIDENCE.search(text)
    said = _FEEDBACK.search(text)
    feedback = said["text"] if said else ("" if alone else _VERDICT.sub("", text))
    return Assessment(
        verdict=verdict,
        confidence=_share(confidence) if confidence else UNSURE,
        feedback=shortened(feedback, FEEDBACK_CHARS),
    )


def _from_json(text: str) -> Assessment | None:
    start = text.find("{")
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text[start:]) if start >= 0 else (0, 0)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, Mapping):
        return None
    named = next((value[key] for key in ("verdict", "answer", "reward") if key in value), None)
    verdict = _verdict(str(named).lower()) if named is not None else None
    if verdict is None:
        return None
    return Assessment(
        verdict=verdict,
        confidence=_number(value.get("confidence")),
        feedback=shortened(str(value.get("feedback", "")), FEEDBACK_CHARS),
    )


def _verdict(word: str) -> Verdict | None:
    return _WORDS.get(word.lower())


def _share(match: re.Match[str]) -> float:
    """“0.8”, “80%”, “80” and “8/10” are the same."""
    number = float(match["number"])
    if most := int(match["most"] or 0):
        return _number(number / most)
    return _number(number / 100 if match["percent"] or number > 1 else number)


def _number(value: Any) -> float:
    if isinstance(value, str) and (said := _CONFIDENCE.fullmatch(f"confidence: {value.strip()}")):
        return _share(said)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return UNSURE
    return float(value)
