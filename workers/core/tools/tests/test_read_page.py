"""Pages over a real connection. The process that reads them is shared by the module's tests."""

import asyncio
import zlib

import pytest
from yarl import URL

from workers.core.net import outbound
from workers.core.net.guard import is_below
from workers.core.specs import Source
from workers.core.testing.stub_web import Pages, Said, Site, site
from workers.core.tools.base import ToolResult
from workers.core.tools.read_page import PAGE_BYTES
from workers.core.tools.run_tool import ToolBudget
from workers.core.tools.settings import ToolSettings
from workers.core.tools.tests.support import a_run, documents, pdf
from workers.core.tools.tests.test_challenges import ARTICLE, CLOUDFLARE

__all__ = ("documents",)

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROSE = (
    "<p>The Rhine rises in the Alps and flows through six countries before it reaches the sea "
    "near Rotterdam. Many ships use it, and many towns were built beside it.</p>"
)
TABLE = (
    "<table><tr><th>River</th><th>Length</th></tr><tr><td>Rhine</td><td>1,233 km</td></tr>"
    "<tr><td>Elbe</td><td>1,094 km</td></tr></table>"
)


def article(body: str = PROSE * 4, title: str = "Rivers") -> Said:
    return Said(f"<html><head><title>{title}</title></head><body><article>{body}".encode())


def own(web: Site) -> ToolSettings:
    return ToolSettings(pages_url=web.url)


async def read(pages: Pages, path: str = "/", seconds: float = 20.0) -> tuple[ToolResult, Site]:
    async with site(pages) as web, a_run(own(web), seconds=seconds) as tools:
        return await tools("read_page", address=web.url + path), web


async def text_of(said: Said) -> str:
    result, _ = await read({"/": said})
    assert result.ok, result.output
    return result.output


async def test_an_article_with_its_title_links_and_address() -> None:
    result, web = await read(
        {"/a": article(PROSE * 3 + "<p>More is told <a href='/b'>about its <b>towns</b></a>.</p>")},
        "/a#part",
    )
    assert result.output.startswith(f"Title: Rivers\nAddress: {web.url}/a\n\nThe Rhine rises")
    assert f"]({web.url}/b)" in result.output
    assert result.sources == (Source(title="Rivers", address="/a"),)
    assert (result.foreign, result.cached, result.cut, result.note) == (True, False, False, "")


@pytest.mark.parametrize("place", ["in the article", "beside it", "in a box", "alone"])
async def test_tables_survive(place: str) -> None:
    """Trafilatura loses some of them (trafilatura#588)."""
    bodies = {
        "in the article": f"<article>{PROSE * 3}{TABLE}{PROSE}</article>",
        "beside it": f"<article>{PROSE * 5}</article><aside>{TABLE}</aside>",
        "in a box": f"<div><div class='sidebar'>{TABLE}</div>{PROSE * 5}</div>",
        "alone": TABLE,
    }
    text = await text_of(Said(f"<html><body>{bodies[place]}".encode()))
    rows = [[c.strip() for c in line.strip("| ").split("|")] for line in text.split("\n")]
    assert ["Rhine", "1,233 km"] in rows
    assert ["Elbe", "1,094 km"] in rows
    assert text.count("1,233 km") == 1


@pytest.mark.parametrize("before", ["", PROSE * 4])
async def test_what_is_raised_stays_apart(before: str) -> None:
    page = f"<body>{before}<p>About 10<sup>3</sup> km"
    assert "10<sup>3</sup> km" in await text_of(Said(page.encode()))


@pytest.mark.parametrize("rest", ["", "<p>The end."])
@pytest.mark.parametrize("mark", ["article", "main"])
@pytest.mark.parametrize("prose", ["", PROSE * 4])
async def test_a_page_may_leave_out_its_body(prose: str, mark: str, rest: str) -> None:
    page = f"<title>Rivers</title><{mark}>{prose}{TABLE}</{mark}>{rest}"
    text = await text_of(Said(page.encode()))
    assert text.startswith("Title: Rivers")
    assert "1,094 km" in text
    assert ("rises in the Alps" in text) == bool(prose)


