"""The interpreter's calls: blocks are made and asked, functions applied, builtins computed."""

import ast
from collections.abc import Iterator, Sequence

from workers.core.scripts import operations
from workers.core.scripts.blocks import Block
from workers.core.scripts.expressions import Expressions
from workers.core.scripts.language import IMPORTS
from workers.core.scripts.making import Making, made_block
from workers.core.scripts.operations import Fault
from workers.core.scripts.problems import excerpt
from workers.core.scripts.state import MOST_ASKS, MOST_DEPTH, TOO_DEEP, Delivered, Stop
from workers.core.scripts.trace import Ask, Branch, Deliver, Item
from workers.core.scripts.values import Function, Named, Said, Scope, Unknown, Value


class Calls(Expressions):
    """Evaluates the calls of a script."""

    def _run(self, statements: Sequence[ast.stmt], scope: Scope) -> bool:
        raise NotImplementedError

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        self._step()
        outer, line = self._line, node.lineno
        self._line = line
        if isinstance(node.func, ast.Attribute):
            held = self._eval(node.func.value, scope)
            arguments, keywords = self._arguments(node, scope)
            self._line = line
            value = self._method(held, node.func.attr, arguments, keywords)
        else:
            called = self._eval(node.func, scope)
            arguments, keywords = self._arguments(node, scope)
            self._line = line
            value = self._called(called, arguments, keywords, node.func)
        self._line = outer
        return value

    def _arguments(self, node: ast.Call, scope: Scope) -> tuple[list[Value], dict[str, Value]]:
        arguments = self._display(node.args, scope)
        keywords = {each.arg: self._eval(each.value, scope) for each in node.keywords if each.arg}
        return arguments, keywords

    def _called(
        self, called: Value, arguments: list[Value], keywords: dict[str, Value], node: ast.expr
    ) -> Value:
        match called:
            case Named(name=name):
                return self._named(name, arguments, keywords)
            case Function():
                return self._applied(called, arguments, keywords)
            case Block():
                if keywords:
                    raise Fault(
                        "bad_argument",
                        "A block is asked with messages alone.",
                        "Write block(message) without names.",
                    )
                return self._ask(called, arguments)
            case Unknown(blocks=()):
                return self._vague(called, *arguments)
            case Unknown(blocks=blocks):
                return self._ask_one(called, blocks, arguments)
            case Said():
                raise Fault(
                    "fails",
                    f"{excerpt(node)} is a message, and can't be called.",
                    "Call the block, and pass the message to it.",
                )
        raise Fault(
            "fails",
            f"{excerpt(node)} can't be called.",
            "Call a block or a function of the script.",
        )

    def _named(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        if name == "deliver":
            return self._deliver(arguments, keywords)
        if name in IMPORTS:
            return self._make(name, arguments, keywords)
        return self._builtin(name, arguments, keywords)

    def _applied(
        self, function: Function, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        if self._depth >= MOST_DEPTH:
            self._problem(*TOO_DEEP)
            raise Stop
        names = operations.bound(function, arguments, keywords)
        body = function.node.body
        scope = Scope(names, function.scope, self._own(function))
        doubt, loops, line = self._doubt, self._loops, self._line
        self._depth += 1
        self._loops = []
        try:
            if not isinstance(body, list):
                return self._eval(body, scope)
            reached = self._run(body, scope)
        except Delivered:
            if not scope.returned:
                raise
            reached = False
        finally:
            self._depth -= 1
            self._loops = loops
            self._doubt = doubt
            self._line = line
        return self._joined([*scope.returned, *[None] * reached]) if scope.returned else None

    def _own(self, function: Function) -> frozenset[str]:
        """The names that a function assigns."""
        node = function.node
        if isinstance(node, ast.Lambda):
            return frozenset()
        if id(node) not in self._locals:
            self._locals[id(node)] = frozenset(_assigned(node.body))
        return self._locals[id(node)]

    def _ask(self, block: Block, arguments: Sequence[Value]) -> Said:
        reads = self._reads(arguments)
        self._asks += 1
        if self._asks > MOST_ASKS:
            self._problem(
                "too_many_calls",
                f"The script asks more than {MOST_ASKS} times.",
                "Ask less often, for example in a shorter loop.",
            )
            raise Stop
        self._into.append(Ask(self._asks, block, tuple(reads), self._line))
        return Said((self._asks,))

    def _ask_one(self, called: Unknown, blocks: Sequence[Block], arguments: list[Value]) -> Said:
        """One of several blocks is asked, and which is not known."""
        said: list[Value] = []
        rest: list[Item] = []
        for block in reversed(blocks):
            items: list[Item] = []
            with self._unsure(items):
                said.append(self._ask(block, arguments))
            rest = [Branch(self._line, called.calls, items, rest)] if len(said) > 1 else items
        self._into += rest if len(blocks) > 1 else [Branch(self._line, called.calls, rest, [])]
        found = self._joined(said)
        return found if isinstance(found, Said) else Said()

    def _reads(self, arguments: Sequence[Value]) -> list[Said | Unknown]:
        reads: list[Said | Unknown] = []
        for value in arguments:
            if isinstance(value, Unknown) and value.is_question:
                continue
            if isinstance(value, Said | Unknown):
                reads.append(value)
            elif isinstance(value, str):
                reads.append(Unknown(shown=value))
            elif isinstance(value, list | tuple):
                if id(value) in self._blurred:
                    reads.append(Unknown(frozenset(self._contents(value).calls)))
                else:
                    self._contents(value)
                    reads += self._reads(value)
            else:
                raise Fault(
                    "bad_argument",
                    f"A block reads messages and texts, not {operations.kind_of(value)}.",
                    "Pass the result of a call, such as checker(answer).",
                )
        return reads

    def _make(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        for test in [*arguments, *keywords.values()]:
            if isinstance(test, Function) and name in {"conditional", "loop"}:
                try:
                    with self._unsure([]):
                        self._applied(test, [Said()], {})
                except Delivered:
                    continue
        making = Making(name, arguments, keywords, self._line)
        return made_block(self.makes, making, self._blurred)

    def _deliver(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        if len(arguments) != 1 or keywords:
            raise Fault("bad_argument", "deliver takes one argument.", "Write deliver(answer).")
        value = arguments[0]
        if isinstance(value, Block):
            value = self._ask(value, ())
        elif isinstance(value, Unknown) and value.blocks:
            value = self._ask_one(value, value.blocks, [])
        elif isinstance(value, str):
            value = Unknown(shown=value)
        if not isinstance(value, Said | Unknown):
            raise Fault(
                "bad_argument",
                f"deliver takes a block, a message or a text, not {operations.kind_of(value)}.",
                "Deliver one message. A number: str(x).",
            )
        self._into.append(Deliver(value, self._line))
        raise Delivered

    def _builtin(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        if name == "print":
            return None
        key = keywords.pop("key", None)
        if isinstance(key, Function | Named):
            return self._by_key(name, arguments, keywords, key)
        return self._structural(name, arguments, keywords)

    def _by_key(
        self, name: str, arguments: list[Value], keywords: dict[str, Value], key: Value
    ) -> Value:
        source = arguments[0] if len(arguments) == 1 else arguments
        held = self._items_of(source)
        keys = [self._called(key, [each], {}, ast.Constant("key")) for each in held]
        reverse = keywords.get("reverse", False)
        if self._contents(*keys).vague or id(source) in self._blurred or not held:
            if name != "sorted":
                return self._joined(held) if held else Unknown()
            made = list(held)
            self._blurred[id(made)] = made
            return made
        order = operations.ordered(keys, reverse=name == "max" or bool(reverse))
        return [held[place] for place in order] if name == "sorted" else held[order[0]]

    def _structural(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Builtins for which what a list holds need not be known."""
        if name in {"list", "tuple", "reversed", "enumerate", "zip", "set", "dict"}:
            return self._collected(name, arguments, keywords)
        if len(arguments) == 1:
            [one] = arguments
            if name == "len" and isinstance(one, list | tuple | dict | set):
                return self._vague(one) if id(one) in self._blurred else len(one)
            if name in {"any", "all"}:
                return self._any_all(name, one)
            if name == "bool":
                holds = self._truth(one)
                return self._vague(one) if holds is None else holds
            if name == "str" and isinstance(one, Said):
                return operations.part(one, "text")
        return self._computed(name, arguments, keywords)

    def _collected(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        unsure = any(self._known_items(each) is None for each in arguments)
        if unsure and (name in {"zip", "enumerate"} or isinstance(arguments[0], Unknown)):
            rows = [self._element(each) for each in arguments]
            row: Value = (Unknown(), rows[0]) if name == "enumerate" else tuple(rows)
            held = row if name in {"zip", "enumerate"} else rows[0]
            return Unknown(frozenset(self._contents(*arguments).calls), each=held)
        made = operations.collected(name, arguments, keywords)
        if unsure or (name == "set" and self._contents(made).vague):
            self._blurred[id(made)] = made
        return made

    def _computed(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        contents = self._contents(*arguments)
        values = self._items_of(arguments[0]) if name in {"max", "min", "sum"} and arguments else []
        if any(isinstance(each, Said) for each in (*arguments, *values)):
            raise operations.no_text(f"given to {name}")
        if not contents.vague:
            return operations.builtin(name, arguments, keywords)
        if name != "sorted":
            return Unknown(frozenset(contents.calls))
        made = list(self._items_of(arguments[0]))
        self._blurred[id(made)] = made
        return made

    def _any_all(self, name: str, source: Value) -> Value:
        held = self._items_of(source)
        truths = [self._truth(each) for each in held]
        decides = name == "any"
        sure = self._known_items(source) is not None
        if decides in truths and sure:
            return decides
        if None in truths or not sure:
            return self._vague(source)
        return not decides

    def _method(
        self, held: Value, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        if isinstance(held, Said):
            raise operations.no_text(f"asked for .{name}(…)")
        if isinstance(held, Unknown):
            return self._vague_method(held, name, arguments)
        if isinstance(held, list | dict | set):
            return self._changed(held, name, arguments, keywords)
        if isinstance(held, str) and name == "join" and len(arguments) == 1:
            self._no_messages(arguments[0])
        contents = self._contents(held, *arguments, *keywords.values())
        if contents.vague:
            return self._vague_method(held, name, arguments)
        return operations.method(held, name, arguments, keywords)

    def _vague_method(self, held: Value, name: str, arguments: Sequence[Value]) -> Unknown:
        calls = frozenset(self._contents(held, *arguments).calls)
        several = {"split", "splitlines", "rsplit", "partition", "rpartition"}
        return Unknown(calls, each=Unknown(calls) if name in several else None)

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
        unsure = id(held) in self._blurred
        if name in operations.CHANGING:
            self._touched(held)
        vague_key = arguments and isinstance(arguments[0], Unknown | Said)
        if name in {"pop", "get", "setdefault"} and (unsure or vague_key):
            others = arguments[1:] if isinstance(held, dict) else []
            found = [*(held.values() if isinstance(held, dict) else held), *others]
            self._blurred[id(held)] = held
            return self._joined(found) if found else Unknown()
        if name in {"keys", "values", "items", "copy"}:
            made = operations.viewed(held, name)
            if unsure:
                self._blurred[id(made)] = made
            return made
        if name in {"extend", "update"} and any(
            self._known_items(each) is None for each in arguments
        ):
            self._blurred[id(held)] = held
            if isinstance(held, list):
                arguments = [self._items_of(each) for each in arguments]
            if any(isinstance(each, Unknown) for each in arguments):
                return None
        compares = name in {
            *("count", "index", "remove", "discard", "sort", "issubset", "issuperset")
        }
        if compares and (keywords or self._contents(held, *arguments).vague):
            if name in {"remove", "discard", "sort"}:
                self._blurred[id(held)] = held
                return None
            return self._vague(held, *arguments)
        found_value = operations.method(held, name, arguments, keywords)
        if isinstance(held, set) and vague_key:
            self._blurred[id(held)] = held
        if isinstance(found_value, set) and self._contents(held, *arguments).vague:
            self._blurred[id(found_value)] = found_value
        self._contents(held)
        return found_value


def _assigned(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that statements assign, without those of functions and comprehensions inside."""
    stack: list[ast.AST] = [*body]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef):
            yield node.name
            continue
        inner = ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
        if not isinstance(node, inner):
            stack += ast.iter_child_nodes(node)
