"""Passes pip's configuration to uv, which does not read it.

The machine's owner sets once, for pip, where packages come from and which certificates to trust.
That stays the only place. Nothing here names an index.
"""

import ast
import os
import subprocess
from pathlib import Path

# pip's option → uv's variable and uv's separator between several values.
VARIABLES = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_EXTRA_INDEX_URL", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "no-index": ("UV_NO_INDEX", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "timeout": ("UV_HTTP_TIMEOUT", " "),
    "default-timeout": ("UV_HTTP_TIMEOUT", " "),
    "proxy": ("ALL_PROXY", " "),
    "cert": ("SSL_CERT_FILE", " "),
}
# Later wins, as in pip.
SECTIONS = ("global", "install", ":env:")


def uv_environment(python: Path) -> dict[str, str]:
    """The environment for uv: ours plus pip's configuration. UV_* variables of ours win."""
    listed = subprocess.run(
        [str(python), "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    )
    translated = translate(listed.stdout)
    # Several indexes are equal to pip; uv by default stops at the first that knows a name.
    defaults = {"UV_INDEX_STRATEGY": "unsafe-best-match", "UV_NO_PROGRESS": "1"}
    if "SSL_CERT_FILE" not in {**translated, **os.environ}:
        defaults["UV_SYSTEM_CERTS"] = "1"
    return {**defaults, **translated, **os.environ}


def translate(listing: str) -> dict[str, str]:
    """`pip config list` output → uv variables. Lines: `section.option='value'`."""
    options: dict[str, tuple[int, str]] = {}
    for line in listing.splitlines():
        name, _, quoted = line.partition("=")
        section, _, option = name.rpartition(".")
        if option not in VARIABLES or section not in SECTIONS:
            continue
        rank = SECTIONS.index(section)
        value = str(ast.literal_eval(quoted)).strip()
        if value and rank >= options.get(option, (-1, ""))[0]:
            options[option] = (rank, value)
    variables = ((VARIABLES[option], value) for option, (_, value) in options.items())
    return {name: separator.join(value.split()) for (name, separator), value in variables}
