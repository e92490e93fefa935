"""Questions that need research as benchmarks: what a row of their files is."""

import base64
import binascii
import hashlib
import re
from typing import Any

from workers.core.benchmarks.benchmark import Benchmark, Column, HubSource, Row, RowError, text
from workers.core.benchmarks.custom import files_of
from workers.core.benchmarks.hub import MAX_BYTES
from workers.core.benchmarks.judging import verifier_for
from workers.core.benchmarks.limits import Limits
from workers.core.benchmarks.research.questions import LEVEL
from workers.core.benchmarks.wording import BRIEF
from workers.core.specs import QUERY_MAX_CHARS, TaskSpec
from workers.core.tools.attachments import FILE_MAX_BYTES
from workers.core.tools.documents_inside import Unreadable, kind_kept

ENOUGH_CHARS = 2_000
"""Longer references are no short answers."""
_PICTURE = re.compile(
    r"data:image/(?P<kind>png|jpe?g|gif|webp|bmp|tiff?);base64,(?P<content>[\w+/]+={0,2})\s*",
    re.ASCII,
)


def _task(
    row: Row, query: str, reference: str, *, domain: str, verifier: str = "", **metadata: Any
) -> TaskSpec:
    """`verifier` "": by the reference."""
    reference = reference.strip()
    if len(reference) > ENOUGH_CHARS:
        raise RowError("the answer is too long to be compared")
    return TaskSpec(
        query=query,
        reference=reference,
        domain=domain,
        verifier=verifier or verifier_for(reference),
        metadata={**metadata, **files_of(row)},
    )


def _research(row: Row) -> TaskSpec:
    level = text(row, LEVEL).strip()
    more: dict[str, Any] = {LEVEL: int(level)} if level.isdigit() else {}
    if isinstance(aliases := row.get("aliases"), list):
        more["aliases"] = aliases
    return _task(
        row,
        text(row, "query"),
        text(row, "reference"),
        domain=text(row, "domain") or f"research level {level or '?'}",
        **more,
    )


def _gaia(row: Row) -> TaskSpec:
    """GAIA compares letters: its authors, too, tell a model what an answer looks like (§3)."""
    answer, level = text(row, "Final answer"), text(row, "Level").strip()
    if answer.strip() in ("", "?"):
        raise RowError("its answer is secret: use the split “validation”")
    return _task(
        row,
        text(row, "Question") + BRIEF,
        answer,
        domain=f"GAIA level {level}",
        verifier="gaia",
        **({LEVEL: int(level)} if level.isdigit() else {}),
    )


def _hle(row: Row) -> TaskSpec:
    """An image becomes a file: the tool `read_file` has an endpoint that sees images look at it."""
    if row.get("image") not in (None, "") and not row.get("files"):
        row = {**row, "files": [_picture(row["image"])]}
    return _task(row, text(row, "question"), text(row, "answer"), domain=text(row, "category"))


def _picture(given: object) -> dict[str, str]:
    """An image as a data URI. Its own first bytes must say that it is one that can be shown."""
    found = _PICTURE.fullmatch(given) if isinstance(given, str) else None
    if found is None:
        raise RowError("the column “image” is not a picture in the form “data:image/png;base64,…”")
    try:
        kind = kind_kept(base64.b64decode(found["content"], validate=True), "")
    except (binascii.Error, Unreadable) as error:
        raise RowError(f"the column “image” can't be read: {error}") from error
    if kind != "picture":
        raise RowError(f"the column “image” has {kind}, not a picture")
    return {"name": f"image.{found['kind']}", "content": found["content"]}


def _deep_researcher(row: Row) -> TaskSpec:
    """The answers of a question are a list; the first is the reference."""
    answers = row.get("answer")
    if isinstance(answers, dict):
        answers = answers.get("target")
    each_answer = answers if isinstance(answers, list) else [answers]
    listed = [found for each in each_answer if (found := text({"answer": each}, "answer").strip())]
    if not listed:
        raise RowError("the column “answer” is empty")
    question = row.get("question")
    if isinstance(question, list):  # a conversation of one message
        question = question[-1].get("content") if question else ""
    if not isinstance(question, str) or not question.strip():
        raise RowError("the column “question” is missing or empty")
    return _task(row, question, listed[0], domain=text(row, "data_source"), aliases=listed[1:])


