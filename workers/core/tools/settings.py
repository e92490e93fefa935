"""Where the tools of agents reach the world: set by whoever runs the studio."""

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from yarl import URL

from workers.core.net.guard import is_below
from workers.core.specs import Source


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """Without `search_url` and `tavily_key_env` there is no web search.

    `search_url`: base URL of a service that answers SearXNG's JSON; `search_allow_private`: it may
    have a private address. `tavily_key_env`: the variable that holds the key of Tavily, which is
    asked where there is no `search_url`. `pages_url`: the studio's own pages, which may be read
    although their address is private; `pages_token`: what they ask for, sent to nobody else.
    `files`: the folder of stored files, by digest.
    """

    search_url: str = ""
    search_allow_private: bool = False
    tavily_key_env: str = ""
    tavily_url: str = "https://api.tavily.com"
    pages_url: str = ""
    pages_token: str = ""
    files: Path | None = None

    def shown(self, source: Source) -> Source:
        """With the path alone for one of the studio's own pages: a browser may not know the host by
        which the workers reach it."""
        try:
            address = URL(source.address)
        except ValueError:  # as a search may find them
            return source
        if not is_below(address, self.pages_url):
            return source
        return source.model_copy(update={"address": str(address.relative())})

    def said(self, text: str) -> str:
        """The same in a text: what a model reads, it writes into its answer as a link."""
        if not self.pages_url:
            return text
        own = URL(self.pages_url)
        below = re.escape(own.raw_path.rstrip("/") or "/")
        return re.sub(rf"{re.escape(str(own.origin()))}(?={below}(?![\w-]))", "", text)

    def absolute(self, address: str) -> str:
        """What agents mean by an address: a path is one of the studio's own pages."""
        if address.startswith("/") and self.pages_url:
            with suppress(ValueError):  # no address: the request says so
                return str(URL(self.pages_url).join(URL(address, encoded=True)))
        return address if "://" in address else f"https://{address}"

    def headers_for(self, target: URL) -> dict[str, str]:
        """What the studio's own pages ask for; nothing for others."""
        is_own = self.pages_token and is_below(target, self.pages_url)
        return {"Authorization": f"Bearer {self.pages_token}"} if is_own else {}
