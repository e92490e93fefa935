"""Roles as CSV: nothing is lost on the way there and back, and nothing is a formula there."""

import csv
import io
from typing import Any

import pytest

from workers.core.pools import load_builtin_pool
from workers.core.pools.csv import COLUMNS, dump_pool_csv, parse_pool_csv
from workers.core.pools.errors import PoolFormatError
from workers.core.pools.parse import PoolFile
from workers.core.specs import PoolSpec, RoleSpec
from workers.core.tests.support import within
from workers.core.tools.registry import TOOLS

HEAD = "key,name,family,description,prompt\n"
SIGNS = "=+-@＝＋－＠"


def read(text: str, **more: Any) -> PoolSpec:
    return read_file(text, **more).spec


def read_file(text: str, **more: Any) -> PoolFile:
    return parse_pool_csv(text, key="p", name="P", known_tools=TOOLS, **more)


def pool(**texts: Any) -> PoolSpec:
    said = {"name": "A", "family": "law", "description": "d", "prompt": "p"}
    return PoolSpec(key="p", name="P", roles=(RoleSpec(key="a", **{**said, **texts}),))


def test_the_built_in_pool_comes_back_whole() -> None:
    general = load_builtin_pool("general")
    assert read(dump_pool_csv(general)).roles == general.roles


@pytest.mark.parametrize(
    "text",
    [
        *(f"{sign}cmd|' /C calc'!A0" for sign in SIGNS),
        *(f"'{sign}1" for sign in SIGNS),
        "''=1",
        "'quoted'",
        "  =1",
        '"=1"',
        "a;=1;'=2;\"=3",
        "a|@x",
        "- one\n- two\n'- three\n\n\t-four",
        "no; formula, here",
        "漢字 👩‍👩‍👧 \u202e",
        ";;;|",
        "'",
    ],
)
def test_every_text_comes_back_and_none_is_a_formula(text: str) -> None:
    written = dump_pool_csv(
        pool(prompt=text, description=text, capabilities=(text.split("\n", maxsplit=1)[0],))
    )
    assert read(written).roles[0].prompt == text
    assert read(written).roles[0].description == text
    for separator in ",;\t|":
        rows = csv.reader(io.StringIO(written.removeprefix("\ufeff")), delimiter=separator)
        for row in rows:
            assert not [cell for cell in row if cell.strip(' \t\r\n"')[:1] in tuple(SIGNS)], row


def test_lists_have_an_item_a_line() -> None:
    written = dump_pool_csv(pool(capabilities=("a, b", "c"), tools=("calculator", "python")))
    row = next(csv.DictReader(io.StringIO(written.removeprefix("\ufeff"))))
    assert (row["capabilities"], row["tools"]) == ("a, b\nc", "calculator\npython")
    assert tuple(row) == COLUMNS
    assert read(written).roles[0].capabilities == ("a, b", "c")


def test_whether_a_role_is_enabled_comes_back_where_it_is_said() -> None:
    for enabled in (True, False):
        written = dump_pool_csv(pool(), switches={"a": enabled})
        assert read_file(written) == PoolFile(pool(), {"a": enabled})
    head = HEAD.strip() + ",enabled\n"
    for word, switches in (("FALSE", {"a": False}), (" Yes", {"a": True}), ("", {})):
        assert read_file(f"{head}a,A,law,d,p,{word}\n").switches == switches
    assert read_file(HEAD + "a,A,law,d,p\n").switches == {}


def test_a_spreadsheets_own_ways_are_read() -> None:
    text = '\ufeffName;KEY;prompt;family;description\r\nA;a;"x\r\ny";law;d\r\n;;;;\r\n'
    assert read(text).roles == pool(prompt="x\ny").roles


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "missing: key"),
        ("key,nam\n", "Did you mean “name”"),
        (HEAD.replace("name", "key"), "twice"),
        (HEAD, "no roles"),
        (HEAD + "a,A,law,d,p,extra\n", "Line 2 has 6 cells"),
        (HEAD + "a,A,law,d,p\na,B,law,d,p\n", "has the same key (line 3)"),
        (HEAD + "a,A,law,d,\n", "Role “a”: “prompt” must not be empty (line 2)"),
        (HEAD + "No slug,A,law,d,p\n", "does not (line 2)"),
        (HEAD.strip() + ",tools\na,A,law,d,p,rm\n", "there is no tool “rm”"),
        (HEAD.strip() + ",enabled\na,A,law,d,p,perhaps\n", "“enabled” must be yes or no (line 2)"),
        (HEAD.strip() + f",capabilities\na,A,law,d,p,{'c' * 201}\n", "has 201 characters; at most"),
        (HEAD + 'a,A,law,d,"p\n', "not valid CSV"),
        (HEAD + "a,A,law,d,p\0\n", "NUL"),
        (HEAD + "a" * 2_000_001, "limit is 2,000,000"),
        (HEAD + "a,A,law,d,\ud800\n", "not valid Unicode"),
        (HEAD + "".join(f"r{n},A,law,d,p\n" for n in range(2_001)), "more than 2,000 roles"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(PoolFormatError) as refused:
        read(text)
    assert said in str(refused.value)


@pytest.mark.parametrize("text", ["\n" * 19_000, "'" * 19_000, ";'" * 9_000, " ;\t" * 6_000])
def test_no_text_takes_long(text: str) -> None:
    with within(1):
        read(dump_pool_csv(pool(prompt=f"p{text}")))
