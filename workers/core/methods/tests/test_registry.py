"""The registry: what every method promises."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from pydantic import BaseModel, ValidationError

from workers.core.methods.registry import METHODS


@pytest.mark.parametrize("key", METHODS)
def test_a_method_describes_itself(key: str) -> None:
    method = METHODS[key]
    assert method.key == key
    assert method.name
    assert method.source
    assert len(method.description) > 40
    schema: type[BaseModel] = method.config_schema
    assert schema.model_json_schema()["additionalProperties"] is False
    schema()
    with pytest.raises(ValidationError):
        schema.model_validate({"no_such_option": 1})


def test_only_methods_that_choose_roles_need_a_pool() -> None:
    needing = {key for key, method in METHODS.items() if method.needs_pool}
    assert needing == {"fixed_graph", "random_graph", "mashost", "reso"}
    assert {key for key, method in METHODS.items() if method.learns} == {"mashost", "reso"}


def test_listing_the_methods_loads_no_torch() -> None:
    """A web process lists methods; torch would cost it seconds and 200 MB."""
    program = "import sys, workers.core.methods.registry; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout.strip() == "False"
