"""Designs as files of other programs, and back."""

import json
import math
import re
import time
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from workers.core.designs.formats.graphml import from_graphml, to_graphml
from workers.core.designs.formats.graphml_reader import NotGraphml
from workers.core.designs.formats.json_file import from_json, to_json
from workers.core.designs.formats.langgraph_program import NotExportable
from workers.core.designs.formats.mermaid import to_mermaid
from workers.core.designs.formats.script_file import script_changes, to_script_zip
from workers.core.designs.spec import DesignAgent, DesignSpec, DraftRole, read_design
from workers.core.designs.tests.support import design, drawn

WHOLE = DesignSpec(
    agents=(
        drawn(
            "a1",
            description="Solves.",
            capabilities=("sums", "proofs, too"),
            prompt="Line one.\n  <b>Line two</b> & more.\n",
            tools=("calculator",),
            output_form="A number.",
            refuse_condition="Never.",
        ).model_copy(
            update={"endpoint": "large", "temperature": 0.7, "sample": 3, "x": 10.5, "y": -3.0}
        ),
        drawn("a2").model_copy(update={"temperature": 1.5}),
    ),
    answer_from="a2",
)
GOLDEN = Path(__file__).parent / "golden"
VOTE = WHOLE.model_copy(update={"answer_from": None, "vote": ("a2", "a1")})
SUMMED = design("ab", "ab", summary=True, summary_temperature=0.25)


@pytest.mark.parametrize("file", sorted((GOLDEN / "files").iterdir()), ids=lambda file: file.name)
def test_every_file_that_was_ever_written_is_read(file: Path) -> None:
    stored = read_design(json.loads((GOLDEN / f"{file.stem}.json").read_text()))
    read = from_json if file.suffix == ".json" else from_graphml
    name, spec = read(file.read_text())
    assert spec == stored
    assert name == ("" if file.name == "format-1.graphml" else "Two who solve")
    if file.stem == f"format-{DesignSpec().format}":
        write = to_json if file.suffix == ".json" else to_graphml
        assert write(spec, name=name) == file.read_text()


def test_the_newest_format_has_its_golden_files() -> None:
    newest = f"format-{DesignSpec().format}"
    kept = {file.name for file in (GOLDEN / "files").glob(f"{newest}.*")}
    assert kept == {f"{newest}.json", f"{newest}.graphml"}


DIRECTED = '<graph edgedefault="directed">'


def graphml(inside: str, closing: str = "") -> str:
    return (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://yed">'
        '<key id="n" for="node" attr.name="size" attr.type="int"/>'
        f'<graph edgedefault="directed">{inside}{closing}</graph></graphml>'
    )


def nested(depth: int) -> str:
    opening = "".join(f'<node id="{number}"><graph>' for number in range(depth))
    return graphml(opening, "</graph></node>" * depth)


class TestMermaid:
    def test_by_hand(self) -> None:
        assert to_mermaid(design("abc", "ab bc", answer_from="b")) == (
            'flowchart LR\n    n1["A"]\n    n2(["B"])\n    n3["C"]\n    n1 --> n2\n    n2 --> n3\n'
        )

    def test_whoever_samples_or_votes(self) -> None:
        lines = to_mermaid(VOTE).splitlines()
        assert lines[1:] == [
            '    n1["A1 (temperature 0.7, sample 4)"]',
            '    n2["A2 (temperature 1.5)"]',
            '    vote(["Vote"])',
            "    n2 -.-> vote",
            "    n1 -.-> vote",
        ]
        assert '(["Summary (temperature 0.25)"])' in to_mermaid(SUMMED)

    def test_a_summary_agent_reads_all(self) -> None:
        text = to_mermaid(design("ab", summary=True))
        assert text.endswith('summary(["Summary"])\n    n1 -.-> summary\n    n2 -.-> summary\n')

    @pytest.mark.parametrize(
        "name",
        [
            '"] --> x["',
            "<img src=x onerror=alert(1)>",
            "`**bold**`",
            "a\nb %%{init: {}}%%",
            "#quot;",
        ],
    )
    def test_a_name_stays_a_name(self, name: str) -> None:
        lines = to_mermaid(DesignSpec(agents=(drawn("a", name=name),))).splitlines()
        assert len(lines) == 2
        label = lines[1].removeprefix('    n1["').removesuffix('"]')
        assert not set('"<>`{}[]%') & set(label)


