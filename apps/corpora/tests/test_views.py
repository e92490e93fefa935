"""The search and the pages, over HTTP: SearXNG's protocol, and who may read."""

from urllib.parse import quote

import pytest
from django.conf import settings
from django.test import Client

from apps.accounts.tests.cast import CAST, AsUser, TokenClient, by_group
from apps.corpora.models import Corpus
from apps.corpora.sources.base import Found
from apps.corpora.tests.conftest import Load

pytestmark = pytest.mark.usefixtures("no_vectors")
FORM = "application/x-www-form-urlencoded"
ADDRESSES = ("/corpus", "/corpus/search?q=tern&format=json", "/corpus/birds/tern")
TERN = Found(
    "tern",
    "Tern",
    "Terns dive. See also the gull. <script>alert(1)</script>",
    description="A <b>seabird</b>",
    url="https://en.wikipedia.org/wiki/Tern",
)
GULL = Found("a/g u?ll", "Gull", "## Facts\n\n| | |\n|-|-|\n| legs | 2 |", form="markdown")


@pytest.fixture
def worker() -> Client:
    return Client(headers={"Authorization": f"Bearer {settings.CORPUS_TOKEN}"})


@pytest.mark.parametrize("who", CAST)
def test_every_group_reads_and_strangers_do_not(load: Load, as_user: AsUser, who: str) -> None:
    load(TERN)
    expected = dict(by_group("viewer"))[who]
    for address in ADDRESSES:
        answer = as_user(who).get(address)
        assert answer.status_code == expected, address
        assert b"dive" not in answer.content or expected == 200


def test_workers_and_tokens_read_without_a_session(
    load: Load, worker: Client, with_token: TokenClient
) -> None:
    load(TERN)
    for address in ADDRESSES:
        assert worker.get(address).status_code == 200
        assert with_token("viewer", "read").get(address).status_code == 200
    wrong = Client(headers={"Authorization": "Bearer " + "0" * 64})
    assert wrong.get(ADDRESSES[1]).status_code == 401


def test_the_workers_token_opens_nothing_else(load: Load, worker: Client) -> None:
    assert worker.get("/api/runs").status_code == 401


def test_a_stranger_is_shown_where_to_log_in(load: Load) -> None:
    load(TERN)
    answer = Client().get("/corpus/birds/tern")
    assert answer.status_code == 401
    assert "Log in to read this page." in answer.text
    assert 'href="/login?next=%2Fcorpus%2Fbirds%2Ftern"' in answer.text


def test_the_answer_has_searxngs_fields(load: Load, worker: Client) -> None:
    load(TERN, GULL)
    answer = worker.get("/corpus/search?q=Terns&format=json&language=en&safesearch=1").json()
    assert answer.keys() == {
        *("query", "number_of_results", "results", "answers", "corrections", "infoboxes"),
        *("suggestions", "unresponsive_engines"),
    }
    (result,) = answer["results"]
    assert answer["query"] == "Terns"
    assert result["url"] == "http://testserver/corpus/birds/tern"
    assert (result["title"], result["engine"], result["category"]) == ("Tern", "birds", "general")
    assert result["content"].startswith("Terns dive.")
    assert result["parsed_url"] == ["http", "testserver", "/corpus/birds/tern", "", "", ""]
    assert answer["unresponsive_engines"] == [["vectors", "the model is not loaded yet"]]


def test_a_search_may_be_posted(load: Load, worker: Client) -> None:
    load(TERN)
    answer = worker.post("/corpus/search", "q=tern&format=json", FORM)
    assert [each["title"] for each in answer.json()["results"]] == ["Tern"]


@pytest.mark.parametrize(
    ("asked", "status", "error"),
    [
        ("format=json", 400, "No query"),
        ("q=%20&format=json", 400, "No query"),
        ("q=a&format=json&pageno=0", 400, "Invalid value 0 for parameter pageno"),
        ("q=a&format=json&pageno=x", 400, "Invalid value x for parameter pageno"),
    ],
)
def test_bad_searches_are_refused_as_searxng_does(
    load: Load, worker: Client, asked: str, status: int, error: str
) -> None:
    answer = worker.get(f"/corpus/search?{asked}")
    assert (answer.status_code, answer.json()) == (status, {"error": error})


def test_a_format_that_is_not_offered_is_forbidden(db: None, worker: Client) -> None:
    assert worker.get("/corpus/search?q=a&format=csv").status_code == 403


