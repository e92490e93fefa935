"""How the tools of agents are set up, by the studio's settings."""

from django.conf import settings

from workers.core.tools.settings import ToolSettings


def tool_settings() -> ToolSettings:
    return ToolSettings(
        search_url=settings.SEARCH_URL,
        search_allow_private=settings.SEARCH_ALLOW_PRIVATE,
        tavily_key_env=settings.SEARCH_TAVILY_KEY_ENV,
        pages_url=settings.CORPUS_URL,
        pages_token=settings.CORPUS_TOKEN,
        files=settings.DATA_DIR / "files",
    )
