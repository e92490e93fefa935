"""What a browser sends of an admin's form besides what its user typed."""

from __future__ import annotations

from html.parser import HTMLParser


class _Hidden(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "input" and given.get("type") == "hidden" and name.startswith("initial-"):
            self.found[name] = (given.get("value") or "").replace("\n", "\r\n")


def began_with(page: bytes) -> dict[str, str]:
    """The values with which the form was opened, by their names."""
    parser = _Hidden()
    parser.feed(page.decode())
    return parser.found
