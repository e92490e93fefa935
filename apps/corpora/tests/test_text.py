from apps.corpora.text import PASSAGE_CHARS, pieces, rendered


def nothing(names: set[str]) -> dict[str, str]:
    return {}


def test_a_text_is_cut_at_ends_of_sentences() -> None:
    sentence = "One two three four five. "
    found = pieces(sentence * 100, "text", lead="About")
    assert all(len(piece.text) <= PASSAGE_CHARS for piece in found)
    assert all(piece.text.endswith("five.") for piece in found)
    assert {piece.heading for piece in found} == {"About"}
    assert " ".join(piece.text for piece in found) == (sentence * 100).strip()


def test_a_word_that_is_longer_than_a_passage_is_cut() -> None:
    assert [len(piece.text) for piece in pieces("x" * 2_500, "text")] == [1_000, 1_000, 500]


def test_passages_have_their_section_and_rows_of_tables() -> None:
    text = (
        "Before.\n\n## Geography\n\n### Area\n\n| | |\n|---|---|\n| total | 5 sq km |\n"
        "| land | 4 sq km |\n\n- a *small* place\n\n## People\n\nFew."
    )
    found = [(piece.heading, piece.text) for piece in pieces(text, "markdown", lead="An island")]
    assert found == [
        ("An island", "Before."),
        ("Geography", "Area: total: 5 sq km\nland: 4 sq km\na small place"),
        ("People", "Few."),
    ]


def test_html_of_a_text_stays_text() -> None:
    hostile = "<script>alert(1)</script> [x](javascript:alert(1)) ![i](https://else.where/i.png)"
    for form in ("text", "markdown"):
        html = rendered(hostile, form, nothing)
        assert "<script" not in html
        assert "href" not in html
        assert "<img" not in html


def test_the_first_mention_of_a_title_is_linked() -> None:
    def known(names: set[str]) -> dict[str, str]:
        titles = {"vienna": "/corpus/w/Vienna", "university of vienna": "/corpus/w/University"}
        return {name: titles[name] for name in names & titles.keys()}

    html = rendered("The University of Vienna is in vienna. <b>Vienna</b>!", "text", known)
    assert html.strip() == (
        '<p>The <a href="/corpus/w/University">University of Vienna</a> is in '
        '<a href="/corpus/w/Vienna">vienna</a>. &lt;b&gt;Vienna&lt;/b&gt;!</p>'
    )


def test_a_link_of_the_text_is_not_linked_again() -> None:
    html = rendered("[Vienna](https://vienna.example)", "markdown", lambda names: {"vienna": "/v"})
    assert html.count("<a ") == 1


def test_headings_begin_below_the_title_and_have_no_links() -> None:
    assert "<h2>Vienna</h2>" in rendered("# Vienna", "markdown", lambda names: {"vienna": "/v"})
