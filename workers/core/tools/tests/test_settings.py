"""Where the studio's own pages are, for workers and for browsers."""

import pytest

from workers.core.specs import Source
from workers.core.testing.stub_web import Said, site
from workers.core.tools.settings import ToolSettings
from workers.core.tools.tests.support import a_run


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (
            "http://web:8300/corpus/wiki/Rhine%20%28river%29?a=1",
            "/corpus/wiki/Rhine%20(river)?a=1",
        ),
        ("http://web:8300/corpus", "/corpus"),
        ("http://web:8300/corpuses/x", "http://web:8300/corpuses/x"),
        ("http://web/corpus/x", "http://web/corpus/x"),
        ("https://rivers.example/corpus/x", "https://rivers.example/corpus/x"),
        ("", ""),
        ("about:blank", "about:blank"),
        ("http://[::1", "http://[::1"),
    ],
)
def test_people_get_a_path_of_the_studio(address: str, shown: str) -> None:
    source = Source(title="Rhine", address=address)
    assert ToolSettings(pages_url="http://web:8300/corpus").shown(source).address == shown
    assert ToolSettings().shown(source) == source


async def test_agents_read_the_path_and_can_open_it() -> None:
    pages = {"/corpus/wiki/Rhine": Said(b"<title>Rhine</title><p>1,233 km")}
    async with site(pages) as web:
        settings = ToolSettings(pages_url=f"{web.url}/corpus")
        async with a_run(settings) as tools:
            read = await tools("read_page", address="/corpus/wiki/Rhine")
            named = await tools("read_page", address=f"{web.url}/corpus/wiki/Rhine")
    assert "Address: /corpus/wiki/Rhine" in read.output
    assert web.url not in read.whole + named.whole
    assert read.sources == named.sources == (Source(title="Rhine", address="/corpus/wiki/Rhine"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[Rhine](http://web:8300/corpus/wiki/Rhine)", "[Rhine](/corpus/wiki/Rhine)"),
        ("http://web:8300/corpus, http://web:8300/corpus?q=a", "/corpus, /corpus?q=a"),
        ("http://web:8300/corpuses", "http://web:8300/corpuses"),
        ("http://web:83001/corpus/x", "http://web:83001/corpus/x"),
        ("https://rivers.example/corpus/x", "https://rivers.example/corpus/x"),
    ],
)
def test_what_agents_read_names_no_host_of_the_workers(text: str, said: str) -> None:
    assert ToolSettings(pages_url="http://web:8300/corpus").said(text) == said
    assert ToolSettings().said(text) == text


@pytest.mark.parametrize(
    ("address", "meant"),
    [
        ("/corpus/wiki/Rhine%20(river)", "http://web:8300/corpus/wiki/Rhine%20(river)"),
        ("rivers.example/x", "https://rivers.example/x"),
        ("http://rivers.example/x", "http://rivers.example/x"),
    ],
)
def test_a_path_is_a_page_of_the_studio(address: str, meant: str) -> None:
    assert ToolSettings(pages_url="http://web:8300/corpus").absolute(address) == meant
