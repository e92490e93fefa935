"""The registry: what every method promises."""

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


@pytest.mark.parametrize(
    ("key", "option", "wrong"),
    [
        ("self_consistency", "k", (0, 33, "many")),
        ("self_consistency", "temperature", (0,)),
        ("debate", "agents", (1, 9)),
        ("debate", "rounds", (6,)),
        ("debate", "temperature", (0,)),
        ("multi_persona", "personas", (1, 9)),
        ("multi_persona", "rounds", (0, 6)),
        ("self_refine", "rounds", (0, 9, "many")),
        ("fixed_graph", "roles", ("planner," * 17,)),
        ("fixed_graph", "shape", ("ring",)),
        ("fixed_graph", "agents", (17,)),
        ("fixed_graph", "branching", (1,)),
        ("random_graph", "agents", (0,)),
        ("random_graph", "edge_probability", (1.1,)),
        ("random_graph", "final_answer", ("nobody",)),
    ],
)
def test_an_option_out_of_bounds_is_named(key: str, option: str, wrong: tuple[object, ...]) -> None:
    for value in wrong:
        with pytest.raises(ValidationError, match=option):
            METHODS[key].config_schema.model_validate({option: value})


def test_only_methods_that_choose_roles_need_a_pool() -> None:
    needing = {key for key, method in METHODS.items() if method.needs_pool}
    assert needing == {"fixed_graph", "random_graph", "mashost", "reso"}
    assert {key for key, method in METHODS.items() if method.learns} == {
        *("mashost", "reso", "at_grpo", "evomas", "metaagent_x")
    }


def test_listing_the_methods_loads_no_torch() -> None:
    """A web process lists methods; torch would cost it seconds and 200 MB. Nor does a training of
    ReSo's agents, unless a model rewards them."""
    modules = "workers.core.methods.registry, workers.core.methods.reso.training.loop"
    program = f"import sys, {modules}; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout.strip() == "False"


def test_a_setting_says_what_a_small_model_could_not_write() -> None:
    """Each word has its sentences in `frontend/src/strings/small-writer.ts`."""
    found = {
        key: {name: field["writes"] for name, field in fields.items() if "writes" in field}
        for key, method in METHODS.items()
        for fields in [method.config_schema.model_json_schema()["properties"]]
    }
    assert {key: writes for key, writes in found.items() if writes} == {
        "reso": {"planner_endpoint": "plan"},
        "metaagent_x": {"designer": "script"},
    }
