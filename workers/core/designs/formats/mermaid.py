"""A design as a Mermaid flowchart (https://mermaid.js.org/syntax/flowchart.html), as text alone."""

import re

from workers.core.designs.spec import DesignAgent, DesignSpec

_SPECIAL = re.compile(r"[^\w .,:;!?()+/*=’'-]")


def to_mermaid(design: DesignSpec) -> str:
    """One node per agent and an arrow to each of its readers. The agent whose answer counts is a
    rounded node; so is the count of a vote or the summary agent. An agent that samples shows its
    temperature.

    Nodes are called n1, n2, …, because ids such as `end` have a meaning in Mermaid.
    """
    ids = {agent.id: f"n{number}" for number, agent in enumerate(design.agents, 1)}
    lines = ["flowchart LR"]
    lines += [f"    {ids[agent.id]}{_shape(design, agent)}" for agent in design.agents]
    lines += [f"    {ids[edge.source]} --> {ids[edge.target]}" for edge in design.edges]
    if design.summary:
        lines.append(f'    summary(["Summary{_sampled(design.summary_temperature, None)}"])')
        lines += [f"    {node} -.-> summary" for node in ids.values()]
    if design.vote:
        lines.append('    vote(["Vote"])')
        lines += [f"    {ids[agent_id]} -.-> vote" for agent_id in design.vote]
    return "\n".join(lines) + "\n"


def _shape(design: DesignSpec, agent: DesignAgent) -> str:
    name = _escaped(agent.role.name.strip() or agent.id)
    text = f'"{name}{_sampled(agent.temperature, agent.sample)}"'
    return f"([{text}])" if agent.id == design.answer_from else f"[{text}]"


def _sampled(temperature: float, sample: int | None) -> str:
    if not temperature:
        return ""
    number = "" if sample is None else f", sample {sample + 1}"
    return f" (temperature {temperature:g}{number})"


def _escaped(text: str) -> str:
    """The text with special characters as numbers: Mermaid reads Markdown and HTML in labels, and a
    quotation mark would end one."""
    plain = " ".join(text.split())
    return _SPECIAL.sub(lambda found: f"#{ord(found.group())};", plain)
