"""What people see of a page: taken by the browser, kept by the run, refused where it is none."""

from uuid import UUID

import pytest

from workers.core.testing.stub_web import Said, site
from workers.core.tools.pictures import PICTURE_BYTES, is_picture
from workers.core.tools.settings import ToolSettings
from workers.core.tools.tests.support import a_run

PAGES = {
    "/": Said(b"<title>Rivers</title><p>The Elbe is 1,094 km long. <p style=margin-top:3000px>End"),
    "/long": Said(b"<title>Long</title>" + b"<p>The Elbe is 1,094 km long. " * 2_000),
}


class Kept:
    """Keeps at most three."""

    def __init__(self) -> None:
        self.jpegs: list[bytes] = []

    @property
    def wanted(self) -> bool:
        return len(self.jpegs) < 3

    async def keep(self, jpeg: bytes) -> UUID | None:
        self.jpegs.append(jpeg)
        return UUID(int=len(self.jpegs))


async def test_each_step_of_the_browser_has_one_up_to_the_limit() -> None:
    kept = Kept()
    async with site(PAGES) as web:
        settings = ToolSettings(pages_url=web.url)
        async with a_run(settings, pictures=kept) as tools:
            first = await tools("browser", action="open", address=web.url)
            scrolled = await tools("browser", action="scroll")
            long = await tools("browser", action="open", address=f"{web.url}/long")
            part = await tools("browser", action="read", part=2)
            beyond = await tools("browser", action="read")
    taken = [result.picture for result in (first, scrolled, long, part, beyond)]
    assert taken == [UUID(int=1), UUID(int=2), UUID(int=3), None, None]
    assert all(map(is_picture, kept.jpegs))
    assert kept.jpegs[0] != kept.jpegs[1], "after scrolling a person sees another part"


async def test_where_nobody_looks_none_is_taken() -> None:
    async with site(PAGES) as web, a_run(ToolSettings(pages_url=web.url)) as tools:
        assert (await tools("browser", action="open", address=web.url)).picture is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg onload=alert(1)>",
        b"\x89PNG\r\n",
        b"\xff\xd8\xff cut",
        b"\xff\xd8\xff" + bytes(PICTURE_BYTES) + b"\xff\xd9",
    ],
)
def test_what_is_no_small_jpeg_is_no_picture(data: bytes) -> None:
    assert not is_picture(data)
    assert is_picture(b"\xff\xd8\xff\x00\xff\xd9")
