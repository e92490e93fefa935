"""Where the tools of agents reach the world: set by whoever runs the studio."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """Without `search_url` and `tavily_key_env` there is no web search.

    `search_url`: base URL of a service that answers SearXNG's JSON; `search_allow_private`: it may
    have a private address. `tavily_key_env`: the variable that holds the key of Tavily, which is
    asked where there is no `search_url`. `pages_url`: pages below it may be read although its
    address is private. `files`: the folder of stored files, by digest.
    """

    search_url: str = ""
    search_allow_private: bool = False
    tavily_key_env: str = ""
    tavily_url: str = "https://api.tavily.com"
    pages_url: str = ""
    files: Path | None = None