async def test_a_page_without_an_article_gives_all_its_text() -> None:
    said = Said(b"<body><script>no()</script><ul><li><a href='/x'>One</a><li>Two</ul>")
    text = await text_of(said)
    assert "One" in text
    assert "Two" in text
    assert "no()" not in text


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        ("<p>Zürich ändert Größe".encode("latin-1"), "text/html; charset=iso-8859-1"),
        ("<meta charset=windows-1252><p>Zürich ändert Größe".encode("cp1252"), "text/html"),
        ("<p>Zürich ändert Größe".encode("utf-16"), "text/html"),
        ("<p>Zürich ändert Größe".encode(), "text/html"),
        ("Zürich ändert Größe".encode(), "text/plain; charset=utf-8"),
        ("Zürich ändert Größe".encode("latin-1"), "text/plain; charset=nonsense"),
        ('{"a": "Zürich ändert Größe"}'.encode(), "application/json"),
        (b"\xef\xbb\xbf" + "Zürich ändert Größe".encode(), ""),
    ],
)
async def test_encodings(body: bytes, media_type: str) -> None:
    assert "Zürich ändert Größe" in await text_of(Said(body, media_type=media_type))


async def test_documents_of_the_web() -> None:
    text = await text_of(Said(pdf("The Rhine has 1,233 km."), media_type="application/pdf"))
    assert "The Rhine has 1,233 km." in text


async def test_a_long_page_comes_in_parts() -> None:
    words = [f"word{n}" for n in range(4_000)]
    page = "".join(f"<p>{' '.join(words[n : n + 100])}</p>" for n in range(0, 4_000, 100))
    async with site({"/": article(page)}) as web, a_run(own(web)) as tools:
        first = await tools("read_page", address=web.url)
        assert first.note.startswith("Part 1 of ")
        assert first.note.endswith(" Ask for part 2 to go on.")
        count = int(first.note.split()[3].rstrip("."))
        rest = [await tools("read_page", address=web.url, part=str(n)) for n in range(2, count + 1)]
        assert rest[-1].note == f"Part {count} of {count}. It is the last."
        beyond = await tools("read_page", address=web.url, part=count + 1)
        assert f"has {count} parts" in beyond.output
        assert len(web.asked) == 1
    said = " ".join(part.output.split("\n\n", 1)[1] for part in [first, *rest])
    assert said.split() == words
    assert all(part.cached for part in rest)


async def test_what_is_to_be_found_comes_from_all_parts() -> None:
    lines = "".join(f"<p>Town {n} lies by a lake with boats.</p>" for n in range(2_000))
    pages: Pages = {"/": article(f"{lines}<p>The castle of Town 1999 is red.</p>", "Towns")}
    async with site(pages) as web, a_run(own(web)) as tools:
        result = await tools("read_page", address=web.url, find="What colour has the castle?")
    assert result.output.startswith("Title: Towns\n")
    assert "The castle of Town 1999 is red." in result.output
    assert result.note.startswith("The lines about it, from all of ")
    assert len(result.output) < 10_000


@pytest.mark.parametrize(
    ("name", "value"), [("part", 10**400), ("part", [1]), ("part", "1e999"), ("find", ["Rhine"])]
)
@pytest.mark.parametrize("key", ["read_page", "read_file"])
async def test_arguments_of_another_kind_are_told(key: str, name: str, value: object) -> None:
    files = [{"name": "a.txt", "text": "x"}]
    named = {"address": "https://a.example/", "name": "a.txt"}
    async with a_run(files=files) as tools:
        result = await tools(key, **{**named, name: value})
    assert not result.ok
    assert result.output.startswith(f"{name} must be")


async def test_agents_that_read_it_at_once_fetch_it_once() -> None:
    async with site({"/": article()}) as web, a_run(own(web)) as tools:
        results = await asyncio.gather(*(tools("read_page", address=web.url) for _ in range(3)))
        assert len(web.asked) == 1
    assert [result.cached for result in results] == [False, True, True]
    assert len({result.output for result in results}) == 1
    assert sum(result.fetched for result in results) == results[0].fetched > 0


async def test_a_path_is_one_of_the_studios_own_pages() -> None:
    async with site({"/corpus/a": article()}) as web, a_run(own(web)) as tools:
        result = await tools("read_page", address="/corpus/a")
    assert result.ok, result.output
    assert result.sources[0].address == "/corpus/a"


