"""Where installed packages have their data. Their code is not imported."""

import importlib.util
from pathlib import Path


class NoFacts(Exception):
    """A package is not installed. The sentence says what to do."""


def data_files(module: str, pattern: str) -> list[Path]:
    """The files of a package that match, in order. Raises NoFacts if there is none."""
    found = importlib.util.find_spec(module)
    for folder in (found.submodule_search_locations or ()) if found else ():
        if files := sorted((Path(folder) / "data").glob(pattern)):
            return files
    raise NoFacts(
        f"The package {module.replace('_', '-')}, from which questions are made, is not "
        "installed. Start bin/studio, which installs it."
    )