class TestGraphml:
    def test_what_is_written_comes_back(self) -> None:
        for spec in (WHOLE, VOTE, SUMMED, DesignSpec()):
            assert from_graphml(to_graphml(spec)) == ("", spec)
        assert from_graphml(to_graphml(WHOLE, name="Two: “A” & <B>")) == ("Two: “A” & <B>", WHOLE)

    @given(
        st.text(max_size=60).filter(lambda text: text.isprintable() and text.strip() == text != "")
    )
    def test_any_name_comes_back(self, name: str) -> None:
        one = DesignSpec(agents=(drawn("a", name=name, prompt=f"{name}\n\t{name}"),))
        assert from_graphml(to_graphml(one, name=name)) == (name, one)

    def test_a_graph_of_another_program(self) -> None:
        graph: nx.DiGraph[str] = nx.DiGraph(name="Plan", temperature="hot", format="x")
        graph.add_node("n::0", label="Planner", temperature="hot", sample=-1, x=4.5)
        graph.add_node("a1", label="Solver", size=3)
        graph.add_node("Ärzte")
        graph.add_edge("n::0", "a1", weight=2.0)
        name, read = from_graphml("\n".join(nx.generate_graphml(graph)))
        assert (name, read.agents[0].x, read.agents[0].temperature) == ("Plan", 4.5, 0.0)
        assert [(agent.id, agent.role.name) for agent in read.agents] == [
            ("a2", "Planner"),
            ("a1", "Solver"),
            ("a3", "Ärzte"),
        ]
        assert [(edge.source, edge.target) for edge in read.edges] == [("a2", "a1")]
        assert read.agents[0].role.prompt == ""

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "not GraphML"),
            ("hello", "not GraphML"),
            ("<html></html>", "not GraphML"),
            ("<graphml/>", "has no graph"),
            (graphml('<node id="a"/><node id="a"/>'), "Two nodes have the id “a”"),
            (graphml('<node id="a"/><node/>'), "A node has no id"),
            (
                graphml('<node id="a"/><edge source="a" target="b"/>'),
                "names “b”, which is not a node",
            ),
            (graphml('<node id="a"/><edge source="a"/>'), "An edge lacks its source"),
            (graphml('<edge source="a" target="b" directed="false"/>'), "An edge is undirected"),
            (graphml("<hyperedge/>"), "between more than two nodes"),
            (graphml("</graph><graph>"), "more than one graph"),
            (graphml("<node id='a'><graph>" * 480, "</graph></node>" * 480), "Two nodes have"),
            (nested(480), "nested more than 64 levels"),
            (graphml("<data/>" * 100_001), "more than 100,000 elements"),
            (
                '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
                '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">&b;</graphml>',
                "declares a document type",
            ),
            (
                '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
                '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">&a;</graphml>',
                "declares a document type",
            ),
        ],
    )
    def test_what_is_none(self, text: str, said: str) -> None:
        with pytest.raises(NotGraphml, match=said):
            from_graphml(text)

    def test_an_undirected_graph_and_one_that_is_too_large(self) -> None:
        with pytest.raises(NotGraphml, match="need a direction"):
            from_graphml("\n".join(nx.generate_graphml(nx.path_graph(3))))
        large = nx.path_graph(501, create_using=nx.DiGraph)
        with pytest.raises(NotGraphml, match="more than 500 nodes"):
            from_graphml("\n".join(nx.generate_graphml(large)))
        with pytest.raises(NotGraphml, match="more than 4 MiB"):
            from_graphml("x" * (4 * 1024 * 1024 + 1))

    def test_a_large_one_is_refused_as_soon_as_it_is(self) -> None:
        many = "".join(f'<node id="{number}"/>' for number in range(190_000))
        began = time.perf_counter()
        with pytest.raises(NotGraphml, match="more than 500 nodes"):
            from_graphml(graphml(many))
        assert time.perf_counter() - began < 0.5

    @pytest.mark.parametrize("kind", ["int", "long", "float", "double", "boolean", "string"])
    @pytest.mark.parametrize("said", ["3.0", "", "three", "1e400", "nan", " 4 ", "3,5"])
    def test_values_that_nothing_needs_refuse_no_file(self, kind: str, said: str) -> None:
        """Nor do places that are no numbers."""
        keys = "".join(
            f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>'
            for name in ("weight", "x", "y", "temperature")
        )
        data = "".join(
            f'<data key="{name}">{said}</data>' for name in ("weight", "x", "y", "temperature")
        )
        _, read = from_graphml(
            f"<graphml>{keys}{DIRECTED}<node id='a'>{data}</node></graph></graphml>"
        )
        (agent,) = read.agents
        assert agent.role.name == "a"
        assert agent.x is None or math.isfinite(agent.x)

    def test_a_value_of_ours_that_is_none_is_named(self) -> None:
        text = to_graphml(WHOLE, name="Whole")
        broken = re.sub(r'(<data key="[^"]+">)0\.7(</data>)', r"\1warm\2", text)
        assert broken != text
        with pytest.raises(ValidationError, match="temperature"):
            from_graphml(broken)

    @pytest.mark.parametrize("of", ["node", "all", ""])
    def test_what_a_key_says_by_default_holds_for_all_that_say_nothing(self, of: str) -> None:
        key = f'<key id="k" {f"for={chr(34)}{of}{chr(34)}" if of else ""} attr.name="label">'
        nodes = '<node id="a"/><node id="b"><data key="k">Poet</data></node>'
        text = f"<graphml>{key}<default>Solver</default></key>{DIRECTED}{nodes}</graph></graphml>"
        _, read = from_graphml(text)
        assert [agent.role.name for agent in read.agents] == ["Solver", "Poet"]

    def test_a_default_of_edges_names_no_node(self) -> None:
        key = '<key id="k" for="edge" attr.name="label"><default>reads</default></key>'
        _, read = from_graphml(f'<graphml>{key}{DIRECTED}<node id="a"/></graph></graphml>')
        assert read.agents[0].role.name == "a"

    @pytest.mark.parametrize(
        "declared",
        [
            '<?xml version="1.0" encoding="ISO-8859-1"?>',
            "<?xml version='1.0' encoding='windows-1252' standalone='yes'?>",
            '\ufeff<?xml version="1.0" encoding = "UTF-16"?>',
            '<?xml version="1.0"?>',
            "",
        ],
    )
    def test_a_text_is_read_as_the_text_that_it_is(self, declared: str) -> None:
        """Whatever bytes it once was."""
        _, read = from_graphml(
            f'{declared}<graphml>{DIRECTED}<node id="Größe 数"/></graph></graphml>'
        )
        assert read.agents[0].role.name == "Größe 数"

    def test_groups_as_yed_draws_them(self) -> None:
        label = '<y:ShapeNode><y:NodeLabel x="1">{}</y:NodeLabel></y:ShapeNode>'
        group = '<node id="{0}" yfiles.foldertype="group"><data key="d">{1}</data>{2}</node>'
        inner = group.format("n0::n0", label.format("Inner"), "")
        outer = group.format("n0", label.format("Outer"), f'<graph id="n0:">{inner}</graph>')
        _, read = from_graphml(graphml(outer + '<edge source="n0::n0" target="n0"/>'))
        assert [agent.role.name for agent in read.agents] == ["Outer", "Inner"]
        assert [(edge.source, edge.target) for edge in read.edges] == [("a1", "n0")]

    def test_values_that_no_design_may_have(self) -> None:
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_node("a", name="A", prompt="x" * 20_001)
        with pytest.raises(ValidationError, match="at most 20000"):
            from_graphml("\n".join(nx.generate_graphml(graph)))


