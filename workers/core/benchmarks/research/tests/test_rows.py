"""Published sets that need research: what a row is, and which rows are left out."""

import base64
import hashlib
import json
from typing import Any

import pytest

from workers.core.benchmarks.benchmark import RowError
from workers.core.benchmarks.registry import BENCHMARKS
from workers.core.benchmarks.research.questions import questions
from workers.core.benchmarks.wording import BRIEF, bare_question

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n....").decode()
FILE = {"name": "a.csv", "text": "x"}


def hidden(text: str, canary: str) -> str:
    key = hashlib.sha256(canary.encode()).digest() * 100
    return base64.b64encode(bytes(a ^ b for a, b in zip(text.encode(), key, strict=False))).decode()


@pytest.mark.parametrize(
    ("key", "row", "query", "reference", "verifier"),
    [
        ("gaia", {"Question": "Q?", "Final answer": "1,205", "Level": 2}, "Q?", "1,205", "gaia"),
        (
            "gaia",
            {"Question": "Q?", "Final answer": "Bonn", "file_name": "a.csv", "files": [FILE]},
            "Q?",
            "Bonn",
            "gaia",
        ),
        ("hle", {"question": "Q?", "answer": "B", "image": ""}, "Q?", "B", "exact"),
        ("deep_researcher", {"question": "Q?", "answer": ["a", "b"]}, "Q?", "a", "exact"),
        (
            "deep_researcher",
            {"prompt": [{"role": "user", "content": "Q?"}], "golden_answers": {"target": ["7"]}},
            "Q?",
            "7",
            "numeric",
        ),
        (
            "browse_comp",
            {"problem": hidden("Wer?", "c"), "answer": hidden("Äneas", "c"), "canary": "c"},
            "Wer?",
            "Äneas",
            "exact",
        ),
        ("research", {"query": "Q?", "reference": "12", "level": "2"}, "Q?", "12", "numeric"),
    ],
)
def test_a_row_is_a_task(
    key: str, row: dict[str, Any], query: str, reference: str, verifier: str
) -> None:
    task = BENCHMARKS[key].task(row)
    assert (task.reference, task.verifier) == (reference, verifier)
    assert task.query == query + (BRIEF if key == "gaia" else "")
    assert bare_question(task.query) == query


@pytest.mark.parametrize(
    ("key", "row", "why"),
    [
        ("gaia", {"Question": "Q?", "Final answer": "?"}, "its answer is secret"),
        ("gaia", {"Question": "Q?", "Final answer": "1", "file_name": "b.pdf"}, "“b.pdf”, which"),
        (
            "gaia",
            {"Question": "Q?", "Final answer": "1", "files": [{"name": "b"}]},
            "“files” can't",
        ),
        ("research", {"query": "Q?", "reference": "1", "files": "[3]"}, "“files” can't be read"),
        *(
            ("hle", {"question": "Q?", "answer": "B", "image": image}, why)
            for image, why in (
                ("data:x", "not a picture"),
                ("https://example.org/a.png", "not a picture"),
                ({"bytes": "x"}, "not a picture"),
                ("data:image/svg+xml;base64,PHN2Zy8+", "not a picture"),
                ("data:image/png;base64,", "not a picture"),
                ("data:image/png;base64,A", "can't be read"),
                ("data:image/png;base64,AAAA", "can't be read"),
                ("data:image/png;base64,aGVsbG8=", "has text"),
                (f"data:image/png;base64,{PNG}" + "A" * 40_000_000, "more than 30 MB"),
            )
        ),
        ("deep_researcher", {"question": "Q?", "answer": [" "]}, "“answer” is empty"),
        ("deep_researcher", {"question": "Q?", "answer": {"target": None}}, "“answer” is empty"),
        ("deep_researcher", {"question": "Q?", "answer": [None]}, "“answer” is empty"),
        ("deep_researcher", {"question": [], "answer": "a"}, "“question” is missing"),
        ("browse_comp", {"problem": "%", "answer": "%", "canary": "c"}, "can't be decrypted"),
        ("research", {"query": "Q?", "reference": "x" * 3_000}, "too long to be compared"),
    ],
)
def test_a_row_without_an_answer_is_left_out(key: str, row: dict[str, Any], why: str) -> None:
    with pytest.raises(RowError, match=why):
        BENCHMARKS[key].task(row)


@pytest.mark.parametrize("kind", ["png", "jpeg", "webp"])
def test_an_image_is_a_file_of_its_question(kind: str) -> None:
    """However large: the limit of texts is not one of images."""
    content = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"." * 300_001).decode()
    row = {"question": "Q?", "answer": "B", "image": f"data:image/{kind};base64,{content}\n"}
    task = BENCHMARKS["hle"].task(row)
    assert task.metadata["files"] == [{"name": f"image.{kind}", "content": content}]


def test_what_the_studio_draws_comes_back_from_a_file() -> None:
    for task in questions(split="dev", count=12, seed=0):
        row = {"query": task.query, "reference": task.reference, "domain": task.domain}
        again = BENCHMARKS["research"].task({**row, **task.metadata})
        as_csv = {key: json.dumps(value) for key, value in task.metadata.items()}
        assert BENCHMARKS["research"].task({**row, **as_csv}).metadata.get("files") == (
            task.metadata.get("files")
        )
        kept = {key: value for key, value in task.metadata.items() if key != "pages"}
        assert (again.query, again.verifier, again.metadata) == (task.query, task.verifier, kept)