def test_without_a_corpus_the_answer_says_so(db: None, worker: Client) -> None:
    answer = worker.get("/corpus/search?q=tern&format=json").json()
    assert (answer["results"], answer["unresponsive_engines"]) == (
        [],
        [["corpus", "no corpus is loaded yet"]],
    )
    page = worker.get("/corpus/search?q=tern").text
    assert "loaded some minutes after the studio" in page
    assert "other words" not in page


def test_a_page_shows_text_source_and_licence_and_escapes(load: Load, worker: Client) -> None:
    load(TERN, GULL)
    answer = worker.get("/corpus/birds/tern")
    page = answer.text
    assert "<h1>Tern</h1>" in page
    assert "&lt;script&gt;alert(1)" in page
    assert "A &lt;b&gt;seabird" in page
    assert '<a href="https://en.wikipedia.org/wiki/Tern"' in page
    assert "CC0" in page
    assert f'<a href="/corpus/birds/{quote("a/g u?ll")}">gull</a>' in page
    assert "<td>legs</td>" in worker.get(f"/corpus/birds/{quote(GULL.key)}").text
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["Cache-Control"] == "no-store"


def test_an_address_of_a_script_is_no_link(load: Load, worker: Client) -> None:
    load(Found("a", "A", "text", url="javascript:alert(1)"))
    assert "javascript:" not in worker.get("/corpus/birds/a").text


def test_an_unknown_page_is_not_found(load: Load, worker: Client) -> None:
    load(TERN)
    for address in ("/corpus/birds/owl", "/corpus/none/tern"):
        assert worker.get(address).status_code == 404


def test_results_are_pages_of_ten_that_do_not_overlap(load: Load, worker: Client) -> None:
    load(*(Found(f"t{n}", f"Tern {n}", f"A tern, number {n}.") for n in range(25)))
    seen: list[str] = []
    for page, size in ((1, 10), (2, 10), (3, 5), (4, 0)):
        answer = worker.get(f"/corpus/search?q=tern&format=json&pageno={page}").json()
        assert (len(answer["results"]), answer["number_of_results"]) == (size, 25)
        seen += [each["url"] for each in answer["results"]]
    assert len(set(seen)) == 25
    html = worker.get("/corpus/search?q=tern&pageno=2").text
    assert "pageno=1" in html
    assert "pageno=3" in html


HOSTILE = (
    "tern & | ! <-> ':*",
    "'; DROP TABLE corpora_document; --",
    "\\'tern\\",
    "tern\0gull",
    "😀",
    "\u202etern",
    "<script>alert(1)</script>",
    "%s %(x)s {0} $$",
    "the of and",
    "a" * 10_000,
    "tern " * 2_000,
)


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_queries_are_words(load: Load, worker: Client, query: str) -> None:
    load(TERN, GULL)
    asked = {"q": query, "format": "json"}
    answer = worker.get("/corpus/search", asked)
    assert answer.status_code == 200
    found = {each["title"] for each in answer.json()["results"]}
    assert ("Tern" in found) is ("tern" in query)
    page = worker.get("/corpus/search", {"q": query})
    assert page.status_code == 200
    assert "<script>alert" not in page.text


def test_a_search_may_name_corpora(load: Load, worker: Client) -> None:
    load(TERN)
    load(Found("t", "Tern of mine", "My tern."), key="mine")
    asked = "/corpus/search?q=tern&format=json"
    assert len(worker.get(asked).json()["results"]) == 2
    (only,) = worker.get(f"{asked}&engines=mine,other").json()["results"]
    assert only["engine"] == "mine"
    assert len(worker.get(f"{asked}&engines=google").json()["results"]) == 2


def test_a_slip_is_told(load: Load, worker: Client) -> None:
    load(Found("e", "Albert Einstein", "A physicist."))
    answer = worker.get("/corpus/search?q=Albert+Einstien&format=json").json()
    assert answer["corrections"] == ["Albert einstein"]
    assert answer["results"][0]["title"] == "Albert Einstein"


def test_a_page_groups_the_digits_of_large_numbers(load: Load, worker: Client) -> None:
    load(TERN)
    assert "1 document<" in worker.get("/corpus").text
    assert "1 document<" in worker.get("/corpus/search?q=terns").text
    Corpus.objects.update(documents=10_033)
    assert "10,033 documents<" in worker.get("/corpus").text
    load(*(Found(f"t{n}", f"Tern {n}", "Terns dive.") for n in range(101)))
    assert "The best 100 documents<" in worker.get("/corpus/search?q=terns").text
