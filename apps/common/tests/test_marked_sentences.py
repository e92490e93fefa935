"""No sentence that code says to people stands there bare: then no translator would ever see it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

SAID: dict[str, tuple[int | str, ...]] = {
    "ApplicationError": ("message", "remedy"),
    "FieldError": (2, "message"),
    "ValidationError": (0,),
    "AuthenticationFailed": (0,),
    "ParseError": (0,),
    "RowError": (0,),
    "UnderWay": (0, "remedy"),
    "key_taken": (0,),
    "check_limit": ("message",),
    "endpoint_as_now": ("remedy",),
    "endpoints_as_now": ("remedy",),
    "page": ("title", "about", "submit"),
    "own_page": (0, "description"),
    "column": (0, "description"),
    "action": ("description",),
    "display": ("description",),
    "error": (1,),
    "warning": (1,),
    "success": (1,),
    "log_change": (2,),
}
"""What each of these says to people: the arguments by place or name."""
MARKS = frozenset({"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext"})
LOGGERS = frozenset({"log", "logger"})
ROOT = Path(settings.BASE_DIR)
UNREAD = frozenset({"tests", "migrations", "management", "launcher"})
"""What a terminal shows is English."""


def bare(source: str) -> list[str]:
    """Sentences that are not looked up in the catalogue, `line: as it stands`."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    said = (value for call in calls for value in _said(call))
    return [f"{value.lineno}: {ast.unparse(value)}" for value in said if _is_bare(value)]


def hidden(source: str) -> list[str]:
    """Marks inside an f-string, where the catalogue's gatherer does not look."""
    formed = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.JoinedStr))
    calls = (node for each in formed for node in ast.walk(each) if isinstance(node, ast.Call))
    return [f"{call.lineno}: {ast.unparse(call)}" for call in calls if _name(call) in MARKS]


def _said(call: ast.Call) -> Iterator[ast.expr]:
    wanted = SAID.get(_name(call), ())
    yield from (call.args[at] for at in wanted if isinstance(at, int) and at < len(call.args))
    yield from (named.value for named in call.keywords if named.arg in wanted)


def _name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Name):
        return call.func.id
    if not isinstance(call.func, ast.Attribute):
        return ""
    whose = call.func.value
    return "" if isinstance(whose, ast.Name) and whose.id in LOGGERS else call.func.attr


def _is_bare(value: ast.expr) -> bool:
    """Of an f-string that only puts others together, nothing is to be translated."""
    if isinstance(value, ast.IfExp):
        return _is_bare(value.body) or _is_bare(value.orelse)
    if isinstance(value, ast.BinOp):
        return _is_bare(value.left)
    if isinstance(value, ast.Dict):
        return any(_is_bare(each) for each in value.values)
    parts = value.values if isinstance(value, ast.JoinedStr) else [value]
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return any(any(letter.isalpha() for letter in str(text)) for text in texts if text)


def _read() -> Iterator[Path]:
    for path in (*ROOT.glob("apps/**/*.py"), *ROOT.glob("studio/**/*.py")):
        if not UNREAD.intersection(path.parts):
            yield path


def test_every_sentence_is_looked_up() -> None:
    found = {str(path.relative_to(ROOT)): bare(path.read_text()) for path in _read()}

    assert len(found) > 200
    assert {path: sentences for path, sentences in found.items() if sentences} == {}


def test_every_mark_is_seen_by_the_catalogue() -> None:
    found = {str(path.relative_to(ROOT)): hidden(path.read_text()) for path in _read()}

    assert {path: marks for path, marks in found.items() if marks} == {}
    assert len(hidden("f'{error} {_(\"Nothing was changed.\")}'")) == 1


@pytest.mark.parametrize(
    "call",
    [
        "ApplicationError(code='a', message='It is gone.')",
        "ApplicationError(code='a', message=_('It is gone.'), remedy=f'Ask {name}.')",
        "FieldError('name', 'bad', 'Too long.' if long else _('Too short.'))",
        "FieldError('name', 'bad', 'At most %s.' % limit)",
        "messages.error(request, f'{name} is gone.')",
        "admin.action(description='Revoke')",
        "serializers.ValidationError({'file': 'Give a file.', 'name': _('Too long.')})",
        "key_taken('There is already one.')",
    ],
)
def test_a_bare_sentence_is_found(call: str) -> None:
    assert len(bare(call)) == 1


@pytest.mark.parametrize(
    "call",
    [
        "ApplicationError(code='a', message=_('At most %(limit)s.') % {'limit': 1}, remedy='')",
        "ApplicationError(code='a', message=ngettext('One.', 'Many.', count), remedy=error.remedy)",
        "FieldError('name', 'bad', message)",
        "messages.error(request, f'{error.message} {error.remedy}')",
        "logger.error('Gone', 'for good')",
    ],
)
def test_what_is_looked_up_or_is_no_sentence_is_left_alone(call: str) -> None:
    assert bare(call) == []
