"""The interpreter's calls: blocks are made and asked, functions applied, builtins computed."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from workers.core.scripts import operations
from workers.core.scripts.blocks import MOST_AGENTS, Block, size
from workers.core.scripts.language import IMPORTS
from workers.core.scripts.making import Making, each_block, made_block
from workers.core.scripts.methods import Methods
from workers.core.scripts.operations import Fault
from workers.core.scripts.problems import excerpt
from workers.core.scripts.state import (
    EXPRESSIONS_OF_A_STEP,
    MOST_ASKS,
    MOST_DEPTH,
    MOST_DRAWN,
    MOST_READ,
    TOO_DEEP,
    Delivered,
    Stop,
)
from workers.core.scripts.trace import Ask, Branch, Deliver, Item, holds_any
from workers.core.scripts.values import (
    BROKEN,
    HELD,
    NOTHING,
    Function,
    Named,
    Said,
    Scope,
    Unknown,
    Value,
)


class Calls(Methods):
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
            if id(arguments) in self._blurred:
                arguments = [self._element(arguments)]
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
                return self._ask(called, [arguments])
            case Unknown():
                return self._called_one(called, arguments, keywords, node)
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
        if id(arguments) in self._blurred:
            inside = self._element(arguments)
            arguments = [self._bag([inside])] if name in {"max", "min"} else [inside]
        return self._builtin(name, arguments, keywords)

    def _applied(
        self, function: Function, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        if self._depth >= MOST_DEPTH:
            self._problem(*TOO_DEEP)
            raise Stop
        names = self._bound(function, arguments, keywords)
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

    def _bound(
        self, function: Function, arguments: list[Value], keywords: dict[str, Value]
    ) -> dict[str, Value]:
        if id(arguments) not in self._blurred:
            return operations.bound(function, arguments, keywords)
        wanted = [arg.arg for arg in function.node.args.args]
        defaults = dict(zip(reversed(wanted), reversed(function.defaults), strict=False))
        inside = self._element(arguments)
        given = {name: self._joined([inside, defaults.get(name, NOTHING)]) for name in wanted}
        return operations.bound(function, [], given | keywords)

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
        self._asked_blocks.setdefault(block, size(block)[0])
        if sum(self._asked_blocks.values()) > MOST_DRAWN:
            self._problem(
                "too_many_agents",
                f"The blocks that are asked hold more than {MOST_DRAWN} agents together.",
                "Make the blocks before the loop, and ask the same ones again.",
            )
            raise Stop
        self._read += sum(max(1, len(read.calls)) for read in reads)
        if self._read > MOST_READ:
            self._problem(
                "too_large",
                f"More than {MOST_READ:,} messages are passed on.",
                "Ask less often, or pass on fewer messages.",
            )
            raise Stop
        self._asked[self._asks] = block.line, self._line
        self._into.append(Ask(self._asks, block, tuple(reads), self._line))
        return Said((self._asks,))

    def _called_one(
        self, called: Unknown, arguments: list[Value], keywords: dict[str, Value], node: ast.expr
    ) -> Value:
        """One of several blocks or functions is called, and which is not known."""
        if called is BROKEN or called is NOTHING:
            return called
        may = [each for each in called.may if isinstance(each, Block | Function | Named)]
        found: list[Value] = []
        ways: list[list[Item]] = []
        faults: list[Fault] = []
        for each in may:
            items: list[Item] = []
            try:
                with self._unsure(items):
                    found.append(self._called(each, arguments, {**keywords}, node))
            except Delivered:
                pass
            except Fault as fault:
                faults.append(fault)
                continue
            ways.append(items)
        if not ways:
            raise faults[0] if faults else _not_known(node)
        rest = ways.pop() if len(ways) > 1 else []
        for items in reversed(ways):
            rest = [Branch(self._line, called.calls, items, rest)]
        if holds_any(rest):
            self._into += rest
        if not found:
            raise Delivered
        return self._joined(found)

    def _reads(self, arguments: Sequence[Value]) -> list[Said | Unknown]:
        reads: list[Said | Unknown] = []
        for value in arguments:
            if isinstance(value, Unknown) and value.is_question:
                continue
            if isinstance(value, Unknown) and value.may:
                reads.append(self._vague(value))
            elif isinstance(value, Said | Unknown):
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
        asked: list[Item] = []
        for test in [*arguments, *keywords.values()]:
            if isinstance(test, Function) and name in {"conditional", "loop"}:
                try:
                    with self._unsure(asked):
                        self._applied(test, [Said()], {})
                except Delivered:
                    continue
        given = [*map(each_block, [*arguments, *keywords.values()])]
        if prod(map(len, given)) > MOST_AGENTS:
            raise Fault(
                "not_known",
                f"The blocks of this {name} are known only when the script runs.",
                "Make the blocks before anyone is asked.",
            )
        made: list[Value] = []
        for way in product(*given):
            placed = [*way[: len(arguments)]]
            named = dict(zip(keywords, way[len(arguments) :], strict=True))
            if id(arguments) in self._blurred:
                self._bag(placed)
            block = made_block(self.makes, Making(name, placed, named, self._line), self._blurred)
            if asked:
                self.makes.tests[block] = asked
            made.append(block)
        calls = self._contents(*arguments, *keywords.values()).calls if len(made) > 1 else ()
        return self._with_calls(self._joined(made), calls)

    def _deliver(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        if len(arguments) != 1 or keywords:
            raise Fault("bad_argument", "deliver takes one argument.", "Write deliver(answer).")
        value = arguments[0]
        if isinstance(value, Block):
            value = self._ask(value, ())
        elif isinstance(value, Unknown) and value.blocks:
            blocks = replace(value, may=value.blocks)
            asked = self._called_one(blocks, [], {}, ast.Constant("deliver"))
            value = self._joined([asked, *[Unknown(value.calls)] * bool(value.calls)])
        elif isinstance(value, str):
            value = Unknown(shown=value)
        elif isinstance(value, Unknown) and value.may:
            value = self._vague(value)
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
            self._check_print(keywords)
            return None
        self._step(sum(map(operations.size, arguments)) / EXPRESSIONS_OF_A_STEP)
        key = keywords.pop("key", None)
        if key is not None:
            return self._by_key(name, arguments, keywords, key)
        return self._structural(name, arguments, keywords)

    def _check_print(self, keywords: dict[str, Value]) -> None:
        for name, value in keywords.items():
            if name not in {"sep", "end", "flush"}:
                raise Fault("bad_argument", f"print has no {name} here.", "Leave it out.")
            if isinstance(value, Unknown):
                self.safe = False
            elif name != "flush" and not (value is None or isinstance(value, str)):
                kind = operations.kind_of(value)
                raise Fault("fails", f"{name} of print is a text, not {kind}.", "Leave it out.")

    def _by_key(
        self, name: str, arguments: list[Value], keywords: dict[str, Value], key: Value
    ) -> Value:
        source = arguments[0] if len(arguments) == 1 else arguments
        held = self._items_of(source)
        keys = [self._called(key, [each], {}, ast.Constant("key")) for each in held]
        reverse = keywords.get("reverse", False)
        if self._contents(*keys).vague or self._known_items(source) is None or not held:
            self.safe = False
            others = [value for word, value in keywords.items() if word == "default"]
            return self._bag(held) if name == "sorted" else self._joined([*held, *others])
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
        if name == "dict":
            return self._dict_of(arguments, keywords)
        sources = arguments if name == "zip" else arguments[:1]
        unsure = any(self._known_items(each) is None for each in sources)
        if unsure and (name in {"zip", "enumerate"} or isinstance(sources[0], Unknown)):
            parts = [self._element(each) for each in sources]
            row: Value = (Unknown(), parts[0]) if name == "enumerate" else tuple(parts)
            held = [row if name in {"zip", "enumerate"} else parts[0]] * (NOTHING not in parts)
            kind = {"set": set, "tuple": tuple}.get(name, list)
            return Unknown(may=(self._bag(kind(map(operations.hashable, held))),), texts=False)
        found = operations.collected(name, arguments, keywords)
        vague = self._contents(found).vague if name == "set" else unsure
        return self._bag(found) if vague and isinstance(found, HELD) else found

    def _dict_of(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        made: dict[Value, Value] = {}
        for each in arguments:
            self._merge(made, each)
        for key, value in keywords.items():
            self._enter(made, key, value)
        return made

    def _computed(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        contents = self._contents(*arguments, *keywords.values())
        picks = name in {"max", "min", "sum"}
        values = self._items_of(arguments[0]) if picks and len(arguments) == 1 else arguments
        if any(isinstance(each, Said) for each in (*arguments, *values)):
            raise operations.no_text(f"given to {name}")
        if not contents.vague:
            return operations.builtin(name, arguments, keywords)
        if name == "sorted":
            return self._bag(self._items_of(arguments[0]))
        found = self._joined(values) if picks else None
        may = found.may if isinstance(found, Unknown) else ()
        return Unknown(frozenset(contents.calls), may)

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


def _not_known(node: ast.expr) -> Fault:
    return Fault(
        "not_known",
        f"What {excerpt(node)} calls is known only when the script runs.",
        "Call a block or a function by its name.",
    )


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
