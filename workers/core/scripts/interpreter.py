"""Goes through a checked script without running it: an abstract interpreter.

What is known is computed: loops are unrolled, blocks are made by the constructors of `blocks.py`.
What waits for a reply is gone through on every path, and what the paths leave is joined. So the
trace has all that the script may ask, and says what is certain.

The interpreter never uses exec or eval. Steps, calls, agents and the sizes of values are bounded.
"""

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from workers.core.events.scripts import ScriptProblem
from workers.core.scripts import operations
from workers.core.scripts.blocks import MOST_AGENTS, Block
from workers.core.scripts.language import BUILTINS, IMPORTS
from workers.core.scripts.making import AFTER_FAULT, TOO_MANY, Makes, made_block
from workers.core.scripts.operations import Fault
from workers.core.scripts.problems import MOST_PROBLEMS, excerpt, quoted
from workers.core.scripts.trace import Ask, Branch, Deliver, Item, Repeat, holds_any
from workers.core.scripts.values import (
    BROKEN,
    QUESTION,
    Contents,
    Function,
    Named,
    Said,
    Scope,
    TooLarge,
    Unknown,
    Value,
    joined,
    truth,
)

MOST_STEPS = 20_000
MOST_ASKS = 500
MOST_DEPTH = 24
"""Functions that call each other."""
_MOST_PASSES = 12
_INNER_PASSES = 2
"""How often a loop is gone through that may go on for ever, and one inside such a loop."""


class Stop(Exception):
    """The script can't be gone through further."""


class _Delivered(Exception):
    """Every path has delivered."""


@dataclass(slots=True)
class _Loop:
    """A loop that is gone through: the names where it was left, and where a pass was cut short."""

    left: list[dict[str, Value]] = field(default_factory=list)
    skipped: list[dict[str, Value]] = field(default_factory=list)
    unsure: bool = False


