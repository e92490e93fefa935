"""The interpreter's expressions: computed where all is known, joined where it isn't."""

import ast
from collections.abc import Collection, Sequence
from dataclasses import replace

from workers.core.scripts import operations
from workers.core.scripts.blocks import Block
from workers.core.scripts.language import IMPORTS
from workers.core.scripts.operations import Fault
from workers.core.scripts.problems import excerpt, quoted
from workers.core.scripts.state import EXPRESSIONS_OF_A_STEP, Delivered, State
from workers.core.scripts.trace import Item, Repeat, holds_any
from workers.core.scripts.values import (
    BROKEN,
    NOTHING,
    Function,
    Named,
    Said,
    Scope,
    TooLarge,
    Unknown,
    Value,
)


class Expressions(State):
    """Evaluates the expressions of a script, but for calls."""

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        raise NotImplementedError

    def _assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        raise NotImplementedError

    def _function(self, node: ast.FunctionDef | ast.Lambda, scope: Scope) -> Function:
        return Function(
            node, scope, tuple(self._eval(default, scope) for default in node.args.defaults)
        )

    def _eval(self, node: ast.expr, scope: Scope) -> Value:
        self._steps += 1 / EXPRESSIONS_OF_A_STEP
        value: Value
        match node:
            case ast.Constant(value=value):
                pass
            case ast.Name(id=name):
                value = self._name(name, scope)
            case ast.Call():
                value = self._call(node, scope)
            case ast.Attribute(value=inner, attr=attr):
                value = self._part(self._eval(inner, scope), attr)
            case ast.JoinedStr(values=parts):
                value = self._formatted(parts, scope)
            case ast.Subscript(value=inner, slice=index):
                value = self._item(self._eval(inner, scope), index, scope)
            case ast.Lambda():
                value = self._function(node, scope)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                value = self._collection(node, scope)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                value = self._comprehension(node, scope)
            case _:
                value = self._operation(node, scope)
        self.safe = self.safe and (_never_fails(node) or self._is_sure(value))
        return value

    def _part(self, value: Value, name: str) -> Value:
        self.safe = self.safe and isinstance(value, Said)
        return operations.part(value, name)

    def _operation(self, node: ast.expr, scope: Scope) -> Value:
        match node:
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
        raise Fault("not_allowed", f"{excerpt(node)} can't be used here.", "Write it otherwise.")

    def _collection(self, node: ast.List | ast.Tuple | ast.Set | ast.Dict, scope: Scope) -> Value:
        if isinstance(node, ast.Dict):
            return self._dict(node.keys, node.values, scope)
        held = self._display(node.elts, scope)
        if isinstance(node, ast.Set):
            return self._hashed(held, set)
        return tuple(held) if isinstance(node, ast.Tuple) else held

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
                if len(found) > operations.MOST_ITEMS:
                    raise TooLarge
            else:
                found.append(self._eval(each, scope))
        return self._bag(found) if unsure else found

    def _hashed(self, items: list[Value], kind: type[set[Value]]) -> Value:
        made = kind(operations.hashable(item) for item in items)
        return self._bag(made) if self._contents(items).vague else made

    def _dict(
        self, keys: Sequence[ast.expr | None], values: Sequence[ast.expr], scope: Scope
    ) -> dict[Value, Value]:
        made: dict[Value, Value] = {}
        for key, value in zip(keys, values, strict=True):
            if key is not None:
                found = operations.hashable(self._eval(key, scope))
                self._enter(made, found, self._eval(value, scope))
        return made

    def _enter(self, made: dict[Value, Value], key: Value, value: Value) -> None:
        if id(made) in self._blurred or (made and self._contents(key, *made).vague):
            self._put(made, value, key)
        else:
            made[key] = value

    def _formatted(self, parts: Sequence[ast.expr], scope: Scope) -> Value:
        texts: list[str] = []
        values: list[Value] = []
        length = 0
        for part in parts:
            if isinstance(part, ast.Constant):
                texts.append(str(part.value))
            elif isinstance(part, ast.FormattedValue):
                value = self._eval(part.value, scope)
                values.append(value)
                self.safe = self.safe and (not part.format_spec or self._is_sure(value))
                contents = self._contents(value)
                if contents.vague or not _has_text(value):
                    shown = value.shown if isinstance(value, Unknown) else ""
                    texts.append(shown or "{" + self._excerpt(part.value) + "}")
                else:
                    texts.append(self._one_formatted(part, value))
            length += len(texts[-1])
            if length > operations.MOST_TEXT:
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
            except Delivered:
                continue
        if any(map(holds_any, ways)):
            self._branched(self._line, test, *ways)
        if not values:
            raise Delivered
        return self._with_calls(self._joined(values), self._contents(test).calls)

    def _with_calls(self, value: Value, calls: Collection[int]) -> Value:
        if isinstance(value, Unknown) and value not in {BROKEN, NOTHING}:
            return replace(value, calls=value.calls | frozenset(calls))
        return value

    def _boolean(self, node: ast.BoolOp, scope: Scope) -> Value:
        """`and` and `or` give one of their operands: the first that decides, or the last."""
        decides = isinstance(node.op, ast.Or)
        value: Value = None
        unknown: list[Value] = []
        for operand in node.values:
            if unknown:
                items: list[Item] = []
                try:
                    with self._unsure(items):
                        value = self._eval(operand, scope)
                except Delivered:
                    value = NOTHING
                if holds_any(items):
                    self._branched(self._line, unknown[-1], items, [])
            else:
                value = self._eval(operand, scope)
            holds = self._truth(value)
            if holds is decides:
                break
            if holds is None:
                unknown.append(value)
        return value if value is decides else self._joined([*unknown, value])

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
        if any(isinstance(side, Unknown) and side.held for side in (left, right)):
            return self._binary_each(op, left, right)
        sequences = isinstance(left, list | tuple) and isinstance(right, list | tuple)
        if isinstance(op, ast.Add) and sequences:
            made = operations.binary(op, left, right)
            if id(left) in self._blurred or id(right) in self._blurred:
                self._blurred[id(made)] = made
            self._contents(made)
            return made
        for one, times in ((left, right), (right, left)):
            if isinstance(op, ast.Mult) and isinstance(one, list | tuple):
                made = operations.binary(op, one, 1 if isinstance(times, Unknown) else times)
                loose = id(one) in self._blurred or isinstance(times, Unknown)
                return self._bag(made) if loose and isinstance(made, list | tuple) else made
        if isinstance(op, ast.Sub) and isinstance(left, set) and self._contents(left, right).vague:
            return self._bag(left.copy())
        for side in (left, right):
            if isinstance(side, Said):
                raise operations.no_text("joined with “+” or computed with")
        contents = self._contents(left, right)
        if contents.vague:
            shown = ""
            if isinstance(op, ast.Add):
                texts = [
                    s if isinstance(s, str) else getattr(s, "shown", "") for s in (left, right)
                ]
                shown = "".join(texts) if all(texts) else ""
            return Unknown(frozenset(contents.calls), shown=shown[: operations.MOST_TEXT])
        return operations.binary(op, left, right)

    def _binary_each(self, op: ast.operator, left: Value, right: Value) -> Value:
        """With each list that a side may be."""

        def ways(side: Value) -> list[Value]:
            if not isinstance(side, Unknown):
                return [side]
            return [*side.held, *[Unknown(side.calls)] * (side.texts or not side.held)]

        found: list[Value] = []
        for one in ways(left):
            for other in ways(right):
                with self._perhaps():
                    found.append(self._binary(op, one, other))
        return self._fresh(found)

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
            if isinstance(left, Said) and isinstance(right, Said):
                return None
            return (left is right) is isinstance(op, ast.Is)
        if isinstance(op, ast.In | ast.NotIn) and isinstance(right, Said):
            raise operations.no_text("searched")
        sizes = isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        if sizes and (isinstance(left, Said) or isinstance(right, Said)):
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
            return self._cut(held, bounds)
        return self._indexed(held, self._eval(index, scope))

    def _cut(self, held: Value, bounds: Sequence[Value]) -> Value:
        if isinstance(held, Unknown):
            ways = [self._cut(one, bounds) for one in held.held if not isinstance(one, dict | set)]
            return self._fresh([*ways, *[self._vague(Unknown(held.calls), *bounds)] * held.texts])
        vague = any(isinstance(each, Unknown) for each in bounds)
        if isinstance(held, list | tuple) and (vague or id(held) in self._blurred):
            return self._bag(held[:])
        if vague:
            return self._vague(held, *bounds)
        return operations.item(held, operations.made_slice(*bounds))

    def _indexed(self, held: Value, key: Value) -> Value:
        self.safe = self.safe and self._is_sure(key)
        if isinstance(held, Said):
            raise operations.no_text("indexed")
        if isinstance(held, Unknown):
            found: list[Value] = [self._vague(Unknown(held.calls), key)] * held.texts
            for one in held.held:
                with self._perhaps():
                    found.append(self._indexed(one, key))
            return self._joined(found)
        if id(held) in self._blurred or self._vague_key(key):
            return self._element(held, index=True)
        return operations.item(held, key)

    def _comprehension(
        self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp, scope: Scope
    ) -> Value:
        inner = Scope(above=scope)
        found: list[Value] = []
        sure = self._generated(node, node.generators, inner, found)
        if isinstance(node, ast.DictComp):
            made: dict[Value, Value] = {}
            if not sure:
                self._bag(made)
            for each in found:
                key, value = operations.items(each)
                self._enter(made, operations.hashable(key), value)
            return made
        if not sure:
            self._bag(found)
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
        element = self._element(source)
        if element is NOTHING:
            return False
        items: list[Item] = []
        try:
            with self._open(items):
                self._assign(first.target, element, scope)
                self._kept_by(node, first.ifs, rest, scope, found)
        except Delivered:
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
                except Delivered:
                    pass
                if holds_any(items):
                    self._branched(self._line, value, items, [])
                return False
        return self._generated(node, rest, scope, found)


def _never_fails(node: ast.expr) -> bool:
    """Whatever its operands are. (A message's parts: `_part`. Formats: `_formatted`.)"""
    match node:
        case ast.Compare(ops=ops):
            return all(isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot) for op in ops)
        case ast.Call(func=ast.Name(id="str"), args=[_], keywords=[]):
            return True
        case ast.UnaryOp(op=op):
            return isinstance(op, ast.Not)
    return isinstance(node, ast.Name | ast.Attribute | ast.JoinedStr | ast.BoolOp | ast.IfExp)


def _has_text(value: Value) -> bool:
    """Whether a text can be made of it before the script runs."""
    return not isinstance(value, Block | Function | Named)
