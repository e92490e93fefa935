from collections.abc import Iterator

import pytest

from workers.core.scripts.tests.sandboxes import marked


@pytest.fixture(autouse=True)
def _marked() -> Iterator[None]:
    """The processes of a test's sandboxes can be found."""
    with marked():
        yield
