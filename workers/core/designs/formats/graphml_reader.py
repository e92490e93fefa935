"""Reads a GraphML stream (http://graphml.graphdrawing.org): nodes, edges and their values.

The sender decides how large and how deep a file is. So everything is counted while it is read, and
a file with too much is refused at once. Nothing here recurses. The parser refuses document types
and entities, which can make a small file large or read other files. Nodes of nested graphs (yEd's
groups) are nodes like all others.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from io import BytesIO
from xml.etree.ElementTree import Element

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from workers.core.designs.spec import MAX_AGENTS, MAX_EDGES

MAX_BYTES = 4 * 1024 * 1024
MAX_ELEMENTS = 100_000
MAX_DEPTH = 64
YED_LABEL = "NodeLabel"
WHOLE, FRACTION, YES_OR_NO = {"int", "long"}, {"float", "double"}, "boolean"

_ENCODING = re.compile(r"\A(\ufeff?\s*<\?xml[^>]*?)\s+encoding\s*=\s*(?:\"[^\"]*\"|'[^']*')")
"""The encoding that a file declares. The bytes are already decoded with it."""

Value = str | int | float | bool
Values = dict[str, Value]


class NotGraphml(ValueError):
    """Why a file can't be read."""


@dataclass(slots=True)
class Graph:
    """`about` are the graph's own values, `nodes` the values of each node by id."""

    about: Values = field(default_factory=dict)
    nodes: dict[str, Values] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)


def read_graphml(text: str) -> Graph:
    """The first graph of the file. Raises NotGraphml."""
    written = _ENCODING.sub(r"\1", text, count=1).encode()
    if len(written) > MAX_BYTES:
        raise NotGraphml(f"The file has more than {MAX_BYTES // 1024**2} MiB.")
    reading = _Reading()
    try:
        for event, element in ElementTree.iterparse(
            BytesIO(written), events=("start", "end"), forbid_dtd=True
        ):
            if event == "start":
                reading.begin(element)
            else:
                reading.end(element)
    except DefusedXmlException as error:
        raise NotGraphml("The file declares a document type or entities. Remove them.") from error
    except ElementTree.ParseError as error:
        raise NotGraphml(f"The file is not GraphML: {str(error)[:200]}") from error
    return reading.whole()


@dataclass(frozen=True, slots=True)
class _Key:
    """What a file declares about the values under one of its keys. `of`: what they belong to.
    `default`: the value of those that have none."""

    name: str
    kind: str
    of: str = "all"
    default: str | None = None

    def value(self, text: str) -> Value:
        """The value. One of the wrong kind stays a text: most values are not used, and the reader
        checks those that are."""
        if self.kind in WHOLE | FRACTION:
            try:
                number = float(text)
            except ValueError:
                return text.strip()
            return int(number) if self.kind in WHOLE and number.is_integer() else number
        return text.strip().lower() in ("true", "1") if self.kind == YES_OR_NO else text


class _Reading:
    """The state of reading. `owners`: the values of what is open, innermost last."""

    def __init__(self) -> None:
        self._graph = Graph()
        self._keys: dict[str, _Key] = {}
        self._owners: list[Values] = []
        self._graphs = self._elements = 0
        self._inside_of: list[str] = []
        self._begins: dict[str, Callable[[Element], Values]] = {
            "graph": self._begin_graph,
            "node": self._begin_node,
            "edge": self._begin_edge,
        }

    def begin(self, element: Element) -> None:
        tag = _tag(element)
        self._inside_of.append(tag)
        self._elements += 1
        if self._elements == 1 and tag != "graphml":
            raise NotGraphml("The file is not GraphML: it starts with another element.")
        if len(self._inside_of) > MAX_DEPTH:
            raise NotGraphml(f"The file is nested more than {MAX_DEPTH} levels deep.")
        if self._elements > MAX_ELEMENTS:
            raise NotGraphml(f"The file has more than {MAX_ELEMENTS:,} elements.")
        if tag == "hyperedge":
            raise NotGraphml("The graph has an edge between more than two nodes. Split it.")
        if tag in self._begins:
            self._owners.append(self._begins[tag](element))

    def end(self, element: Element) -> None:
        tag = self._inside_of.pop()
        if tag == "key":
            self._keys[element.get("id") or ""] = _key(element)
        elif tag == "data" and self._owners and self._inside_of[-1] in self._begins:
            self._take(element, self._owners[-1])
        if tag in self._begins:
            self._owners.pop()
        if tag in self._begins or tag == "data":
            element.clear()

    def whole(self) -> Graph:
        if self._graphs == 0:
            raise NotGraphml("The file is not GraphML: it has no graph.")
        for ends in self._graph.edges:
            for node in ends:
                if node not in self._graph.nodes:
                    raise NotGraphml(
                        f"An edge names “{node[:60]}”, which is not a node of the graph."
                    )
        self._default("graph", [self._graph.about])
        self._default("node", self._graph.nodes.values())
        return self._graph

    def _default(self, of: str, owners: Collection[Values]) -> None:
        for key in self._keys.values():
            if key.default is not None and key.name and key.of in (of, "all"):
                for values in owners:
                    values.setdefault(key.name, key.value(key.default))

    def _begin_graph(self, element: Element) -> Values:
        outermost = "graph" not in self._inside_of[:-1]
        self._graphs += outermost
        if self._graphs > 1:
            raise NotGraphml("The file has more than one graph. Keep one.")
        if outermost and element.get("edgedefault") == "undirected":
            raise NotGraphml(
                "The graph is undirected. Its edges need a direction: the target agent reads "
                "the source."
            )
        return self._graph.about if outermost else {}

    def _begin_node(self, element: Element) -> Values:
        node = element.get("id")
        if not node:
            raise NotGraphml("A node has no id. Add one.")
        if node in self._graph.nodes:
            raise NotGraphml(f"Two nodes have the id “{node[:60]}”.")
        self._graph.nodes[node] = {}
        self._check_size()
        return self._graph.nodes[node]

    def _begin_edge(self, element: Element) -> Values:
        source, target = element.get("source"), element.get("target")
        if not source or not target:
            raise NotGraphml("An edge lacks its source or target node.")
        if element.get("directed") == "false":
            raise NotGraphml(
                "An edge is undirected. It needs a direction: the target agent reads the source."
            )
        self._graph.edges.append((source, target))
        self._check_size()
        return {}

    def _check_size(self) -> None:
        if len(self._graph.nodes) > MAX_AGENTS or len(self._graph.edges) > MAX_EDGES:
            raise NotGraphml(f"The graph has more than {MAX_AGENTS} nodes or {MAX_EDGES:,} edges.")

    def _take(self, element: Element, values: Values) -> None:
        """A value of a node, or the label of yEd's drawing of it."""
        label = next((part for part in element.iter() if _tag(part) == YED_LABEL), None)
        if label is not None:
            values.setdefault("label", (label.text or "").strip())
            return
        key = self._keys.get(element.get("key") or "")
        if key is not None and key.name and len(element) == 0:
            values[key.name] = key.value(element.text or "")


def _key(element: Element) -> _Key:
    default = next((part.text or "" for part in element if _tag(part) == "default"), None)
    return _Key(
        element.get("attr.name") or "",
        element.get("attr.type") or "string",
        element.get("for") or "all",
        default,
    )


def _tag(element: Element) -> str:
    """The name without its namespace."""
    return str(element.tag).rpartition("}")[2]
