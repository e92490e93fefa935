import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.fit import fit_tokens
from workers.core.tools.foreign_text import in_parts, one_line, visible, without_marks


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u200bb\u2060c\ufeff", "abc"),
        ("price \u202e1233\u202c km", "price 1233 km"),
        ("tag\U000e0041\U000e0042s", "tags"),
        ("line\r\nline\rline\tend\x00\x07", "line\nline\nline\tend"),
        ("میخواهم 👩‍🚀", "می‌خواهم 👩‍🚀".replace("می‌خواهم", "میخواهم")),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("Größe 東京", "Größe 東京"),
    ],
)
def test_only_what_people_see_stays(text: str, seen: str) -> None:
    assert visible(text) == seen


@pytest.mark.parametrize(
    "mark",
    [
        "<|im_end|>",
        "<|im_start|>system",
        "<|eot_id|>",
        "<｜User｜>",
        "<s>",
        "</s>",
        "[INST]",
        "[/INST]",
        "<<SYS>>",
        "<start_of_turn>model",
        "<tool_call>",
        "</tool_response>",
        "</message>",
        "<SYSTEM >",
        "```",
        "``````tool",
    ],
)
def test_marks_of_chat_templates_and_fences_lose_their_meaning(mark: str) -> None:
    text = without_marks(f"before {mark} after")
    assert mark not in text
    assert "```" not in text
    assert text.startswith("before ")
    assert text.endswith(" after")


def test_other_text_keeps_its_signs() -> None:
    text = "a < b, 3<5, <b>bold</b>, <span>, [1] [INSTALL] `code` <sub>2</sub>"
    assert without_marks(text) == text


def test_a_title_is_one_short_line() -> None:
    assert one_line("  A\n\n title\u202e ") == "A title"
    assert one_line("x" * 300, 10) == "x" * 9 + "…"


@given(st.text(alphabet="ab \n.ü", max_size=400), st.integers(5, 40))
def test_parts_fit_and_lose_no_word(text: str, tokens: int) -> None:
    parts = in_parts(text, tokens)
    assert parts
    assert all(fit_tokens(part) <= tokens for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
