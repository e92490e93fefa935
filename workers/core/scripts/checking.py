"""Checks a script against the language: an allow-list over the nodes of its tree.

Whatever is not listed is a problem. Nothing of a script is executed here, and the work that a
hostile text can cause is bounded by its length.
"""

import __future__

import ast
import io
import math
import re
import tokenize
from collections.abc import Iterator

from workers.core.events.scripts import ScriptProblem
from workers.core.scripts.language import (
    BUILTINS,
    IMPORTS,
    MAIN,
    MESSAGE_PARTS,
    METHODS,
    MODULE,
    NESTING,
    SCRIPT_CHARS,
)
from workers.core.scripts.problems import MOST_PROBLEMS, ScriptError, excerpt, quoted

MOST_NUMBER = 10**12
_MOST_SPEC_CHARS = 12
_QUOTES = frozenset("“”„‟‘’‚«»")
_HALF = re.compile("[\ud800-\udfff]")
_WIDE = re.compile(r"\d{3}")

_FREE: frozenset[type[ast.AST]] = frozenset(
    {
        ast.Module, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.For, ast.While,
        ast.Break, ast.Continue, ast.Pass, ast.Return, ast.FunctionDef, ast.Lambda, ast.arguments,
        ast.arg, ast.keyword, ast.Call, ast.Name, ast.Load, ast.Store, ast.Constant, ast.JoinedStr,
        ast.FormattedValue, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred, ast.List,
        ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
        ast.comprehension, ast.IfExp, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub,
        ast.UAdd, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow,
        ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot,
        ast.In, ast.NotIn, ast.ImportFrom, ast.Import, ast.alias,
    }
)  # fmt: skip
HINTS_UNREAD = __future__.annotations.compiler_flag
_HINTS = frozenset({"annotation", "returns"})
"""They may say anything: nothing ever evaluates them."""
_TARGETS = (ast.Name, ast.Tuple, ast.List, ast.Subscript)
_NO: dict[type[ast.AST], tuple[str, str]] = {
    ast.ClassDef: ("A script has no classes.", "Write functions with def, or blocks."),
    ast.AsyncFunctionDef: (
        "A script has no async functions.",
        "Write def; blocks that can run side by side do so by themselves.",
    ),
    ast.Await: ("A script awaits nothing.", "Call the block without await."),
    ast.AsyncFor: ("A script has no async for.", "Write for."),
    ast.AsyncWith: ("A script has no async with.", "Remove it."),
    ast.With: ("A script opens nothing.", "Remove “with”."),
    ast.Try: (
        "A script catches no errors.",
        "Remove try. An agent that failed leaves a message without text.",
    ),
    ast.TryStar: ("A script catches no errors.", "Remove try."),
    ast.Raise: ("A script raises no errors.", "Remove raise."),
    ast.Assert: ("A script has no assert.", "Remove it, or write if."),
    ast.Global: (
        "A script has no global.",
        "Give the function what it needs, and return what it makes.",
    ),
    ast.Nonlocal: (
        "A script has no nonlocal.",
        "Give the function what it needs, and return what it makes.",
    ),
    ast.Delete: ("A script has no del.", "Remove it."),
    ast.Match: ("A script has no match.", "Write if and elif."),
    ast.NamedExpr: ("A script has no “:=”.", "Assign the name on a line before."),
    ast.Yield: ("A script has no yield.", "Return a list."),
    ast.YieldFrom: ("A script has no yield.", "Return a list."),
}
_TOOLS = (
    *("calculator", "python", "program"),
    *("web_search", "read_page", "read_file", "browser"),
)
"""Tools that scripts often name without quotes."""
_NO_NAMES: dict[str, str] = {
    "open": "A script reads and writes no files. Remove it.",
    "input": "A script asks no person. Import question to read the question.",
    "map": "Write a comprehension: [f(x) for x in values].",
    "filter": "Write a comprehension: [x for x in values if test(x)].",
    "isinstance": "Remove the test; a block's result is a message with .text, .answer and .name.",
    **{word.lower(): f"Is {quoted(word)} meant?" for word in ("True", "False", "None")},
    "null": "Is “None” meant?",
    **{tool: f'A tool is named by a text: tools=["{tool}"].' for tool in _TOOLS},
}
_COMPUTE = "To compute, give an agent the tool python."


