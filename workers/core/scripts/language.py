"""The words of the language: what a script may import, call and read."""

from typing import Final

SCRIPT_CHARS: Final = 20_000
NESTING: Final = 60
"""How deep the tree of a script may be, in expressions and statements within each other."""

MODULE: Final = "workflow"
MAIN: Final = "__name__"
"""Which is “__main__” wherever a script runs."""
BLOCKS: Final = (
    "agent",
    "ensemble",
    "reflection",
    "debate",
    "router",
    "sequence",
    "conditional",
    "loop",
    "graph",
)
IMPORTS: Final = frozenset({*BLOCKS, "deliver", "question"})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BUILTINS: Final = _words(
    "abs all any bool dict enumerate float int len list max min print range reversed "
    "round set sorted str sum tuple zip"
)
MESSAGE_PARTS: Final = frozenset({"text", "answer", "name"})
TEXT_METHODS: Final = _words(
    "capitalize casefold count endswith find index isalnum isalpha isdigit islower "
    "isspace isupper join lower lstrip partition removeprefix removesuffix replace "
    "rfind rpartition rsplit rstrip split splitlines startswith strip title upper"
)
LIST_METHODS: Final = _words("append clear copy count extend index insert pop remove reverse sort")
DICT_METHODS: Final = _words("clear copy get items keys pop setdefault update values")
SET_METHODS: Final = _words(
    "add clear copy difference discard intersection issubset issuperset pop remove union update"
)
METHODS: Final = TEXT_METHODS | LIST_METHODS | DICT_METHODS | SET_METHODS
