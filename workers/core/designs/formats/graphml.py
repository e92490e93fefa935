"""Designs as GraphML, for yEd, Gephi, networkx and the like.

Written is everything, in attributes of our own names (`name`, `prompt`, `tools`, …), so that a file
that comes back is the same design. Read is any directed graph: a node without our attributes is an
agent with the node's label as its name, and its prompt still to be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import networkx as nx
from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from workers.core.designs.spec import (
    MAX_AGENTS,
    MAX_EDGES,
    DesignAgent,
    DesignSpec,
    read_design,
)

Drawn: TypeAlias = "nx.DiGraph[str]"

MAX_BYTES = 4 * 1024 * 1024
LABELS = ("name", "label", "Label", "d0")
LIST_SEPARATOR = "\n"
TEXTS = ("name", "family", "description", "prompt", "output_form", "refuse_condition")
LISTS = ("capabilities", "tools")
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_XML = re.compile("[\ufffe\uffff]")


class NotGraphml(ValueError):
    """What is wrong with a file that was to be read."""


def to_graphml(design: DesignSpec) -> str:
    graph: Drawn = nx.DiGraph(**_without_none(_about(design)))
    for agent in design.agents:
        graph.add_node(agent.id, **_without_none(_attributes(agent)))
    graph.add_edges_from((edge.source, edge.target) for edge in design.edges)
    return _NOT_XML.sub("", "\n".join(nx.generate_graphml(graph))) + "\n"


def from_graphml(text: str) -> DesignSpec:
    """Raises NotGraphml, and ValidationError or NewerFormat for values that no design may have."""
    graph = _parsed(text)
    ids = _ids(graph.nodes)
    about: dict[str, Any] = {
        key: graph.graph[key] for key in ("format", "summary") if key in graph.graph
    }
    answers = ids.get(str(graph.graph.get("answer_from")))
    agents = [
        {"id": ids[node], "role": _role(node, ids[node], values), **_place(values)}
        for node, values in graph.nodes(data=True)
    ]
    edges = [{"source": ids[source], "target": ids[target]} for source, target in graph.edges]
    return read_design({**about, "agents": agents, "edges": edges, "answer_from": answers})


def _about(design: DesignSpec) -> dict[str, Any]:
    return {
        "format": design.format,
        "answer_from": design.answer_from,
        "summary": design.summary,
    }


def _attributes(agent: DesignAgent) -> dict[str, Any]:
    role = agent.role.model_dump()
    return {
        "role": agent.role.key,
        **{name: role[name] for name in TEXTS},
        **{name: LIST_SEPARATOR.join(role[name]) for name in LISTS},
        "endpoint": agent.endpoint,
        "x": agent.x,
        "y": agent.y,
    }


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _parsed(text: str) -> Drawn:
    """Only after a look by a parser that refuses document types and entities: those can make a
    small file large, or read other files."""
    if len(text.encode()) > MAX_BYTES:
        raise NotGraphml(f"The file has more than {MAX_BYTES // 1024**2} MiB.")
    try:
        ElementTree.fromstring(text, forbid_dtd=True)
        graph = nx.parse_graphml(text, node_type=str)
    except DefusedXmlException as error:
        raise NotGraphml("The file declares a document type or entities; remove these.") from error
    except (ElementTree.ParseError, nx.NetworkXException, KeyError, ValueError, TypeError) as error:
        raise NotGraphml(f"The file is not GraphML: {str(error)[:200]}") from error
    if not graph.is_directed():
        raise NotGraphml("The graph is undirected; who reads whom has a direction.")
    if len(graph) > MAX_AGENTS or graph.number_of_edges() > MAX_EDGES:
        raise NotGraphml(f"The graph has more than {MAX_AGENTS} nodes or {MAX_EDGES:,} edges.")
    simple: Drawn = nx.DiGraph(graph)
    return simple


def _ids(nodes: Iterable[str]) -> dict[str, str]:
    """A node's own id where an agent may be called so, else `a1`, `a2`, …"""
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


def _role(node: str, agent_id: str, values: Mapping[str, Any]) -> dict[str, Any]:
    label = next((str(values[label]) for label in LABELS if values.get(label)), node)
    name = str(values.get("name", "")) if "role" in values else label
    key = str(values.get("role") or re.sub(r"[^a-z0-9_-]+", "-", agent_id.lower()).strip("-_"))
    texts = {text: str(values[text]) for text in TEXTS if text in values}
    lists = {item: str(values[item]).split(LIST_SEPARATOR) for item in LISTS if values.get(item)}
    return {"key": key or "agent", **texts, **lists, "name": name[:120]}


def _place(values: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: values[name] for name in ("endpoint", "x", "y") if name in values}
    return {name: value for name, value in found.items() if value != ""}
