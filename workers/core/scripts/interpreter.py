"""Goes through a checked script without running it: an abstract interpreter.

What is known is computed: loops are unrolled, blocks are made by the constructors of `blocks.py`.
What waits for a reply is gone through on every path, and what the paths leave is joined. So the
trace has all that the script may ask, and says what is certain.

The interpreter never uses exec or eval. Steps, calls, agents and the sizes of values are bounded.
"""

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Literal

from workers.core.scripts import operations
from workers.core.scripts.blocks import MOST_AGENTS
from workers.core.scripts.calls import Calls
from workers.core.scripts.language import BUILTINS, IMPORTS, MAIN
from workers.core.scripts.making import AFTER_FAULT, TOO_MANY, UNREACHED
from workers.core.scripts.operations import Fault
from workers.core.scripts.state import (
    INNER_PASSES,
    MOST_ASKS,
    MOST_PASSES,
    MOST_SETTLING,
    PARTS_OF_A_STEP,
    TOO_DEEP,
    TOO_LARGE,
    Delivered,
    Loop,
    Stop,
)
from workers.core.scripts.trace import Branch, Deliver, Item, Repeat, holds_any
from workers.core.scripts.values import (
    BROKEN,
    NOTHING,
    QUESTION,
    Named,
    Scope,
    TooLarge,
    Unknown,
    Value,
)