def checked(script: str) -> ast.Module:
    """The tree of a script of the language.

    Raises ScriptError with a problem for each fault, the first 10 by line. A script that isn't
    Python has one: where it stops being so.
    """
    _check_text(script)
    tree = _parsed(script)
    checker = _Checker(tree)
    problems = list(checker.problems())
    if problems:
        raise ScriptError(problems)
    _compiles(tree)
    return tree


def _refused(code: str, message: str, remedy: str, line: int | None = None) -> ScriptError:
    return ScriptError((ScriptProblem(code=code, message=message, remedy=remedy, line=line),))


def _check_text(script: str) -> None:
    if not script.strip():
        raise _refused("empty", "The script is empty.", f"Begin with: from {MODULE} import …")
    if len(script) > SCRIPT_CHARS:
        raise _refused(
            "too_long",
            f"The script has {len(script):,} characters. At most {SCRIPT_CHARS:,} are allowed.",
            "Make blocks in a loop, and write shorter prompts.",
        )
    for character, name in (("\0", "a null character"), ("\ufeff", "a byte order mark")):
        if character in script:
            line = script[: script.index(character)].count("\n") + 1
            raise _refused("bad_character", f"The line has {name}.", "Remove it.", line)
    if script.isascii():
        return
    problems = [
        ScriptProblem(
            code="not_ascii",
            message=f"{text} is no quotation mark of Python.",
            remedy="Write \" or '.",
            line=line,
        )
        if text in _QUOTES
        else ScriptProblem(
            code="not_ascii",
            message=f"{quoted(text)} has letters beyond a to z, which may only look alike.",
            remedy="Use the letters a to z, digits and “_” outside texts.",
            line=line,
        )
        for text, line in _words_beyond_ascii(script)
    ]
    if problems:
        raise ScriptError(problems)


def _words_beyond_ascii(script: str) -> Iterator[tuple[str, int]]:
    """The words outside texts and comments that are not ASCII, with their lines."""
    texts = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    try:
        for token in tokenize.generate_tokens(io.StringIO(script).readline):
            if token.type == tokenize.STRING and _is_formatted(token.string):
                yield from _beyond_in_braces(token)
            elif token.type not in texts and not token.string.isascii():
                yield token.string, token.start[0]
    except (tokenize.TokenError, SyntaxError):
        return


def _is_formatted(text: str) -> bool:
    return "f" in text[: len(text) - len(text.lstrip("fFrRbBuU"))].lower()


def _beyond_in_braces(token: tokenize.TokenInfo) -> Iterator[tuple[str, int]]:
    """The same inside the braces of an f-string: Python makes ASCII of some before the tree."""
    for part in re.findall(r"\{([^{}]*)\}", token.string):
        if not re.sub(r"'[^']*'|\"[^\"]*\"", "", part).isascii():
            yield part, token.start[0]


def _parsed(script: str) -> ast.Module:
    try:
        return ast.parse(script)
    except SyntaxError as error:
        lines = script.count("\n") + script.count("\r") + 1
        raise _not_python(error, min(error.lineno or 1, lines)) from None
    except ValueError:
        raise _refused("bad_character", "A character can't be read.", "Remove it.") from None
    except (RecursionError, MemoryError):
        raise _too_deep(None) from None


