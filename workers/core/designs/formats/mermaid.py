"""A design as a Mermaid flowchart (https://mermaid.js.org/syntax/flowchart.html), as text alone."""

from __future__ import annotations

import re

from workers.core.designs.problems import name_of
from workers.core.designs.spec import DesignAgent, DesignSpec

_SPECIAL = re.compile(r"[^\w .,:;!?()+/*=’'-]")


def to_mermaid(design: DesignSpec) -> str:
    """One node per agent, an arrow to whoever reads it; whose answer counts is a rounded node.

    Nodes are called n1, n2, …: ids such as `end` mean something to Mermaid.
    """
    ids = {agent.id: f"n{number}" for number, agent in enumerate(design.agents, 1)}
    lines = ["flowchart LR"]
    lines += [f"    {ids[agent.id]}{_shape(design, agent)}" for agent in design.agents]
    lines += [f"    {ids[edge.source]} --> {ids[edge.target]}" for edge in design.edges]
    if design.summary:
        lines.append('    summary(["Summary"])')
        lines += [f"    {node} -.-> summary" for node in ids.values()]
    return "\n".join(lines) + "\n"


def _shape(design: DesignSpec, agent: DesignAgent) -> str:
    text = f'"{_escaped(name_of(agent).strip("“”"))}"'
    return f"([{text}])" if agent.id == design.answer_from else f"[{text}]"


def _escaped(text: str) -> str:
    """What is not plain writing as its number: Mermaid reads Markdown and HTML in labels, and a
    quotation mark would end one."""
    plain = " ".join(text.split())
    return _SPECIAL.sub(lambda found: f"#{ord(found.group())};", plain)