class Interpreter(Calls):
    """One script. After `play`, `items` is its trace and `problems` are its faults. `tools`: those
    that an agent may be given; None: all."""

    def __init__(self, tree: ast.Module, tools: Collection[str] | None) -> None:
        super().__init__(tools)
        self._tree = tree

    def play(self) -> None:
        scope = Scope({name: Named(name) for name in BUILTINS} | {MAIN: "__main__"})
        try:
            self._run(self._tree.body, scope)
        except (Delivered, Stop):
            return
        except TooLarge:
            self._problem(*TOO_LARGE)
        except RecursionError:
            self._problem(*TOO_DEEP)
        else:
            if not self.problems and not _delivers(self.items):
                self._problem(
                    "no_delivery",
                    "The script ends without delivering an answer.",
                    "End it with deliver(…).",
                    line=None,
                )

    # Statements. Each returns whether the next one may be reached.

    def _run(self, statements: Sequence[ast.stmt], scope: Scope) -> bool:
        for statement in statements:
            self._step()
            self._line = statement.lineno
            try:
                goes_on = self._statement(statement, scope)
            except Fault as fault:
                if fault.code not in {AFTER_FAULT, UNREACHED}:
                    self._problem(fault.code, fault.message, fault.remedy)
                if fault.code == TOO_MANY:
                    raise Stop from None
                left = NOTHING if fault.code == UNREACHED else BROKEN
                self._unknown_targets(statement, scope, left)
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
            case ast.FunctionDef(name=name):
                scope.names[name] = self._function(node, scope)
            case ast.ImportFrom(names=names):
                for alias in names:
                    wanted = alias.name
                    for name in IMPORTS if wanted == "*" else (wanted,):
                        scope.names[name] = QUESTION if name == "question" else Named(name)
            case _:
                return self._way(node, scope)
        return True

    def _way(self, node: ast.stmt, scope: Scope) -> bool:
        """What decides which statement is next."""
        match node:
            case ast.If():
                return self._if(node, scope)
            case ast.For():
                return self._for(node, scope)
            case ast.While():
                return self._while(node, scope)
            case ast.Break():
                self._loops[-1].left.append(dict(scope.names))
            case ast.Continue():
                self._loops[-1].skipped.append(dict(scope.names))
            case ast.Return(value=returned):
                scope.returned.append(self._eval(returned, scope) if returned else None)
        return not isinstance(node, ast.Break | ast.Continue | ast.Return)

    def _unknown_targets(self, node: ast.stmt, scope: Scope, left: Unknown) -> None:
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                scope.names[each.id] = left

    def _assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        match target:
            case ast.Name(id=name):
                scope.names[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part, one in zip(parts, self._unpacked(value, len(parts)), strict=True):
                    self._assign(part, one, scope)
            case ast.Subscript(value=inner, slice=index):
                self._set_item(self._eval(inner, scope), self._eval(index, scope), value)

    def _set_item(self, held: Value, key: Value, value: Value) -> None:
        self.safe = self.safe and self._is_sure(held) and self._is_sure(key)
        if isinstance(held, Unknown):
            for one in held.held:
                with self._perhaps():
                    self._set_item(one, key, value)
        elif isinstance(held, dict) and not self._loose(held):
            self._enter(held, operations.hashable(key), value)
            self._contents(held)
        elif isinstance(held, list | dict) and (self._loose(held) or self._vague_key(key)):
            self._put(held, value, key)
        else:
            operations.set_item(held, key, value)
            self._contents(held)

    def _unpacked(self, value: Value, count: int) -> Sequence[Value]:
        if isinstance(value, Unknown) and value.held and not value.texts:
            self.safe = False
            ways = [self._unpacked(one, count) for one in value.held if self._fits(one, count)]
            return [self._joined(each) for each in zip(*ways, strict=True)] or [NOTHING] * count
        known = self._known_items(value)
        if known is None:
            self.safe = False
            return [self._element(value)] * count
        if len(known) != count:
            raise Fault(
                "fails",
                f"{len(known)} values are assigned to {count} names.",
                "Write one name for each value.",
            )
        return known

    def _fits(self, held: Value, count: int) -> bool:
        known = self._known_items(held)
        return known is None or len(known) == count

    def _augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        before = self._eval(_as_read(node.target), scope)
        value = self._eval(node.value, scope)
        made = self._in_place(node.op, before, value)
        self.safe = self.safe and self._is_sure(made)
        self._assign(node.target, made, scope)

    def _in_place(self, op: ast.operator, before: Value, value: Value) -> Value:
        """What stands there after `op=`. A list or set stays the same one, and is changed."""
        if isinstance(before, Unknown) and before.held:
            found: list[Value] = []
            if before.texts:
                with self._perhaps():
                    found.append(self._binary(op, Unknown(before.calls), value))
            for one in before.held:
                with self._perhaps():
                    found.append(self._in_place(op, one, value))
            return self._joined(found)
        if isinstance(before, list) and isinstance(op, ast.Add):
            self._changed(before, "extend", [value], {})
            return before
        made = self._binary(op, before, value)
        if isinstance(before, list) and isinstance(made, list):
            if self._loose(before) or id(made) in self._blurred:
                return self._bag(before)
            before[:] = made
            return before
        if isinstance(before, set):
            return self._bag(before)
        return made

    def _if(self, node: ast.If, scope: Scope) -> bool:
        test = self._eval(node.test, scope)
        holds = self._truth(test)
        if holds is not None:
            return self._run(node.body if holds else node.orelse, scope)
        self.safe = False  # a name may have no value after it
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
            raise Delivered
        return False

    def _path(self, body: Sequence[ast.stmt], scope: Scope) -> tuple[list[Item], str]:
        items: list[Item] = []
        doubt = self._doubt
        try:
            with self._unsure(items):
                goes_on = self._run(body, scope)
        except Delivered:
            return items, "delivered"
        finally:
            self._doubt = doubt
        return items, "goes_on" if goes_on else "left"

    def _join_names(self, scope: Scope, ways: Sequence[dict[str, Value]]) -> None:
        names = dict.fromkeys(name for way in ways for name in way)
        self._step(len(names) * len(ways) / PARTS_OF_A_STEP)
        scope.names = {
            name: self._joined([way[name] for way in ways if name in way]) for name in names
        }

    # Loops.

    def _for(self, node: ast.For, scope: Scope) -> bool:
        source = self._eval(node.iter, scope)
        known = self._known_items(source)
        if known is None:
            return self._for_unknown(node, source, scope)

        def passes() -> Iterator[Value]:
            yield from known
            place = len(known)  # a list that the loop itself makes longer
            while isinstance(source, list) and place < len(source) and not self._loose(source):
                yield source[place]
                place += 1

        return self._loop(node, scope, passes(), source)

    def _loop(self, node: ast.For, scope: Scope, passes: Iterator[Value], source: Value) -> bool:
        """Passes whose number is known, unless one is left on a path of many."""
        loop, items = Loop(node.lineno), list[Item]()
        doubt, before, returned = self._doubt, self._into, len(scope.returned)
        self._loops.append(loop)
        self._into = items
        reached, most, long = True, 0, operations.size(source)
        try:
            for value in passes:
                most += 1
                self._assign(node.target, value, scope)
                if not self._pass(node, loop, scope):
                    reached = False
                    break
        finally:
            self._into = before
            self._loops.pop()
            self._doubt = doubt + (len(scope.returned) > returned)
            self._kept(node, loop, items, max(most, long))
        if reached and isinstance(source, list) and id(source) in self._blurred:
            return self._for_unknown(node, source, scope, loop.left)
        return self._after(node, loop, scope, reached=reached)

    def _kept(
        self, node: ast.For | ast.While, loop: Loop, items: list[Item], most: int | None
    ) -> None:
        if loop.unsure and holds_any(items):
            kind: Literal["for", "while"] = "for" if isinstance(node, ast.For) else "while"
            self._into.append(Repeat(kind, node.lineno, most, items))
        else:
            self._into += items

    def _pass(self, node: ast.For | ast.While, loop: Loop, scope: Scope) -> bool:
        """Whether another pass may follow."""
        self._step()
        loop.skipped = []
        ways = []
        self.makes.passes[node.lineno] = 0
        try:
            if self._run(node.body, scope):
                ways.append(scope.names)
        except Delivered:
            if not (loop.skipped or loop.left or loop.ended or scope.returned):
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

    def _after(self, node: ast.For | ast.While, loop: Loop, scope: Scope, *, reached: bool) -> bool:
        """`reached`: the loop may come to its own end, where `else` follows."""
        ways = list(loop.left)
        if reached and loop.ended:
            self._join_names(scope, loop.ended)
        items = list[Item]()
        try:
            if reached and not (ways and node.orelse):
                ways += [scope.names] * self._run(node.orelse, scope)
            elif reached:
                with self._unsure(items):
                    ways += [scope.names] * self._run(node.orelse, scope)
        except Delivered:
            if not ways:
                raise
        finally:
            if holds_any(items):
                self._into.append(Branch(node.lineno, frozenset(), items, []))
        return self._go_on(scope, ways)

    def _for_unknown(
        self, node: ast.For, source: Value, scope: Scope, left: Sequence[dict[str, Value]] = ()
    ) -> bool:
        self.safe = False
        loop, items = Loop(node.lineno, [*left], unsure=True), list[Item]()
        loop.ended.append(dict(scope.names))

        def again() -> bool:
            element = self._element(source)
            if element is NOTHING:
                return False
            self._assign(node.target, element, scope)
            if not self._pass(node, loop, scope):
                return False
            loop.ended.append(dict(scope.names))
            return True

        self._loops.append(loop)
        try:
            with self._open(items):
                if again():
                    self._until_settled(scope, loop.ended, again)
        except Delivered:
            pass
        finally:
            self._loops.pop()
        self._kept(node, loop, items, None)
        return self._after(node, loop, scope, reached=True)

    def _until_settled(
        self, scope: Scope, begun: Sequence[dict[str, Value]], again: Callable[[], bool]
    ) -> None:
        """More passes, each from all that the ones before may have left, until nothing new comes
        of it. `begun`: the names as passes began."""
        seen: object = None
        agents, asks = 0, 0
        states = list(begun)
        for _ in range(MOST_SETTLING):
            self._join_names(scope, states)
            found = self._seen(scope)
            room = self.makes.agents + agents <= MOST_AGENTS and self._asks + asks <= MOST_ASKS
            if found == seen or not room:
                return
            seen = found
            agents, asks = self.makes.agents, self._asks
            if not again():
                return
            states.append(dict(scope.names))
            agents, asks = self.makes.agents - agents, self._asks - asks

    def _while(self, node: ast.While, scope: Scope) -> bool:
        loop, items = Loop(node.lineno), list[Item]()
        doubt, before, returned = self._doubt, self._into, len(scope.returned)
        self._loops.append(loop)
        self._into = items
        begun: list[dict[str, Value]] = []
        passes, unsure_passes = 0, 0
        most: int | None = None
        reached = False

        def again() -> bool:
            nonlocal most, reached
            self._line = node.lineno
            holds = self._truth(self._eval(node.test, scope))
            if holds is not True:
                reached = True
                loop.ended.append(dict(scope.names))
            if holds is False:
                most = passes
                return False
            if holds is None:
                self.safe = False  # it may never end
                loop.unsure = True
                self._doubt = max(self._doubt, doubt + 1)
            endless = loop.unsure  # a pass may make it so
            if endless:
                begun.append(dict(scope.names))
            self._endless += endless
            try:
                return self._pass(node, loop, scope)
            finally:
                self._endless -= endless

        try:
            while again():
                passes += 1
                unsure_passes += loop.unsure
                grows = loop.unsure and (
                    self.makes.agents > MOST_AGENTS // 2 or self._asks > MOST_ASKS // 4
                )
                limit = INNER_PASSES if self._endless else MOST_PASSES
                if grows or unsure_passes >= limit:
                    most = None
                    begun.append(dict(scope.names))
                    self._doubt = max(self._doubt, doubt + 1)
                    self._until_settled(scope, begun, again)
                    most = None
                    break
            else:
                most = passes if most is None else most
        finally:
            self._into = before
            self._loops.pop()
            self._doubt = doubt + (len(scope.returned) > returned)
            self._kept(node, loop, items, most)
        return self._after(node, loop, scope, reached=reached)


def _delivers(items: Sequence[Item]) -> bool:
    for item in items:
        if isinstance(item, Deliver):
            return True
        if isinstance(item, Branch) and (_delivers(item.then) or _delivers(item.otherwise)):
            return True
        if isinstance(item, Repeat) and _delivers(item.items):
            return True
    return False


def _as_read(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    return target