def _compiles(tree: ast.Module) -> None:
    """Finds what only the compiler does, such as `return` outside a function. Runs nothing."""
    try:
        compile(tree, "script", "exec", HINTS_UNREAD, dont_inherit=True)
    except SyntaxError as error:
        raise _not_python(error, error.lineno or 1) from None
    except (RecursionError, MemoryError):
        raise _too_deep(None) from None
    except (ValueError, OverflowError):
        raise _refused("not_python", "This is not Python.", "Write it otherwise.") from None


def _not_python(error: SyntaxError, line: int) -> ScriptError:
    what = (error.msg or "invalid syntax").split(" (<")[0]
    return _refused(
        "not_python",
        f"This is not Python: {what}.",
        "Correct the line; close every bracket and text.",
        max(line, 1),
    )


def _too_deep(line: int | None) -> ScriptError:
    return _refused(
        "too_deep",
        "Too much is nested within each other.",
        "Name parts of it on lines of their own.",
        line,
    )


class _Checker:
    """One walk over a tree, in the order of lines, with a stack of its own."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._found: list[ScriptProblem] = []
        self._line = 1
        self._called: set[int] = set()
        self._bound, self._used, self._imported = _names(tree)
        self._unknown: set[str] = set()
        self._outer: set[int] = {id(node) for node in tree.body}

    def problems(self) -> list[ScriptProblem]:
        for node, line in self._walk():
            self._line = line
            self._check(node)
            if len(self._found) >= MOST_PROBLEMS:
                break
        if not self._found and "deliver" not in self._used:
            self._found.append(
                ScriptProblem(
                    code="no_delivery",
                    message="The script never delivers an answer.",
                    remedy="End it with deliver(…).",
                )
            )
        return self._found

    def _walk(self) -> Iterator[tuple[ast.AST, int]]:
        stack: list[tuple[ast.AST, int, int]] = [(self._tree, 0, 1)]
        while stack:
            node, depth, line = stack.pop()
            line = getattr(node, "lineno", line)
            if depth > NESTING:
                raise _too_deep(line)
            yield node, line
            if type(node) in _FREE:
                deeper = depth + isinstance(node, (ast.expr, ast.stmt))
                children = [
                    (each, deeper, line)
                    for name, value in ast.iter_fields(node)
                    if name not in _HINTS
                    for each in (value if isinstance(value, list) else [value])
                    if isinstance(each, ast.AST)
                ]
                stack.extend(reversed(children))

    def _problem(self, code: str, message: str, remedy: str) -> None:
        self._found.append(
            ScriptProblem(code=code, message=message, remedy=remedy, line=self._line)
        )

    def _check(self, node: ast.AST) -> None:
        if type(node) not in _FREE:
            what, remedy = _NO.get(type(node)) or _unlisted(node)
            self._problem("not_allowed", what, remedy)
            return
        match node:
            case ast.Import() | ast.ImportFrom():
                self._check_import(node)
            case ast.Name():
                self._check_name(node)
            case ast.Call():
                self._check_call(node)
            case ast.Attribute():
                self._check_attribute(node)
            case ast.Constant(value=value):
                self._check_constant(value)
            case ast.FormattedValue(format_spec=ast.JoinedStr() as spec):
                self._check_format(spec)
            case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str()) | ast.JoinedStr()):
                self._problem(
                    "not_allowed", "A script has no “%” for texts.", 'Write f"… {value} …".'
                )
            case ast.Dict(keys=keys) if None in keys:
                self._problem(
                    "not_allowed",
                    "A script has no “**” in a dict.",
                    "Write the keys, or use update.",
                )
            case _:
                self._check_binding(node)

    def _check_binding(self, node: ast.AST) -> None:
        """What gives names to values."""
        match node:
            case ast.FunctionDef():
                self._check_function(node)
            case ast.arguments():
                self._check_arguments(node)
            case ast.arg():
                self._check_bound(node.arg)
            case ast.Assign(targets=targets):
                for target in targets:
                    self._check_target(target)
            case ast.comprehension(target=target, is_async=is_async):
                self._check_target(target)
                if is_async:
                    self._problem("not_allowed", "A script has no async for.", "Write for.")
            case ast.For(target=target):
                self._check_target(target)

    def _check_import(self, node: ast.Import | ast.ImportFrom) -> None:
        shown = excerpt(node)
        if isinstance(node, ast.Import) or node.module != MODULE or node.level:
            wanted = {alias.name for alias in node.names}
            if wanted == {MODULE} or wanted <= IMPORTS:
                remedy = f"Write: {self._import_line()}"
            else:
                remedy = f"Remove {shown}. {_COMPUTE}"
            self._problem("bad_import", f"A script imports nothing but {MODULE}.", remedy)
            return
        if id(node) not in self._outer:
            self._problem(
                "bad_import", f"{shown} is inside a block.", "Write it at the top of the script."
            )
        for alias in node.names:
            if alias.name == "*":
                continue
            if alias.asname is not None:
                self._problem(
                    "bad_import",
                    f"{quoted(alias.name)} is imported under another name.",
                    f"Write: from {MODULE} import {alias.name[:40]}",
                )
            elif alias.name not in IMPORTS:
                self._problem(
                    "bad_import",
                    f"{MODULE} has no {quoted(alias.name)}.",
                    f"It has: {', '.join(sorted(IMPORTS))}.",
                )

    def _import_line(self) -> str:
        used = sorted(IMPORTS & self._used) or ["agent", "deliver"]
        return f"from {MODULE} import {', '.join(used)}"

    def _check_name(self, node: ast.Name) -> None:
        name = node.id
        if isinstance(node.ctx, ast.Store):
            self._check_bound(name)
        elif name in self._bound | BUILTINS | self._imported | {MAIN}:
            return
        elif name not in self._unknown:
            self._unknown.add(name)
            if name in IMPORTS:
                self._problem(
                    "not_imported",
                    f"{quoted(name)} is not imported.",
                    f"Write at the top: {self._import_line()}",
                )
            else:
                self._problem("unknown_name", f"There is no {quoted(name)}.", _instead_of(name))

    def _check_bound(self, name: str) -> None:
        if name.startswith("__"):
            self._problem(
                "bad_name", f"The name {quoted(name)} begins with “__”.", "Choose another name."
            )

    def _check_call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            self._called.add(id(node.func))
        for keyword in node.keywords:
            if keyword.arg is None:
                self._problem(
                    "not_allowed",
                    "A script has no “**” in a call.",
                    "Write the arguments by their names.",
                )

    def _check_attribute(self, node: ast.Attribute) -> None:
        name = node.attr
        if not isinstance(node.ctx, ast.Load):
            self._problem(
                "bad_attribute",
                f"{excerpt(node)} can't be changed.",
                "Keep the value in a name or a dict.",
            )
        elif name.startswith("_"):
            self._problem(
                "bad_attribute",
                f"{quoted('.' + name)} begins with “_”.",
                "Remove it. A message has .text, .answer and .name.",
            )
        elif id(node) in self._called:
            if name not in METHODS:
                self._problem("bad_attribute", *_no_method(name))
        elif name in METHODS:
            self._problem(
                "bad_attribute",
                f"{quoted('.' + name)} is not called.",
                f"Write .{name}(…). As a key: {_as_key(node)}",
            )
        elif name not in MESSAGE_PARTS:
            self._problem(
                "bad_attribute",
                f"There is no {quoted('.' + name)}.",
                "A message has .text, .answer and .name.",
            )

    def _check_constant(self, value: object) -> None:
        if isinstance(value, str) and _HALF.search(value):
            self._problem(
                "bad_character",
                "The text has half a character, such as “\\ud800”.",
                "Remove it.",
            )
        if value is None or isinstance(value, (bool, str)):
            return
        if isinstance(value, int):
            if abs(value) > MOST_NUMBER:
                self._problem("too_large", "The number is too large.", "Use a smaller one.")
        elif isinstance(value, float):
            if not math.isfinite(value):
                self._problem("too_large", "The number is too large.", "Use a smaller one.")
        else:
            kind = "…" if value is ... else type(value).__name__
            self._problem(
                "not_allowed",
                f"A script has no {kind} values.",
                "Use texts, numbers, True, False and None.",
            )

    def _check_format(self, spec: ast.JoinedStr) -> None:
        match spec.values:
            case [ast.Constant(value=str(text))]:
                fine = len(text) <= _MOST_SPEC_CHARS and not _WIDE.search(text)
            case []:
                fine = True
            case _:
                fine = False
        if not fine:
            self._problem(
                "bad_format",
                "The format after “:” is not allowed.",
                "Use widths and digits up to 99, such as {value:.2f}.",
            )

    def _check_target(self, target: ast.expr) -> None:
        if isinstance(target, ast.Starred):
            self._problem(
                "not_allowed", "A script has no “*” left of “=”.", "Use a slice, such as rest[1:]."
            )
        elif isinstance(target, (ast.Tuple, ast.List)):
            for each in target.elts:
                self._check_target(each)

    def _check_function(self, node: ast.FunctionDef) -> None:
        self._check_bound(node.name)
        if node.decorator_list:
            self._problem("not_allowed", "A function has no decorators.", "Remove the “@” line.")
        if getattr(node, "type_params", None):
            self._problem("not_allowed", "A function has no type parameters.", "Remove them.")

    def _check_arguments(self, node: ast.arguments) -> None:
        if node.vararg or node.kwarg or node.kwonlyargs or node.posonlyargs:
            self._problem(
                "not_allowed",
                "A function has no “*”, “**” or “/” among its arguments.",
                "Name every argument, or take a list.",
            )


def _names(tree: ast.Module) -> tuple[set[str], set[str], set[str]]:
    """The names that a script binds, reads and imports, wherever it does so."""
    bound: set[str] = set()
    used: set[str] = set()
    imported: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.arg(arg=name):
                bound.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                # A module that may not be imported is one problem, not one for each use.
                imported |= {(alias.asname or alias.name).split(".")[0] for alias in aliases}
                if any(alias.name == "*" for alias in aliases):
                    imported |= IMPORTS
    return bound, used, imported


def _unlisted(node: ast.AST) -> tuple[str, str]:
    name = type(node).__name__
    return f"{quoted(name)} is not part of the language.", "Write it in another way."


def _instead_of(name: str) -> str:
    if name in _NO_NAMES:
        return _NO_NAMES[name]
    close = sorted(IMPORTS | BUILTINS, key=lambda each: (abs(len(each) - len(name)), each))
    like = [each for each in close if each.lower().startswith(name.lower()[:4]) and len(name) > 3]
    if like:
        return f"Is {quoted(like[0])} meant?"
    return f"Assign it first, or remove it. {_COMPUTE}"


def _as_key(node: ast.Attribute) -> str:
    """`str.lower` takes what it is called with, `answers.count` looks for it."""
    if isinstance(node.value, ast.Name) and node.value.id in BUILTINS:
        return f"lambda each: each.{node.attr}()"
    return f"lambda each: {ast.unparse(node.value)[:40]}.{node.attr}(each)"


def _no_method(name: str) -> tuple[str, str]:
    if name in {"format", "format_map"}:
        return f"A text has no {quoted('.' + name)} here.", 'Write f"… {value} …".'
    if name in MESSAGE_PARTS:
        return f"{quoted('.' + name)} is not a function.", f"Write .{name} without brackets."
    if name in {"run", "ask", "call", "invoke", "execute", "forward", "__call__"}:
        return f"A block has no {quoted('.' + name)}.", "Call the block itself: block(message)."
    return f"There is no {quoted('.' + name + '(…)')}.", "Use methods of texts, lists and dicts."