class Interpreter:
    """One script. After `play`, `items` is its trace and `problems` are its faults. `tools`: those
    that an agent may be given; None: all."""

    def __init__(self, tree: ast.Module, tools: Collection[str] | None) -> None:
        self.items: list[Item] = []
        self.problems: list[ScriptProblem] = []
        self.makes = Makes(tools)
        self._tree = tree
        self._asks = 0
        self._steps = 0
        self._depth = 0
        self._doubt = 0
        self._endless = 0
        self._line = 1
        self._into = self.items
        self._loops: list[_Loop] = []
        self._blurred: dict[int, Value] = {}
        self._locals: dict[int, frozenset[str]] = {}

    def play(self) -> None:
        scope = Scope({name: Named(name) for name in BUILTINS})
        try:
            self._run(self._tree.body, scope)
        except (_Delivered, Stop):
            return
        except TooLarge:
            self._problem(*_TOO_LARGE)
        except RecursionError:
            self._problem(*_TOO_DEEP)
        else:
            if not self.problems and not _delivers(self.items):
                self._problem(
                    "no_delivery",
                    "The script ends without delivering an answer.",
                    "End it with deliver(…).",
                    line=None,
                )

    # Problems and bounds.

    def _problem(self, code: str, message: str, remedy: str, line: int | None = -1) -> None:
        line = self._line if line == -1 else line
        found = ScriptProblem(code=code, message=message, remedy=remedy, line=line)
        if found not in self.problems:
            self.problems.append(found)
        if len(self.problems) >= MOST_PROBLEMS:
            raise Stop

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            self._problem(
                "never_ends",
                f"The script takes more than {MOST_STEPS:,} steps.",
                "Let the loop end: count its passes, or use for … in range(3).",
            )
            raise Stop

    @contextmanager
    def _unsure(self, into: list[Item]) -> Iterator[None]:
        """What is done inside may or may not happen."""
        before, self._into = self._into, into
        self._doubt += 1
        try:
            yield
        finally:
            self._into = before
            self._doubt -= 1

    def _touched(self, value: Value) -> None:
        """A list, dict or set was changed: where that is not certain, what it holds isn't."""
        if self._doubt:
            self._blurred[id(value)] = value

    def _truth(self, value: Value) -> bool | None:
        return truth(value, self._blurred)

    def _joined(self, values: Sequence[Value]) -> Value:
        return joined(values, self._blurred)

    def _contents(self, *values: Value) -> Contents:
        contents = Contents()
        for value in values:
            contents.add(value, self._blurred)
        return contents

    # Statements. Each returns whether the next one may be reached.

    def _run(self, statements: Sequence[ast.stmt], scope: Scope) -> bool:
        for statement in statements:
            self._step()
            self._line = statement.lineno
            try:
                goes_on = self._statement(statement, scope)
            except Fault as fault:
                if fault.code != AFTER_FAULT:
                    self._problem(fault.code, fault.message, fault.remedy)
                if fault.code == TOO_MANY:
                    raise Stop from None
                self._unknown_targets(statement, scope)
                goes_on = not isinstance(statement, ast.Return)
            if not goes_on:
                return False
        return True

    def _statement(self, node: ast.stmt, scope: Scope) -> bool:
        match node:
            case ast.Expr(value=value):
                self._eval(value, scope)
            case ast.Assign(targets=targets, value=value):
                found = self._eval(value, scope)
                for target in targets:
                    self._assign(target, found, scope)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, self._eval(value, scope), scope)
            case ast.AugAssign():
                self._augmented(node, scope)
            case ast.If():
                return self._if(node, scope)
            case ast.For():
                return self._for(node, scope)
            case ast.While():
                return self._while(node, scope)
            case ast.Break() | ast.Continue():
                loop = self._loops[-1]
                ends = loop.left if isinstance(node, ast.Break) else loop.skipped
                ends.append(dict(scope.names))
                return False
            case ast.Return(value=returned):
                scope.returned.append(self._eval(returned, scope) if returned else None)
                return False
            case ast.FunctionDef(name=name):
                scope.names[name] = self._function(node, scope)
            case ast.ImportFrom(names=names):
                for alias in names:
                    wanted = alias.name
                    scope.names[wanted] = QUESTION if wanted == "question" else Named(wanted)
        return True

    def _unknown_targets(self, node: ast.stmt, scope: Scope) -> None:
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                scope.names[each.id] = BROKEN

    def _assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        match target:
            case ast.Name(id=name):
                scope.names[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part, one in zip(parts, self._unpacked(value, len(parts)), strict=True):
                    self._assign(part, one, scope)
            case ast.Subscript(value=inner, slice=index):
                held, key = self._eval(inner, scope), self._eval(index, scope)
                self._touched(held)
                if isinstance(key, Unknown | Said) and isinstance(held, list | dict):
                    self._blurred[id(held)] = held
                operations.set_item(held, key, value)
                self._contents(held)

    def _unpacked(self, value: Value, count: int) -> Sequence[Value]:
        known = self._known_items(value)
        if known is None:
            return [self._element(value)] * count
        if len(known) != count:
            raise Fault(
                "fails",
                f"{len(known)} values are assigned to {count} names.",
                "Write one name for each value.",
            )
        return known

    def _augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        read = _as_read(node.target)
        before, value = self._eval(read, scope), self._eval(node.value, scope)
        if isinstance(before, list) and isinstance(node.op, ast.Add):
            before += self._items_of(value)
            self._touched(before)
            self._contents(before)
            return
        self._assign(node.target, self._binary(node.op, before, value), scope)

    def _if(self, node: ast.If, scope: Scope) -> bool:
        test = self._eval(node.test, scope)
        holds = self._truth(test)
        if holds is not None:
            return self._run(node.body if holds else node.orelse, scope)
        before = dict(scope.names)
        then, then_ends = self._path(node.body, scope)
        after_then, scope.names = scope.names, before
        otherwise, otherwise_ends = self._path(node.orelse, scope)
        self._branched(node.lineno, test, then, otherwise)
        ends = (then_ends, otherwise_ends)
        if ends == ("goes_on", "goes_on"):
            self._join_names(scope, [after_then, scope.names])
            return True
        if then_ends == "goes_on":
            scope.names = after_then
        if "goes_on" in ends:
            if "left" in ends:
                self._doubt += 1
                if self._loops:
                    self._loops[-1].unsure = True
            return True
        if ends == ("delivered", "delivered"):
            raise _Delivered
        return False

    def _path(self, body: Sequence[ast.stmt], scope: Scope) -> tuple[list[Item], str]:
        items: list[Item] = []
        doubt = self._doubt
        try:
            with self._unsure(items):
                goes_on = self._run(body, scope)
        except _Delivered:
            return items, "delivered"
        finally:
            self._doubt = doubt
        return items, "goes_on" if goes_on else "left"

    def _branched(self, line: int, test: Value, then: list[Item], otherwise: list[Item]) -> None:
        waits = frozenset(self._contents(test).calls)
        self._into.append(Branch(line, waits, then, otherwise))

    def _join_names(self, scope: Scope, ways: Sequence[dict[str, Value]]) -> None:
        names = dict.fromkeys(name for way in ways for name in way)
        scope.names = {
            name: self._joined([way[name] for way in ways if name in way]) for name in names
        }

    # Loops.

    def _for(self, node: ast.For, scope: Scope) -> bool:
        source = self._eval(node.iter, scope)
        known = self._known_items(source)
        if known is None:
            return self._for_unknown(node, source, scope)

        def bound(value: Value) -> Callable[[], bool]:
            def bind() -> bool:
                self._assign(node.target, value, scope)
                return True

            return bind

        return self._loop(node, scope, [bound(value) for value in known], len(known))

    def _loop(
        self,
        node: ast.For | ast.While,
        scope: Scope,
        passes: Sequence[Callable[[], bool]],
        most: int,
    ) -> bool:
        """Passes whose number is known, unless one is left on a path of many."""
        loop, items = _Loop(), list[Item]()
        doubt, before, returned = self._doubt, self._into, len(scope.returned)
        self._loops.append(loop)
        self._into = items
        reached = True
        try:
            for bind in passes:
                bind()
                if not self._pass(node, loop, scope):
                    reached = False
                    break
        finally:
            self._into = before
            self._loops.pop()
            self._doubt = doubt + (len(scope.returned) > returned)
            self._kept(node, loop, items, most)
        return self._after(node, loop, scope, reached=reached)

    def _kept(
        self, node: ast.For | ast.While, loop: _Loop, items: list[Item], most: int | None
    ) -> None:
        if loop.unsure and holds_any(items):
            kind: Literal["for", "while"] = "for" if isinstance(node, ast.For) else "while"
            self._into.append(Repeat(kind, node.lineno, most, items))
        else:
            self._into += items

    def _pass(self, node: ast.For | ast.While, loop: _Loop, scope: Scope) -> bool:
        """Whether another pass may follow."""
        self._step()
        loop.skipped = []
        ways = []
        self.makes.passes[node.lineno] = 0
        try:
            if self._run(node.body, scope):
                ways.append(scope.names)
        except _Delivered:
            if not (loop.skipped or loop.left or scope.returned):
                raise
        finally:
            self.makes.passes.pop(node.lineno, None)
        return self._go_on(scope, [*loop.skipped, *ways])

    def _go_on(self, scope: Scope, ways: Sequence[dict[str, Value]]) -> bool:
        """After several ways, if there is one."""
        if len(ways) > 1:
            self._join_names(scope, ways)
        elif ways:
            scope.names = ways[0]
        return bool(ways)

    def _after(
        self, node: ast.For | ast.While, loop: _Loop, scope: Scope, *, reached: bool
    ) -> bool:
        """`reached`: the loop may come to its own end, where `else` follows."""
        ways = list(loop.left)
        try:
            if reached and self._run(node.orelse, scope):
                ways.append(scope.names)
        except _Delivered:
            if not ways:
                raise
        return self._go_on(scope, ways)

    def _for_unknown(self, node: ast.For, source: Value, scope: Scope) -> bool:
        loop, items = _Loop(unsure=True), list[Item]()
        loop.left.append(dict(scope.names))
        element = self._element(source)
        self._loops.append(loop)
        try:
            with self._open(items):
                for _ in range(_INNER_PASSES):
                    self._assign(node.target, element, scope)
                    if not self._pass(node, loop, scope):
                        break
                    loop.left.append(dict(scope.names))
        except _Delivered:
            pass
        finally:
            self._loops.pop()
        self._kept(node, loop, items, None)
        scope.names = loop.left[0]
        return self._after(node, loop, scope, reached=bool(node.orelse))

    @contextmanager
    def _open(self, items: list[Item]) -> Iterator[None]:
        """A loop whose passes nobody can count."""
        doubt = self._doubt
        self._endless += 1
        try:
            with self._unsure(items):
                yield
        finally:
            self._endless -= 1
            self._doubt = doubt

    def _while(self, node: ast.While, scope: Scope) -> bool:
        loop, items = _Loop(), list[Item]()
        doubt, before, returned = self._doubt, self._into, len(scope.returned)
        self._loops.append(loop)
        self._into = items
        passes, unsure_passes = 0, 0
        most: int | None = None
        reached = True
        try:
            while True:
                self._line = node.lineno
                holds = self._truth(self._eval(node.test, scope))
                if holds is False:
                    most = passes
                    break
                if holds is None:
                    loop.unsure = True
                    loop.left.append(dict(scope.names))
                    self._doubt = max(self._doubt, doubt + 1)
                unsure_passes += loop.unsure
                passes += 1
                self._endless += loop.unsure
                try:
                    more = self._pass(node, loop, scope)
                finally:
                    self._endless -= loop.unsure
                if not more:
                    most, reached = passes, False
                    break
                grows = loop.unsure and (
                    self.makes.agents > MOST_AGENTS // 2 or self._asks > MOST_ASKS // 2
                )
                limit = _INNER_PASSES if self._endless else _MOST_PASSES
                if grows or unsure_passes >= limit:
                    reached = False
                    break
        finally:
            self._into = before
            self._loops.pop()
            self._doubt = doubt + (len(scope.returned) > returned)
            self._kept(node, loop, items, most)
        return self._after(node, loop, scope, reached=reached)

    # Expressions.

    def _eval(self, node: ast.expr, scope: Scope) -> Value:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._name(name, scope)
            case ast.Call():
                return self._call(node, scope)
            case ast.Attribute(value=inner, attr=attr):
                return operations.part(self._eval(inner, scope), attr)
            case ast.JoinedStr(values=parts):
                return self._formatted(parts, scope)
            case ast.List(elts=elts):
                return self._display(elts, scope)
            case ast.Tuple(elts=elts):
                return tuple(self._display(elts, scope))
            case ast.Set(elts=elts):
                return self._hashed(self._display(elts, scope), set)
            case ast.Dict(keys=keys, values=values):
                return self._dict(keys, values, scope)
            case ast.Lambda():
                return self._function(node, scope)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._either(self._eval(test, scope), body, orelse, scope)
            case ast.BoolOp():
                return self._boolean(node, scope)
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(op, self._eval(operand, scope))
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self._eval(left, scope), self._eval(right, scope))
            case ast.Compare():
                return self._compare(node, scope)
            case ast.Subscript(value=inner, slice=index):
                return self._item(self._eval(inner, scope), index, scope)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self._comprehension(node, scope)
        raise Fault("not_allowed", f"{excerpt(node)} can't be used here.", "Write it otherwise.")

    def _name(self, name: str, scope: Scope) -> Value:
        place: Scope | None = scope
        while place is not None:
            if name in place.names:
                return place.names[name]
            if name in place.own:
                break
            place = place.above
        raise Fault(
            "unknown_name",
            f"{quoted(name)} has no value yet.",
            "Import it at the top." if name in IMPORTS else "Assign it on a line before.",
        )

    def _display(self, elts: Sequence[ast.expr], scope: Scope) -> list[Value]:
        found: list[Value] = []
        unsure = False
        for each in elts:
            if isinstance(each, ast.Starred):
                value = self._eval(each.value, scope)
                unsure = unsure or self._known_items(value) is None
                found += self._items_of(value)
            else:
                found.append(self._eval(each, scope))
        if unsure:
            self._blurred[id(found)] = found
        return found

    def _hashed(self, items: list[Value], kind: type[set[Value]]) -> Value:
        made = kind(operations.hashable(item) for item in items)
        if id(items) in self._blurred or any(isinstance(item, Unknown | Said) for item in items):
            self._blurred[id(made)] = made
        return made

    def _dict(
        self, keys: Sequence[ast.expr | None], values: Sequence[ast.expr], scope: Scope
    ) -> dict[Value, Value]:
        made: dict[Value, Value] = {}
        for key, value in zip(keys, values, strict=True):
            if key is not None:
                found = operations.hashable(self._eval(key, scope))
                made[found] = self._eval(value, scope)
                if isinstance(found, Unknown):
                    self._blurred[id(made)] = made
        return made

    def _formatted(self, parts: Sequence[ast.expr], scope: Scope) -> Value:
        texts: list[str] = []
        values: list[Value] = []
        for part in parts:
            if isinstance(part, ast.Constant):
                texts.append(str(part.value))
            elif isinstance(part, ast.FormattedValue):
                value = self._eval(part.value, scope)
                values.append(value)
                contents = self._contents(value)
                if contents.vague or not _has_text(value):
                    shown = value.shown if isinstance(value, Unknown) else ""
                    texts.append(shown or "{" + excerpt(part.value)[1:-1] + "}")
                else:
                    texts.append(self._one_formatted(part, value))
            if sum(map(len, texts)) > operations.MOST_TEXT:
                raise TooLarge
        contents = self._contents(*values)
        text = "".join(texts)
        if contents.vague or not all(map(_has_text, values)):
            return Unknown(frozenset(contents.calls), shown=text)
        return text

    def _one_formatted(self, part: ast.FormattedValue, value: Value) -> str:
        spec = ""
        if isinstance(part.format_spec, ast.JoinedStr):
            spec = "".join(
                str(each.value)
                for each in part.format_spec.values
                if isinstance(each, ast.Constant)
            )
        if part.conversion in {ord("r"), ord("a")}:
            value = repr(value)
        return operations.guarded(lambda: format(value, spec))

    def _either(self, test: Value, then: ast.expr, otherwise: ast.expr, scope: Scope) -> Value:
        holds = self._truth(test)
        if holds is not None:
            return self._eval(then if holds else otherwise, scope)
        ways: list[list[Item]] = []
        values: list[Value] = []
        for side in (then, otherwise):
            items: list[Item] = []
            ways.append(items)
            try:
                with self._unsure(items):
                    values.append(self._eval(side, scope))
            except _Delivered:
                continue
        if any(map(holds_any, ways)):
            self._branched(self._line, test, *ways)
        if not values:
            raise _Delivered
        return self._with_calls(self._joined(values), self._contents(test).calls)

    def _with_calls(self, value: Value, calls: Collection[int]) -> Value:
        if isinstance(value, Unknown) and not value.blocks:
            return Unknown(value.calls | frozenset(calls), value.blocks, value.each, value.shown)
        return value

    def _boolean(self, node: ast.BoolOp, scope: Scope) -> Value:
        decides = isinstance(node.op, ast.Or)
        value: Value = None
        unknown: list[Value] = []
        for operand in node.values:
            if unknown:
                items: list[Item] = []
                try:
                    with self._unsure(items):
                        value = self._eval(operand, scope)
                except _Delivered:
                    value = Unknown()
                if holds_any(items):
                    self._branched(self._line, unknown[-1], items, [])
            else:
                value = self._eval(operand, scope)
            holds = self._truth(value)
            if holds is decides:
                if unknown and value is not decides:
                    return self._vague(*unknown, value)
                return value
            if holds is None:
                unknown.append(value)
        return self._vague(*unknown) if unknown else value

    def _vague(self, *values: Value) -> Unknown:
        return Unknown(frozenset(self._contents(*values).calls))

    def _unary(self, op: ast.unaryop, value: Value) -> Value:
        if isinstance(op, ast.Not):
            holds = self._truth(value)
            return self._vague(value) if holds is None else not holds
        if isinstance(value, Unknown):
            return self._vague(value)
        return operations.unary(op, value)

    def _binary(self, op: ast.operator, left: Value, right: Value) -> Value:
        sequences = isinstance(left, list | tuple) and isinstance(right, list | tuple)
        if isinstance(op, ast.Add) and sequences:
            made = operations.added(left, right)
            if id(left) in self._blurred or id(right) in self._blurred:
                self._blurred[id(made)] = made
            self._contents(made)
            return made
        for side in (left, right):
            if isinstance(side, Said):
                raise operations.no_text("joined with “+” or computed with")
        contents = self._contents(left, right)
        repeats = isinstance(op, ast.Mult) and isinstance(left, list | tuple)
        if (
            isinstance(left, Unknown)
            or isinstance(right, Unknown)
            or (contents.vague and not repeats)
        ):
            shown = ""
            if isinstance(op, ast.Add):
                texts = [
                    s if isinstance(s, str) else getattr(s, "shown", "") for s in (left, right)
                ]
                shown = "".join(texts) if all(texts) else ""
            return Unknown(frozenset(contents.calls), shown=shown[: operations.MOST_TEXT])
        return operations.binary(op, left, right)

    def _compare(self, node: ast.Compare, scope: Scope) -> Value:
        left = self._eval(node.left, scope)
        unknown: list[Value] = []
        for op, operand in zip(node.ops, node.comparators, strict=True):
            right = self._eval(operand, scope)
            known = self._compared(op, left, right)
            if known is False:
                return False
            if known is None:
                unknown += [left, right]
            left = right
        return self._vague(*unknown) if unknown else True

    def _compared(self, op: ast.cmpop, left: Value, right: Value) -> bool | None:
        if isinstance(op, ast.Is | ast.IsNot):
            if isinstance(left, Unknown) or isinstance(right, Unknown):
                return None
            return (left is right) is isinstance(op, ast.Is)
        if isinstance(op, ast.In | ast.NotIn) and isinstance(right, Said):
            raise operations.no_text("searched")
        if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            if isinstance(left, Said) or isinstance(right, Said):
                raise operations.no_text("compared by size")
        if self._contents(left, right).vague:
            return None
        return operations.compare(op, left, right)

    def _item(self, held: Value, index: ast.expr, scope: Scope) -> Value:
        if isinstance(index, ast.Slice):
            bounds = [
                None if each is None else self._eval(each, scope)
                for each in (index.lower, index.upper, index.step)
            ]
            if isinstance(held, Said):
                raise operations.no_text("cut")
            if isinstance(held, Unknown) or any(isinstance(each, Unknown) for each in bounds):
                return self._vague(held, *bounds) if isinstance(held, str | Unknown) else held
            if id(held) in self._blurred:
                return held
            return operations.item(held, operations.made_slice(*bounds))
        key = self._eval(index, scope)
        if isinstance(held, Said):
            raise operations.no_text("indexed")
        if isinstance(held, Unknown):
            return self._element(held)
        if isinstance(key, Unknown) or id(held) in self._blurred:
            return self._element(held)
        return operations.item(held, key)

    # What holds several values.

    def _known_items(self, value: Value) -> list[Value] | None:
        """What a value holds, in order; None: how many are not known."""
        if id(value) in self._blurred or isinstance(value, Unknown):
            return None
        return operations.items(value)

    def _items_of(self, value: Value) -> list[Value]:
        known = self._known_items(value)
        if known is not None:
            return known
        if isinstance(value, Unknown):
            return [self._element(value)]
        return operations.items(value)

    def _element(self, value: Value) -> Value:
        """What one of the things that a value holds may be."""
        if isinstance(value, Unknown):
            return value.each if value.each is not None else Unknown(value.calls)
        if isinstance(value, dict):
            return self._joined([*value.values()]) if value else Unknown()
        held = operations.items(value)
        return self._joined(held) if held else Unknown()

    def _comprehension(
        self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp, scope: Scope
    ) -> Value:
        inner = Scope(above=scope)
        found: list[Value] = []
        sure = self._generated(node, node.generators, inner, found)
        if isinstance(node, ast.DictComp):
            made: dict[Value, Value] = {}
            for each in found:
                key, value = operations.items(each)
                made[operations.hashable(key)] = value
                sure = sure and not isinstance(key, Unknown)
            if not sure:
                self._blurred[id(made)] = made
            return made
        if not sure:
            self._blurred[id(found)] = found
        return self._hashed(found, set) if isinstance(node, ast.SetComp) else found

    def _generated(
        self,
        node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp,
        generators: Sequence[ast.comprehension],
        scope: Scope,
        found: list[Value],
    ) -> bool:
        """Adds what is made; returns whether it is known how much that is."""
        if not generators:
            self._step()
            if isinstance(node, ast.DictComp):
                found.append((self._eval(node.key, scope), self._eval(node.value, scope)))
            else:
                found.append(self._eval(node.elt, scope))
            return True
        first, rest = generators[0], generators[1:]
        source = self._eval(first.iter, scope)
        known = self._known_items(source)
        if known is not None:
            sure = True
            for value in known:
                self._step()
                self._assign(first.target, value, scope)
                sure = self._kept_by(node, first.ifs, rest, scope, found) and sure
            return sure
        items: list[Item] = []
        try:
            with self._open(items):
                self._assign(first.target, self._element(source), scope)
                self._kept_by(node, first.ifs, rest, scope, found)
        except _Delivered:
            pass
        if holds_any(items):
            self._into.append(Repeat("for", self._line, None, items))
        return False

    def _kept_by(
        self,
        node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp,
        tests: Sequence[ast.expr],
        rest: Sequence[ast.comprehension],
        scope: Scope,
        found: list[Value],
    ) -> bool:
        for place, test in enumerate(tests):
            value = self._eval(test, scope)
            holds = self._truth(value)
            if holds is False:
                return True
            if holds is None:
                items: list[Item] = []
                try:
                    with self._unsure(items):
                        self._kept_by(node, tests[place + 1 :], rest, scope, found)
                except _Delivered:
                    pass
                if holds_any(items):
                    self._branched(self._line, value, items, [])
                return False
        return self._generated(node, rest, scope, found)

    # Calls.

    def _function(self, node: ast.FunctionDef | ast.Lambda, scope: Scope) -> Function:
        return Function(
            node, scope, tuple(self._eval(default, scope) for default in node.args.defaults)
        )

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
            case Block():
                if keywords:
                    raise Fault(
                        "bad_argument",
                        "A block is asked with messages alone.",
                        "Write block(message) without names.",
                    )
                return self._ask(called, arguments)
            case Named(name="deliver"):
                return self._deliver(arguments, keywords)
            case Named(name=name) if name in IMPORTS:
                return self._make(name, arguments, keywords)
            case Named(name=name):
                return self._builtin(name, arguments, keywords)
            case Function():
                return self._applied(called, arguments, keywords)
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

    def _applied(
        self, function: Function, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        if self._depth >= MOST_DEPTH:
            self._problem(*_TOO_DEEP)
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
        except _Delivered:
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
            if len(said) > 1:
                rest = [Branch(self._line, called.calls, items, rest)]
            else:
                rest = items
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
                except _Delivered:
                    continue
        return made_block(self.makes, name, arguments, keywords, self._line, self._blurred)

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
        raise _Delivered

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
            unsure = any(self._known_items(each) is None for each in arguments[:8])
            if unsure and (name in {"zip", "enumerate"} or isinstance(arguments[0], Unknown)):
                rows = [self._element(each) for each in arguments]
                row: Value = (Unknown(), rows[0]) if name == "enumerate" else tuple(rows)
                each = row if name in {"zip", "enumerate"} else rows[0]
                return Unknown(frozenset(self._contents(*arguments).calls), each=each)
            made = operations.collected(name, arguments, keywords)
            if unsure or (name == "set" and self._contents(made).vague):
                self._blurred[id(made)] = made
            return made
        if name == "len" and len(arguments) == 1 and id(arguments[0]) not in self._blurred:
            if isinstance(arguments[0], list | tuple | dict | set):
                return len(arguments[0])
        if name == "bool" and len(arguments) == 1:
            holds = self._truth(arguments[0])
            return self._vague(arguments[0]) if holds is None else holds
        if name == "str" and len(arguments) == 1 and isinstance(arguments[0], Said):
            return operations.part(arguments[0], "text")
        if name in {"any", "all"} and len(arguments) == 1:
            return self._any_all(name, arguments[0])
        contents = self._contents(*arguments)
        if any(isinstance(each, Said) for each in arguments) and name not in {"max", "min"}:
            raise operations.no_text(f"given to {name}")
        if contents.vague:
            if name in {"max", "min", "sum"}:
                held = self._items_of(arguments[0])
                if any(isinstance(each, Said) for each in held):
                    raise operations.no_text(f"given to {name}")
            if name == "sorted":
                made = list(self._items_of(arguments[0]))
                self._blurred[id(made)] = made
                return made
            return Unknown(frozenset(contents.calls))
        return operations.builtin(name, arguments, keywords)

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
        if name in {"extend", "update"}:
            if any(self._known_items(each) is None for each in arguments):
                self._blurred[id(held)] = held
                arguments = [
                    self._items_of(each) if isinstance(held, list) else each for each in arguments
                ]
                if any(isinstance(each, Unknown) for each in arguments):
                    return None
        if name in {"count", "index", "remove", "discard", "sort", "issubset", "issuperset"}:
            if self._contents(held, *arguments).vague or keywords:
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


_TOO_DEEP = (
    "too_deep",
    "Functions call each other, or values hold each other, without end.",
    "Write a loop instead of a function that calls itself.",
)
_TOO_LARGE = (
    "too_large",
    "A text, a list or a number becomes too large.",
    "Make it smaller. A team has at most 64 agents.",
)


def _delivers(items: Sequence[Item]) -> bool:
    for item in items:
        if isinstance(item, Deliver):
            return True
        if isinstance(item, Branch) and (_delivers(item.then) or _delivers(item.otherwise)):
            return True
        if isinstance(item, Repeat) and _delivers(item.items):
            return True
    return False


def _has_text(value: Value) -> bool:
    """Whether a text can be made of it before the script runs."""
    return not isinstance(value, Block | Function | Named)


def _as_read(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    return target


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
