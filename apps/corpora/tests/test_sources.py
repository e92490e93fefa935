"""Documents of packages, folders, JSONL and ZIM files; and what is refused."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from libzim.writer import Creator, Hint, Item, StringProvider

from apps.common.errors import ApplicationError
from apps.corpora.sources.base import Found, Skipped
from apps.corpora.sources.factbook import Factbook
from apps.corpora.sources.opening import source_of
from apps.corpora.sources.wikipedia import Wikipedia
from apps.corpora.text import pieces


def read(path: Path) -> tuple[dict[str, Found], dict[str, str]]:
    """Documents by key, and reasons by place."""
    found: dict[str, Found] = {}
    skipped: dict[str, str] = {}
    for each in source_of(path, key="mine").read():
        if isinstance(each, Skipped):
            skipped[each.place] = each.reason
        else:
            found[each.key] = each
    return found, skipped


def documents(source: Wikipedia | Factbook) -> Iterator[Found]:
    return (each for each in source.read() if isinstance(each, Found))


def test_only_who_reads_web_pages_loads_their_parser() -> None:
    """Every process of the studio would take 0.1 s longer to start."""
    program = f"import sys, {source_of.__module__}; print('bs4' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_wikipedias_summaries_name_their_article_and_licence() -> None:
    source = Wikipedia()
    found = next(each for each in documents(source) if each.title == "Marie Curie")
    assert source.total == 10_033
    assert found.url == "https://en.wikipedia.org/wiki/Marie_Curie"
    assert "radioactivity" in found.text
    assert source.about.licence == "CC BY-SA 4.0"


def test_the_factbooks_fields_are_headings_and_tables() -> None:
    found = {each.title: each for each in documents(Factbook())}
    assert len(found) == 256
    assert {"Germany", "World", "European Union", "Central African Republic"} <= found.keys()
    germany = found["Germany"]
    assert "### Area\n\n| | |\n| --- | --- |\n| total | 357,022 sq km |" in germany.text
    geography = [p.text for p in pieces(germany.text, "markdown") if p.heading == "Geography"]
    assert any("Area: total: 357,022 sq km\nland: 348,672 sq km" in text for text in geography)
    assert not any("<" in text for text in geography)


def test_a_folder_gives_its_texts_pages_and_markdown(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "my_notes.txt").write_text("Just text, # not a heading")
    (tmp_path / "read.md").write_text("# The title\n\nBody")
    (tmp_path / "page.html").write_text(
        "<html><head><title>T</title><style>a{}</style></head><body><nav>Menu</nav><h1>Head</h1>"
        "<script>no()</script><p>A <b>bold</b> <a href='javascript:x'>link</a></p>"
        "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>"
    )
    (tmp_path / "bare.html").write_text(
        "<!doctype html><title>Bare</title><main>About 10<sup>6</sup> birds</main><p>The end"
    )
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden.txt").write_text("secret")
    found, skipped = read(tmp_path)
    assert not skipped
    assert found.keys() == {"deep/my_notes.txt", "read.md", "page.html", "bare.html"}
    assert found["bare.html"].text.split() == ["About", "10^6^", "birds", "The", "end"]
    assert found["deep/my_notes.txt"].title == "my notes"
    assert (found["read.md"].title, found["read.md"].text.strip()) == ("The title", "Body")
    page = found["page.html"]
    assert page.title == "Head"
    assert page.text.strip() == "A **bold** link\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("good")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    secret = tmp_path.parent / "outside.txt"
    secret.write_text("not of this folder")
    (tmp_path / "link.txt").symlink_to(secret)
    found, skipped = read(tmp_path)
    assert found.keys() == {"good.txt"}
    assert skipped == {
        "latin.txt": "it is not UTF-8",
        "link.txt": "it is a link that leads out of the folder",
    }


def test_bad_lines_of_jsonl_are_named_by_number(tmp_path: Path) -> None:
    lines = [
        json.dumps({"title": "A", "text": "first", "url": "https://a.example"}),
        "{broken",
        "[1]",
        "",
        json.dumps({"text": "no title"}),
        json.dumps({"title": 5, "text": "x"}),
        "[" * 100_000,
    ]
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(lines))
    found, skipped = read(file)
    assert found["A"].url == "https://a.example"
    assert skipped.keys() == {"line 2", "line 3", "line 5", "line 6", "line 7"}
    assert skipped["line 3"] == "it is no JSON object"
    assert skipped["line 5"] == "it has no title"


class Page(Item):
    def __init__(self, path: str, title: str, content: str, kind: str = "text/html") -> None:
        super().__init__()
        self.path, self.title, self.content, self.kind = path, title, content, kind

    def get_path(self) -> str:
        return self.path

    def get_title(self) -> str:
        return self.title

    def get_mimetype(self) -> str:
        return self.kind

    def get_contentprovider(self) -> StringProvider:
        return StringProvider(self.content)

    def get_hints(self) -> dict[Hint, bool]:
        return {Hint.FRONT_ARTICLE: True}


@pytest.fixture
def zim(tmp_path: Path) -> Path:
    path = tmp_path / "wiki.zim"
    with Creator(path) as creator:
        creator.add_item(Page("A/Tern", "Tern", "<h1>Tern</h1><p>A <i>seabird</i>.</p>"))
        creator.add_item(Page("style.css", "", "a{}", "text/css"))
        creator.add_redirection("A/Terns", "Terns", "A/Tern", {Hint.FRONT_ARTICLE: True})
        creator.add_metadata("Title", "Birds")
        creator.add_metadata("License", "CC BY-SA")
    return path


def test_a_zim_file_gives_its_articles(zim: Path) -> None:
    source = source_of(zim)
    assert (source.about.key, source.about.name, source.about.licence) == (
        *("wiki", "Birds", "CC BY-SA"),
    )
    found, skipped = read(zim)
    assert not skipped
    assert [(each.title, each.text.strip()) for each in found.values()] == [
        ("Tern", "A *seabird*.")
    ]


def test_what_is_no_source_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    (tmp_path / "broken.zim").write_bytes(b"ZIM\x04 and no more")
    (tmp_path / "empty.jsonl").write_text("")
    said = {
        "empty": "has no .txt, .md or .html file",
        "a.pdf": "it is neither .jsonl nor .zim",
        "broken.zim": "it is no ZIM file",
        "empty.jsonl": "it is empty",
        "absent": "there is no such file or folder",
    }
    for name, message in said.items():
        with pytest.raises(ApplicationError, match=message):
            source_of(tmp_path / name)


@pytest.mark.parametrize("key", ["wikipedia", "Not a key", "a/b"])
def test_a_key_is_a_part_of_an_address_and_not_taken(tmp_path: Path, key: str) -> None:
    with pytest.raises(ApplicationError, match="can't have the key"):
        source_of(tmp_path, key=key)
