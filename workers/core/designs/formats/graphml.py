"""Writes and reads designs as GraphML, for yEd, Gephi, networkx and other programs.

It writes everything, in attributes with our names (`name`, `prompt`, `tools`, …), so a file that is
read again gives the same design. It reads any directed graph. A node without our attributes becomes
an agent with the node's label as its name and an empty prompt.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from workers.core.designs.formats.graphml_reader import Values, read_graphml
from workers.core.designs.spec import DesignAgent, DesignSpec, read_design

if TYPE_CHECKING:
    import networkx as nx

Drawn: TypeAlias = "nx.DiGraph[str]"

LABELS = ("name", "label", "Label", "d0")
LIST_SEPARATOR = "\n"
TEXTS = ("name", "family", "description", "prompt", "output_form", "refuse_condition")
LISTS = ("capabilities", "tools")
OF_THE_DESIGN = ("format", "summary", "summary_temperature")
PLACE = ("x", "y")
OF_AN_AGENT = ("endpoint", "temperature", "sample", *PLACE)
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_XML = re.compile("[\ufffe\uffff]")


def to_graphml(design: DesignSpec, *, name: str = "") -> str:
    import networkx as nx

    graph: Drawn = nx.DiGraph(**_without_none(_about(design, name)))
    for agent in design.agents:
        graph.add_node(agent.id, **_without_none(_attributes(agent)))
    graph.add_edges_from((edge.source, edge.target) for edge in design.edges)
    return _NOT_XML.sub("", "\n".join(nx.generate_graphml(graph))) + "\n"


def from_graphml(text: str) -> tuple[str, DesignSpec]:
    """Name and design. Raises NotGraphml, and ValidationError or NewerFormat for values that a
    design can't have."""
    graph = read_graphml(text)
    ids = _ids(graph.nodes)
    # in a file of another program, such names as `format` and `temperature` may mean anything
    ours = isinstance(graph.about.get("format"), int)
    voters = str(graph.about.get("vote", "")).split(LIST_SEPARATOR) if ours else []
    design = {
        **({key: graph.about[key] for key in OF_THE_DESIGN if key in graph.about} if ours else {}),
        "agents": [
            {
                "id": ids[node],
                "role": _role(node, ids[node], values),
                **(_more(values, OF_AN_AGENT) if ours else _place(values)),
            }
            for node, values in graph.nodes.items()
        ],
        "edges": [
            {"source": ids[source], "target": ids[target]}
            for source, target in dict.fromkeys(graph.edges)
        ],
        "answer_from": ids.get(str(graph.about.get("answer_from"))) if ours else None,
        "vote": [ids.get(voter, voter) for voter in voters if voter],
    }
    return str(graph.about.get("name", "")), read_design(design)


def _about(design: DesignSpec, name: str) -> dict[str, Any]:
    return {
        "name": name or None,
        "format": design.format,
        "answer_from": design.answer_from,
        "summary": design.summary,
        "summary_temperature": design.summary_temperature,
        "vote": LIST_SEPARATOR.join(design.vote) or None,
    }


def _attributes(agent: DesignAgent) -> dict[str, Any]:
    role = agent.role.model_dump()
    return {
        "role": agent.role.key,
        **{name: role[name] for name in TEXTS},
        **{name: LIST_SEPARATOR.join(role[name]) for name in LISTS},
        **{name: getattr(agent, name) for name in OF_AN_AGENT},
    }


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _ids(nodes: Iterable[str]) -> dict[str, str]:
    """A node's own id if an agent may have it, otherwise `a1`, `a2`, …"""
    names = list(nodes)
    taken = {name for name in names if _ID.fullmatch(name)}
    ids: dict[str, str] = {}
    number = 0
    for name in names:
        if name in taken:
            ids[name] = name
            continue
        number += 1
        while f"a{number}" in taken:
            number += 1
        ids[name] = f"a{number}"
    return ids


def _role(node: str, agent_id: str, values: Values) -> dict[str, Any]:
    label = next((str(values[label]) for label in LABELS if values.get(label)), node)
    name = str(values.get("name", "")) if "role" in values else label
    key = str(values.get("role") or re.sub(r"[^a-z0-9_-]+", "-", agent_id.lower()).strip("-_"))
    texts = {text: str(values[text]) for text in TEXTS if text in values}
    lists = {item: str(values[item]).split(LIST_SEPARATOR) for item in LISTS if values.get(item)}
    return {"key": key or "agent", **texts, **lists, "name": name[:120]}


def _place(values: Values) -> dict[str, float]:
    """A node's position, if another program gives it in numbers."""
    found = {name: value for name in PLACE if isinstance(value := values.get(name), int | float)}
    return found if all(map(math.isfinite, found.values())) else {}


def _more(values: Values, names: Iterable[str]) -> dict[str, Any]:
    return {name: values[name] for name in names if values.get(name, "") != ""}
