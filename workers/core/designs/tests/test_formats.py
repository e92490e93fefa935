"""Designs as files of other programs, and back."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from workers.core.designs.formats.graphml import NotGraphml, from_graphml, to_graphml
from workers.core.designs.formats.mermaid import to_mermaid
from workers.core.designs.spec import DesignAgent, DesignSpec, DraftRole
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
        ).model_copy(update={"endpoint": "large", "x": 10.5, "y": -3.0}),
        drawn("a2"),
    ),
    answer_from="a2",
    summary=False,
)


class TestMermaid:
    def test_by_hand(self) -> None:
        assert to_mermaid(design("abc", "ab bc", answer_from="b")) == (
            'flowchart LR\n    n1["A"]\n    n2(["B"])\n    n3["C"]\n    n1 --> n2\n    n2 --> n3\n'
        )

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
        assert from_graphml(to_graphml(WHOLE)) == WHOLE
        assert from_graphml(to_graphml(DesignSpec())) == DesignSpec()
        chain = design("abc", "ab bc", summary=True)
        assert from_graphml(to_graphml(chain)) == chain

    @given(
        st.text(max_size=60).filter(lambda text: text.isprintable() and text.strip() == text != "")
    )
    def test_any_name_comes_back(self, name: str) -> None:
        one = DesignSpec(agents=(drawn("a", name=name, prompt=f"{name}\n\t{name}"),))
        assert from_graphml(to_graphml(one)) == one

    def test_a_graph_of_another_program(self) -> None:
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_node("n::0", label="Planner")
        graph.add_node("a1", label="Solver", size=3)
        graph.add_node("Ärzte")
        graph.add_edge("n::0", "a1", weight=2.0)
        read = from_graphml("\n".join(nx.generate_graphml(graph)))
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
        with pytest.raises(NotGraphml, match="has a direction"):
            from_graphml("\n".join(nx.generate_graphml(nx.path_graph(3))))
        large = nx.path_graph(501, create_using=nx.DiGraph)
        with pytest.raises(NotGraphml, match="more than 500 nodes"):
            from_graphml("\n".join(nx.generate_graphml(large)))
        with pytest.raises(NotGraphml, match="more than 4 MiB"):
            from_graphml("x" * (4 * 1024 * 1024 + 1))

    def test_values_that_no_design_may_have(self) -> None:
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_node("a", name="A", prompt="x" * 20_001)
        with pytest.raises(ValidationError, match="at most 20000"):
            from_graphml("\n".join(nx.generate_graphml(graph)))


def test_a_draft_without_anything_written_comes_back() -> None:
    half = DesignSpec(agents=(DesignAgent(id="a", role=DraftRole(key="new")),))
    assert from_graphml(to_graphml(half)).agents[0].role.key == "new"
