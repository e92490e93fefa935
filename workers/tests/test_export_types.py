"""The browser's types follow the event union and the designs."""

import re
from pathlib import Path

import pytest

from workers import export_types
from workers.core.events import EVENT_ADAPTER


def test_the_committed_types_are_fresh() -> None:
    assert export_types.main(["--check"]) == 0


def test_a_stale_file_is_named_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(export_types, "OUTPUT", tmp_path)
    assert export_types.main([]) == 0
    assert export_types.main(["--check"]) == 0
    (tmp_path / "designs.ts").write_text("of yesterday")
    assert export_types.main(["--check"]) == 1
    assert "designs.ts is stale: run `npm run generate`" in capsys.readouterr().err


def test_every_event_is_in_the_union_with_its_own_literal() -> None:
    names = EVENT_ADAPTER.json_schema()["discriminator"]["mapping"]
    module = export_types.render_events()
    assert sorted(re.findall(r'readonly event: "(\w+)";', module)) == sorted(names)
    for name in names:
        assert f'readonly event: "{name}";' in module


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
            "ReadonlyArray<string | null>",
        ),
        (
            {"type": "object", "additionalProperties": {"type": "number"}},
            "Readonly<Record<string, number>>",
        ),
        ({"enum": ["add", "exit"], "type": "string"}, '"add" | "exit"'),
        ({"$ref": "#/$defs/Usage"}, "Usage"),
    ],
)
def test_schema_nodes_become_type_expressions(schema: dict[str, object], expected: str) -> None:
    assert export_types.type_of(schema) == expected


def test_an_unknown_node_is_an_error_rather_than_any() -> None:
    with pytest.raises(ValueError, match="no TypeScript type"):
        export_types.type_of({"type": "tuple"})