async def test_the_same_page_again_is_said_and_not_fetched() -> None:
    async with site({"/": article()}) as web, a_run(own(web)) as tools:
        first, second, third = [await tools("read_page", address=web.url) for _ in range(3)]
        assert len(web.asked) == 1
    assert (first.cached, second.cached) == (False, True)
    assert second.output == first.output
    assert "read this part of the page before" in second.note
    assert "2 times before" in third.note


async def test_a_page_of_50_mb_is_stopped_while_it_comes() -> None:
    result, web = await read({"/": Said(b"<p>" + PROSE.encode() * 300, endless=True)})
    assert result.ok
    assert result.cut
    assert result.fetched == PAGE_BYTES
    assert web.sent < 3 * PAGE_BYTES


async def test_a_document_that_is_too_large_is_refused() -> None:
    said = Said(pdf("x") + b" " * 100_000, media_type="application/pdf", endless=True)
    result, _ = await read({"/": said})
    assert "larger than 8 MB" in result.output


async def test_a_page_that_unpacks_to_gigabytes_is_stopped() -> None:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    page = b"<p>" + b"word " * 6_400_000
    body = packer.compress(page) + packer.flush()
    said = Said(body, headers=(("Content-Encoding", "gzip"),))
    result, _ = await read({"/": said})
    assert result.fetched == PAGE_BYTES
    assert result.cut


@pytest.mark.parametrize(
    "said",
    [
        Said(silent=True),
        Said(b"<p>drop " * 100, pause=0.2),
        Said(b"<", pause=0.2, endless=True),
        Said(b"<p>all of it", missing=10, pause=0.2),
    ],
)
async def test_a_page_that_does_not_end_is_given_up(said: Said) -> None:
    result, _ = await read({"/": said}, seconds=1.0)
    assert not result.ok
    assert "did not come within" in result.output


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Said(b"x", 404), "There is no such page (404)"),
        (Said(b"x", 403), "It refuses programs (403)"),
        (Said(b"x", 503), "The server has an error (503)"),
        (Said(b"<body><script>app()</script>"), "The page has no text"),
        (Said(b""), "The page has no text"),
        (Said(b"\x89PNG\r\n\x1a\n", media_type="image/png"), "It is a picture"),
        (Said(b"\x00\x01\x02\x03", media_type="application/octet-stream"), "It is no text"),
        (Said(b"no PDF", media_type="application/pdf"), "not a whole PDF file"),
        (Said(b"half", missing=100), "can't be reached"),
    ],
)
async def test_a_failure_names_its_cause(said: Said, why: str) -> None:
    result, _ = await read({"/": said})
    assert not result.ok
    assert why in result.output
    assert result.foreign


@pytest.mark.parametrize("status", [200, 403, 503])
async def test_a_check_for_robots_is_no_source(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbound, "TRIES", 1)
    result, _ = await read({"/": Said(CLOUDFLARE, status)})
    assert result.output == (
        "Its server takes the studio for a robot and shows a check, such as a CAPTCHA "
        f"({status}). Try another page."
    )
    assert (result.ok, result.sources, result.fetched) == (False, (), len(CLOUDFLARE))


async def test_an_article_about_such_checks_is_read() -> None:
    assert "complete the CAPTCHA" in await text_of(Said(ARTICLE))


async def test_a_rate_limit_is_waited_for() -> None:
    limited = Said(b"", 429, headers=(("Retry-After", "0"),))
    result, web = await read({"/": (limited, limited, article())})
    assert result.ok
    assert len(web.asked) == 3
    later = Said(b"", 429, headers=(("Retry-After", "3600"),))
    result, web = await read({"/": later})
    assert "It allows no more requests now (429)" in result.output
    assert len(web.asked) == 1


async def test_a_page_nested_for_ever_ends_with_a_cause() -> None:
    result, _ = await read({"/": Said(b"<div>" * 60_000 + b"deep down")})
    assert not result.ok
    assert "The page has no text" in result.output