def test_a_draft_without_anything_written_comes_back() -> None:
    half = DesignSpec(agents=(DesignAgent(id="a", role=DraftRole(key="new")),))
    assert from_graphml(to_graphml(half))[1].agents[0].role.key == "new"


def test_a_script_is_packed_with_its_blocks_and_a_drawing_is_written_first() -> None:
    script = "from workflow import agent, deliver\n\ndeliver(agent('A', 'Go.'))\n"
    for spec, part in ((DesignSpec(script=script), script), (design("ab", "ab"), "sequence(a, b)")):
        packed = ZipFile(BytesIO(to_script_zip(spec)))
        assert packed.namelist() == ["team.py", "workflow.py"]
        assert part in packed.read("team.py").decode()
        assert to_script_zip(spec) == to_script_zip(spec)
    with pytest.raises(NotExportable, match="A person writes the message"):
        to_script_zip(DesignSpec(agents=(drawn("a", tools=("person",)),)))


def test_an_exported_script_says_which_tools_it_lacks() -> None:
    script = (
        "from workflow import *\n"
        'a, b = agent("A", "Try.", tools=["program", "python"]), agent("B", "Try.")\n'
        "deliver(sequence(a, b))\n"
    )
    [told] = script_changes(DesignSpec(script=script))
    assert told.startswith("A uses the tool “program”, which is the studio's")
    assert not script_changes(DesignSpec(script=script.replace('"program", ', "")))
