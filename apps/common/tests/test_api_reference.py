"""What the page of the API says of types, limits and hostile words."""

from typing import Any

import pytest

from apps.common.api_reference import api_reference, type_of


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string", "format": "uuid"}, "string (uuid)"),
        ({"$ref": "#/components/schemas/Run", "nullable": True}, "Run or null"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Run"}}, "list of Run"),
        ({"enum": ["a", 1]}, '"a" | 1'),
        ({"oneOf": [{"type": "string"}, {"type": "number"}]}, "string or number"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "names to number"),
        ({}, "anything"),
    ],
)
def test_a_type_is_told_in_words(schema: dict[str, Any], said: str) -> None:
    assert "".join(word.text for word in type_of(schema)) == said


def test_a_schema_that_is_named_can_be_led_to() -> None:
    words = type_of({"type": "array", "items": {"$ref": "#/components/schemas/Run"}})
    assert [word.schema for word in words] == ["", "Run"]


def test_operations_come_by_tag_with_their_limits_and_nothing_of_them_is_markup() -> None:
    size = {"type": "integer", "minimum": 1, "maximum": 9, "default": 2}
    listed = {
        "operationId": "things_list",
        "tags": ["things"],
        "description": "<b>Of `all`</b>",
        "parameters": [{"in": "query", "name": "size", "schema": size}],
        "responses": {"200": {"description": ""}},
    }
    reference = api_reference(
        {"paths": {"/things": {"get": listed}}, "components": {"schemas": {}}}
    )
    (operation,) = reference.operations["things"]
    assert (operation.method, operation.path) == ("GET", "/things")
    assert operation.notes == "&lt;b&gt;Of <code>all</code>&lt;/b&gt;"
    assert operation.parameters[0].notes == "at least 1, at most 9, default 2"