def _browse_comp(row: Row) -> TaskSpec:
    """Questions and answers are published encrypted, so that no model learns them by chance."""
    canary = text(row, "canary")
    return _task(
        row,
        _decrypted(text(row, "problem"), canary),
        _decrypted(text(row, "answer"), canary),
        domain=text(row, "problem_topic"),
    )


def _decrypted(hidden: str, canary: str) -> str:
    """XOR with the canary's SHA-256, repeated."""
    try:
        data = base64.b64decode(hidden, validate=True)
        key = hashlib.sha256(canary.encode()).digest()
        key *= len(data) // len(key) + 1
        return bytes(a ^ b for a, b in zip(data, key, strict=False)).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise RowError("it can't be decrypted with its canary") from error


RESEARCH = Benchmark(
    key="research",
    name="Research",
    description="Questions about the world's countries that need several pages.",
    licence="CC0-1.0",
    verifier="numeric",
    columns=(
        Column("query", "the question"),
        Column("reference", "a number or a name"),
        Column(LEVEL, "1, 2 or 3", required=False),
        Column("domain", "a word or two to group tasks by", required=False),
        Column("aliases", "a list of other right answers", required=False),
        Column("files", "a list of files: name, and text or base64 content", required=False),
    ),
    to_task=_research,
)
GAIA = Benchmark(
    key="gaia",
    name="GAIA",
    description="Questions for assistants with tools, in three levels (arXiv 2311.12983).",
    licence="see the dataset's page: not to be published in the clear",
    verifier="gaia",
    columns=(
        Column("Question", "the question"),
        Column("Final answer", "the answer"),
        Column("Level", "1, 2 or 3", required=False),
        Column("file_name", "the file that comes with it, beside the rows", required=False),
        Column("files", "a list of files: name, and text or base64 content", required=False),
    ),
    to_task=_gaia,
    hub=HubSource("gaia-benchmark/GAIA", "2023_all", {"dev": "validation"}),
    file_column="file_name",
)
HLE = Benchmark(
    key="hle",
    name="Humanity's Last Exam",
    description="Questions at the edge of what experts know, some with an image.",
    licence="MIT",
    verifier="exact",
    columns=(
        Column("question", "the question"),
        Column("answer", "the answer"),
        Column("category", "the field", required=False),
        Column("image", "a picture that comes with it, as a data URI", required=False),
    ),
    to_task=_hle,
    hub=HubSource("cais/hle", "default", {"test": "test"}),
    # Pictures as text. The file also has a small copy of each, and others for its solutions.
    limits=Limits(
        bytes=MAX_BYTES,
        row_bytes=FILE_MAX_BYTES * 4 // 3 + QUERY_MAX_CHARS,
        unread=("image_preview", "rationale_image"),
    ),
)
DEEP_RESEARCHER = Benchmark(
    key="deep_researcher",
    name="DeepResearcher",
    description="Open questions that need a search, from seven collections (arXiv 2504.03160).",
    licence="see the dataset's page",
    verifier="exact",
    columns=(
        Column("question", "the question", also=("prompt",)),
        Column("answer", "the answer, or a list", also=("ground_truth", "golden_answers")),
        Column("data_source", "where it comes from", required=False),
    ),
    to_task=_deep_researcher,
)
BROWSE_COMP = Benchmark(
    key="browse_comp",
    name="BrowseComp",
    description="Short facts that are hard to find on the web (arXiv 2504.12516).",
    licence="MIT",
    verifier="exact",
    columns=(
        Column("problem", "the question, encrypted"),
        Column("answer", "the answer, encrypted"),
        Column("canary", "the key of both"),
        Column("problem_topic", "the field", required=False),
    ),
    to_task=_browse_comp,
)
RESEARCH_BENCHMARKS = (RESEARCH, GAIA, HLE, DEEP_RESEARCHER, BROWSE_COMP)
