"""Reads a user's own tasks, column by column."""

import json
from dataclasses import asdict
from string import ascii_uppercase
from typing import Any

from workers.core.answers.quantities import is_number
from workers.core.benchmarks.benchmark import Benchmark, Column, Row, RowError, text, texts
from workers.core.benchmarks.judging import BY_REFERENCE, verifier_for
from workers.core.benchmarks.math import last_boxed
from workers.core.benchmarks.multiple_choice import choice_task, options_of
from workers.core.specs import TaskSpec
from workers.core.tools.attachments import files_checked


def _task(row: Row) -> TaskSpec:
    """Without a column `verifier`, tests make it a program and choices a choice. A reference makes
    it a number if it is one, LaTeX if a solution has it in a box, and otherwise a text."""
    row = _with_final_answer(row)
    verifier = text(row, "verifier").strip() or _guessed(row)
    if verifier == "choice":
        return _choice(row)
    if verifier == "unit_tests":
        return _program(row)
    if verifier not in BY_REFERENCE:
        raise RowError(f"there is no verifier “{verifier[:60]}”")
    reference = text(row, "reference").strip()
    if not reference:
        raise RowError("the column “reference” is missing or empty")
    return TaskSpec(
        query=text(row, "query"),
        reference=reference,
        domain=text(row, "domain"),
        verifier=verifier,
        metadata=_metadata(row),
    )


def _guessed(row: Row) -> str:
    if row.get("tests"):
        return "unit_tests"
    if row.get("choices") or (row.get("A") and row.get("B")):
        return "choice"
    return verifier_for(text(row, "reference"))


def _with_final_answer(row: Row) -> Row:
    r"""Reduce a worked solution, as in MATH and GSM8K, to the content of its last `\boxed{…}`, or
    to what follows its last `####`. With a named verifier the reference stays unchanged."""
    if row.get("verifier") or not isinstance(solution := row.get("reference"), str):
        return row
    boxed, (_, hashes, final) = last_boxed(solution), solution.rpartition("####")
    if boxed and not is_number(boxed):
        return {**row, "reference": boxed, "verifier": "latex"}
    return {**row, "reference": boxed or final} if boxed or hashes else row


def _choice(row: Row) -> TaskSpec:
    choices, reference = options_of(row), text(row, "reference").strip()
    if reference in choices:
        place = choices.index(reference)
    elif len(reference) == 1 and reference.upper() in ascii_uppercase[: len(choices)]:
        place = ascii_uppercase.index(reference.upper())
    else:
        raise RowError(
            "the column “reference” is neither an option's letter nor one of the choices"
        )
    task = choice_task(text(row, "query"), choices, place, domain=text(row, "domain"))
    return task.model_copy(update={"metadata": {**task.metadata, **files_of(row)}})


def _program(row: Row) -> TaskSpec:
    tests = row.get("tests")
    joined = tests if isinstance(tests, str) else "\n".join(texts(row, "tests"))
    if not joined.strip():
        raise RowError("the column “tests” is missing or empty")
    metadata: dict[str, Any] = {"tests": text({"tests": joined}, "tests")}
    if entry_point := text(row, "entry_point").strip():
        metadata["entry_point"] = entry_point
    return TaskSpec(
        query=text(row, "query"),
        reference=text(row, "reference") or None,
        domain=text(row, "domain"),
        answer_form="code",
        verifier="unit_tests",
        metadata=metadata,
    )


def _metadata(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if row.get("tolerance") not in (None, ""):
        try:
            found["tolerance"] = float(text(row, "tolerance"))
        except ValueError as error:
            raise RowError("the column “tolerance” is not a number") from error
        if not 0 <= found["tolerance"] < float("inf"):
            raise RowError("the column “tolerance” is not a number from 0 up")
    if unit := text(row, "unit").strip():
        found["unit"] = unit
    return {**found, **files_of(row)}


def files_of(row: Row) -> dict[str, Any]:
    """What comes with a question: a list, or a list as JSON. Raises RowError."""
    listed = row.get("files")
    if listed in (None, "", []):
        return {}
    try:
        listed = json.loads(listed) if isinstance(listed, str) else listed
        files = files_checked(listed)
    except ValueError as error:
        raise RowError(f"the column “files” can't be read: {error}") from error
    given = (asdict(file) for file in files)
    return {"files": [{key: value for key, value in each.items() if value} for each in given]}


CUSTOM = Benchmark(
    key="custom",
    name="Own tasks",
    description="Your own questions, with a number, a text, a choice, LaTeX or tests to judge by.",
    licence="",
    verifier="exact",
    columns=(
        Column("query", "the question", also=("question", "problem", "prompt")),
        Column(
            "reference",
            "the right answer; for a choice the option's letter or text",
            required=False,
            also=("answer", "solution"),
        ),
        Column("verifier", "numeric, choice, latex, exact, gaia or unit_tests", required=False),
        Column("choices", "the options, a list of texts", required=False),
        Column("tests", "Python assertions, a text or a list of texts", required=False),
        Column("entry_point", "the function that a program must define", required=False),
        Column("domain", "the field or subject", required=False),
        Column("tolerance", "how far a number may be off", required=False),
        Column("unit", "the unit of a bare number", required=False),
        Column(
            "files",
            "files that agents may read: a list with name, and text or content (base64) of each",
            required=False,
        ),
    ),
    to_task=_task,
)
