"""What a browser sends of an admin's form besides what its user typed."""

from html.parser import HTMLParser
from typing import Any


class _Hidden(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "input" and given.get("type") == "hidden" and name.startswith("initial-"):
            value = (given.get("value") or "").replace("\n", "\r\n")
            self.found.setdefault(name, []).append(value)


def sent_back(page: Any) -> dict[str, list[str]]:
    """What a browser sends of a page of the admin whose user changes nothing."""
    parser = _Hidden()
    parser.feed(page.content.decode())
    sent = dict(parser.found)
    for bound in page.context["adminform"].form:
        value = bound.value()
        if value is None or value is False or bound.field.disabled:
            continue
        values = value if isinstance(value, list) else ["on" if value is True else value]
        lines = [str(one).replace("\r\n", "\n") for one in values]
        sent[bound.html_name] = [one.replace("\n", "\r\n") for one in lines]
    return sent
