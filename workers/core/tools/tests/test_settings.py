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
    ],
)
def test_people_get_a_path_of_the_studio(address: str, shown: str) -> None:
    source = Source(title="Rhine", address=address)
    assert ToolSettings(pages_url="http://web:8300/corpus").shown(source).address == shown
    assert ToolSettings().shown(source) == source


async def test_agents_keep_the_address_that_they_can_open() -> None:
    pages = {"/corpus/wiki/Rhine": Said(b"<title>Rhine</title><p>1,233 km")}
    async with site(pages) as web:
        settings = ToolSettings(pages_url=f"{web.url}/corpus")
        async with a_run(settings) as tools:
            read = await tools("read_page", address=f"{web.url}/corpus/wiki/Rhine")
    assert f"Address: {web.url}/corpus/wiki/Rhine" in read.output
    assert read.sources == (Source(title="Rhine", address="/corpus/wiki/Rhine"),)
