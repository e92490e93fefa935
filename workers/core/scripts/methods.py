"""Methods of texts, lists, dicts and sets. Where it is not known whether a change happens, or to
which of several, nothing that was inside is lost."""

from collections.abc import Sequence

from workers.core.scripts import operations
from workers.core.scripts.expressions import Expressions
from workers.core.scripts.values import BROKEN, HELD, NOTHING, Held, Said, Unknown, Value

_FEWEST = {"append": 1, "add": 1, "insert": 2, "extend": 1, "setdefault": 1, "remove": 1}


class Methods(Expressions):
    """Evaluates methods of what a script holds."""

    def _by_key(
        self, name: str, arguments: list[Value], keywords: dict[str, Value], key: Value
    ) -> Value:
        raise NotImplementedError

    def _unpacked(self, value: Value, count: int) -> Sequence[Value]:
        raise NotImplementedError

    def _method(
        self, held: Value, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        if isinstance(held, Said):
            raise operations.no_text(f"asked for .{name}(…)")
        if isinstance(held, Unknown):
            return self._method_of_one(held, name, arguments, keywords)
        if isinstance(held, list | dict | set):
            return self._changed(held, name, arguments, keywords)
        if isinstance(held, str) and name == "join" and len(arguments) == 1:
            self._no_messages(arguments[0])
        contents = self._contents(held, *arguments, *keywords.values())
        if contents.vague:
            return self._vague_method(held, name, arguments)
        return operations.method(held, name, arguments, keywords)

    def _method_of_one(
        self, held: Unknown, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """A method of a text, or of one of several lists, dicts and sets."""
        if held is BROKEN or held is NOTHING:
            return held
        found: list[Value] = []
        if held.texts or not held.held:
            found.append(self._vague_method(Unknown(held.calls), name, arguments))
        for each in held.held:
            with self._perhaps():
                found.append(self._method(each, name, arguments, keywords))
        return (
            self._fresh(found)
            if name in {"keys", "values", "items", "copy"}
            else self._joined(found)
        )

    def _vague_method(self, held: Value, name: str, arguments: Sequence[Value]) -> Unknown:
        calls = frozenset(self._contents(held, *arguments).calls)
        several = {"split", "splitlines", "rsplit", "partition", "rpartition"}
        if name in several:
            parts: list[Value] = [Unknown(calls)]
            return Unknown(may=(self._bag(parts),), texts=False)
        return Unknown(calls)

    def _no_messages(self, value: Value) -> None:
        if isinstance(value, list | tuple | set) and any(isinstance(each, Said) for each in value):
            raise operations.no_text("joined")

    def _changed(
        self,
        held: list[Value] | dict[Value, Value] | set[Value],
        name: str,
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> Value:
        operations.has_method(held, name)
        if name in operations.CHANGING:
            if name == "sort" and keywords.get("key") is not None:
                self._by_key("sorted", [held], {}, keywords["key"])
                self._bag(held)
                return None
            if self._loose(held) or self._is_vague(held, name, arguments):
                return self._perhaps_changed(held, name, arguments, keywords)
        return self._looked_up(held, name, arguments, keywords)

    def _looked_up(
        self,
        held: list[Value] | dict[Value, Value] | set[Value],
        name: str,
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> Value:
        unsure = id(held) in self._blurred
        if name == "get" and (unsure or self._contents(*arguments[:1]).vague):
            operations.method(held.copy(), name, arguments, keywords)
            return self._joined([self._element(held, index=True), *(arguments[1:] or [None])])
        if name in {"keys", "values", "items", "copy"}:
            made = operations.viewed(held, name)
            return self._bag(made) if unsure and isinstance(made, HELD) else made
        vague = self._contents(held, *arguments).vague
        if vague and name in {"count", "index", "issubset", "issuperset"}:
            return self._vague(held, *arguments)
        if vague and name in {"union", "difference", "intersection"} and isinstance(held, set):
            more = [each for one in arguments * (name == "union") for each in self._items_of(one)]
            return self._bag({*held, *map(operations.hashable, more)})
        found = operations.method(held, name, arguments, keywords)
        self._contents(held)
        return found

    def _is_vague(self, held: Held, name: str, arguments: list[Value]) -> bool:
        """Whether it is not known what a change does."""
        if name in {"extend", "update"}:
            return (
                isinstance(held, dict)
                or any(self._known_items(each) is None for each in arguments)
                or (isinstance(held, set) and self._contents(*arguments).vague)
            )
        if name in {"remove", "discard", "sort"}:
            return self._contents(held, *arguments).vague
        if name == "pop" and isinstance(held, set):
            return len(held) > 1
        keyed = name in {"pop", "insert", "setdefault", "add"}
        return keyed and self._contents(*arguments[:1]).vague

    def _perhaps_changed(
        self, held: Held, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """A change of which it is not known whether, or where, it happens. Nothing is lost."""
        self.safe = False
        if len(arguments) < _FEWEST.get(name, 0):
            operations.method(held, name, arguments, keywords)
        if name == "update" and isinstance(held, dict):
            if self._doubt:
                self._bag(held)
            for each in arguments:
                self._merge(held, each)
            for key, value in keywords.items():
                self._enter(held, key, value)
            return None
        self._bag(held)
        inside = self._element(held, index=True)
        if name in {"append", "add", "insert"}:
            self._put(held, arguments[-1])
        elif name in {"extend", "update"}:
            for each in arguments:
                for one in self._items_of(each):
                    self._put(held, one)
        elif name == "setdefault":
            value = [*arguments, None][1]
            self._put(held, value, arguments[0])
            return self._joined([inside, value])
        elif name == "pop":
            return self._joined([inside, *arguments[1:]])
        return None

    def _merge(self, made: dict[Value, Value], given: Value) -> None:
        """`update`: a dict, or pairs."""
        for one in given.held if isinstance(given, Unknown) else ():
            self._bag(made)
            with self._perhaps():
                self._merge(made, one)
        if isinstance(given, Unknown):
            return
        if self._known_items(given) is None:
            self._bag(made)
        pairs = given.items() if isinstance(given, dict) else operations.items(given)
        for pair in pairs:
            key, value = self._unpacked(pair, 2)
            self._enter(made, operations.hashable(key), value)