class TestAddresses:
    async def test_private_ones_are_refused(self) -> None:
        async with site({"/": article()}) as web, a_run() as tools:
            result = await tools("read_page", address=web.url)
            assert web.asked == []
        assert "private address" in result.output
        assert "Only public pages can be read" in result.output

    async def test_a_redirect_to_a_private_one_is_refused(self) -> None:
        async with site({"/secret": article()}) as inside:
            moved = Said(status=302, headers=(("Location", f"{inside.url}/secret"),))
            result, _ = await read({"/": moved})
            assert inside.asked == []
        assert "private address" in result.output

    async def test_a_title_with_dots_is_read(self) -> None:
        result, _ = await read({"/Wait...": article()}, "/Wait...")
        assert result.ok, result.output

    async def test_redirects_are_followed_to_where_they_end(self) -> None:
        moved = Said(status=301, headers=(("Location", "/b"),))
        result, _ = await read({"/": moved, "/b": article()})
        assert result.sources[0].address == "/b"

    async def test_a_circle_of_redirects_ends(self) -> None:
        result, web = await read({"/": Said(status=302, headers=(("Location", "/"),))})
        assert "redirects more than 5 times" in result.output
        assert len(web.asked) == 6

    @pytest.mark.parametrize(
        ("address", "why"),
        [
            ("http://169.254.169.254/latest/meta-data", "reserved address"),
            ("http://2130706433/", "another way to write 127.0.0.1"),
            ("http://localhost:8300/api", "private address"),
            ("file:///etc/passwd", "not a web address"),
            ("ftp://a.example/", "not a web address"),
            ("http://user:word@a.example/", "user name or password"),
            ("http://a b.example/", "contains spaces"),
            ("http://", "no host"),
            ("http://[::1", "can't be read"),
            ("http://a\0.example/", "can't be read"),
            ("//[a", "has no host"),
            ("https://a.example:99999/", "can't be read"),
            ("https://\ud800.example/", "can't be read"),
            ("", "Give the page's address"),
        ],
    )
    async def test_addresses_that_no_page_has(self, address: str, why: str) -> None:
        async with a_run(ToolSettings(pages_url="http://web:8300/corpus")) as tools:
            result = await tools("read_page", address=address)
        assert not result.ok
        assert why in result.output

    @pytest.mark.parametrize(
        ("address", "below"),
        [
            ("http://127.0.0.1:8300/pages", True),
            ("http://127.0.0.1:8300/pages/Rhine?x=1", True),
            ("http://127.0.0.1:8300/pagesecret", False),
            ("http://127.0.0.1:8300/pages/../api", False),
            ("http://127.0.0.1:8300/pages/%2e%2e/api", False),
            ("http://127.0.0.1:8300/pages/..%2fapi", False),
            ("http://127.0.0.1:8300/pages/%2e%2e%5Capi", False),
            ("http://127.0.0.1:8300/pages/a/../../api", False),
            ("http://127.0.0.1:8300/pages/Wait...", True),
            ("http://127.0.0.1:8300/pages/..and%20Justice..%3F", True),
            ("http://127.0.0.1:8300/pages/...", True),
            ("http://127.0.0.1:8301/pages/Rhine", False),
            ("https://127.0.0.1:8300/pages/Rhine", False),
            ("http://127.0.0.1:8300@a.example/pages/Rhine", False),
        ],
    )
    async def test_what_is_below_the_own_pages(self, address: str, below: bool) -> None:
        for encoded in (False, True):  # True: written as it came
            meant = URL(address, encoded=encoded)
            assert is_below(meant, "http://127.0.0.1:8300/pages") is below


class TestBudgets:
    async def test_calls(self) -> None:
        budget = ToolBudget(calls=2, seconds=60)
        async with site({"/": article()}) as web, a_run(own(web), budget=budget) as tools:
            results = [await tools("read_page", address=web.url) for _ in range(3)]
        assert [result.ok for result in results] == [True, True, False]
        assert "has used its 2 calls of read_page" in results[-1].output

    async def test_bytes(self) -> None:
        budget = ToolBudget(calls=9, seconds=60, fetched=100)
        async with site({"/": article(), "/b": article()}) as web:
            async with a_run(own(web), budget=budget) as tools:
                assert (await tools("read_page", address=web.url)).ok
                assert "fetched its" in (await tools("read_page", address=f"{web.url}/b")).output
            assert web.asked == ["/"]

    async def test_seconds(self) -> None:
        budget = ToolBudget(calls=9, seconds=0.2)
        silent = Said(silent=True)
        async with site({"/": silent}) as web, a_run(own(web), budget=budget) as tools:
            first = await tools("read_page", address=web.url)
            assert "gave no result within" in first.output
            assert "has used its" in (await tools("read_page", address=web.url)).output
