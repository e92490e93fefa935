"""Every way a pool file can be wrong is one sentence that names the place and the way out."""

import json
import time

import pytest
import yaml

from workers.core.pools import MAX_BYTES, MAX_ROLES, PoolFormatError, parse_pool_yaml, plain_yaml
from workers.core.pools.errors import MAX_ISSUES

HEAD = "key: p\nname: P\nroles:\n"
ROLE = "- key: solver\n  name: A\n  family: code\n  description: d\n  prompt: p\n"
TOOLS = {"calculator", "python"}


@pytest.fixture(params=["CSafeLoader", "SafeLoader"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers of PyYAML: which one a machine has must not matter."""
    monkeypatch.setattr(plain_yaml, "_Loader", getattr(yaml, request.param))


def refusal(text: str) -> PoolFormatError:
    with pytest.raises(PoolFormatError) as caught:
        parse_pool_yaml(text, known_tools=TOOLS)
    return caught.value


def only_issue(text: str) -> tuple[str, str]:
    error = refusal(text)
    assert error.total == len(error.errors) == 1, error.errors
    return error.errors[0]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"\ud83d\ude00", "😀"),
        (r"a\uD83D\uDE00b \u00e9", "a😀b é"),
        (r"\\ud83d\\ude00", r"\ud83d\ude00"),
        (r"\\\ud83d\ude00", "\\😀"),
    ],
)
def test_a_pool_as_json_escapes_what_it_likes(written: str, read: str) -> None:
    role = '"key": "solver", "name": "A", "family": "code", "description": "d", "prompt": '
    text = f'\n {{"key": "p", "name": "P", "roles": [{{{role}"{written}"}}]}}'
    assert json.loads(text)["roles"][0]["prompt"] == read
    assert parse_pool_yaml(text, known_tools=TOOLS).spec.roles[0].prompt == read


def test_half_an_escaped_pair_is_refused() -> None:
    """The two parsers say it in different words."""
    role = '"key": "solver", "name": "A", "family": "code", "description": "d", "prompt": '
    half = r"\ud83d"
    said = only_issue(f'{{"key": "p", "name": "P", "roles": [{{{role}"{half}"}}]}}')[1]
    assert "nicode" in said


def test_a_small_pool() -> None:
    pool = parse_pool_yaml(HEAD + ROLE + "  tools: [python]\n", known_tools=TOOLS).spec
    assert (pool.key, pool.version) == ("p", 1)
    assert pool.roles[0].tools == ("python",)


def test_values_are_text_as_written() -> None:
    text = HEAD + ROLE.replace("name: A", "name: no").replace(": d", ": 1e3")
    role = parse_pool_yaml(text, known_tools=TOOLS).spec.roles[0]
    assert (role.name, role.description) == ("no", "1e3")


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm() -> None:
    text = "\ufeff" + (HEAD + ROLE).replace("\n", "\r\n")
    assert parse_pool_yaml(text, known_tools=TOOLS).spec.roles[0].prompt == "p"


@pytest.mark.parametrize(
    ("text", "path", "parts"),
    [
        ("", "file", ["empty"]),
        ("# only a comment\n", "file", ["empty"]),
        ("[]", "file", ["key, name and roles"]),
        (HEAD, "roles", ["no roles"]),
        (HEAD + "  []", "roles", ["no roles"]),
        ("key: p\nname: P\nroles: x\n", "roles", ["must be a list", "a text", "line 3"]),
        ("key: p\nname: P\n", "roles", ["“roles” is missing"]),
        ("name: P\nroles:\n" + ROLE, "key", ["Pool", "“key” is missing"]),
        ("version: x\n" + HEAD + ROLE, "version", ["whole number", "line 1"]),
        ("version: 0\n" + HEAD + ROLE, "version", ["at least 1"]),
        (f"version: {2**31}\n" + HEAD + ROLE, "version", ["at most 2,147,483,647"]),
        ("version: " + "9" * 9_000 + "\n" + HEAD + ROLE, "version", ["too large"]),
        (
            "colour: red\n" + HEAD + ROLE,
            "colour",
            ["no field “colour”", "key, name, description"],
        ),
        (HEAD + "- 3\n", "roles[0]", ["Role number 1", "must be fields", "line 4"]),
        (HEAD + ROLE + "  promt: x\n", "roles[0].promt", ["Role “solver”", "you mean “prompt”"]),
        (HEAD + ROLE.replace(": p", ":"), "roles[0].prompt", ["“prompt” has no value", "line 8"]),
        (HEAD + ROLE.replace(": p", ': ""'), "roles[0].prompt", ["must not be empty"]),
        (HEAD + ROLE.replace(": p", ": [p]"), "roles[0].prompt", ["must be text, not a list"]),
        (HEAD + ROLE.replace("  prompt: p\n", ""), "roles[0].prompt", ["“prompt” is missing"]),
        (HEAD + ROLE.replace(": A", ": " + "x" * 121), "roles[0].name", ["121", "at most 120"]),
        (HEAD + ROLE.replace("solver", "Two Words"), "roles[0].key", ["lower-case", "Two Words"]),
        (HEAD + ROLE + "  tools: python\n", "roles[0].tools", ["must be a list", "a text"]),
        (HEAD + ROLE + "  tools: {a: b}\n", "roles[0].tools", ["must be a list", "a mapping"]),
        (
            HEAD + ROLE + "  tools: [python, shell]\n",
            "roles[0].tools[1]",
            ["“shell”", "calculator"],
        ),
        (
            HEAD + ROLE + "  capabilities:\n  - sums\n  - " + "c" * 201 + "\n",
            "roles[0].capabilities[1]",
            ["Role “solver”", "201 characters", "at most 200", "line 11"],
        ),
        (
            HEAD + ROLE + f"  capabilities: [{', '.join('c' * 51)}]\n",
            "roles[0].capabilities",
            ["51 items", "at most 50", "line 9"],
        ),
        (HEAD + ROLE + "  enabled: perhaps\n", "roles[0].enabled", ["yes or no", "line 9"]),
        (HEAD + ROLE + "  enabled:\n", "roles[0].enabled", ["yes or no", "line 9"]),
        (HEAD + ROLE + "  enable: no\n", "roles[0].enable", ["you mean “enabled”"]),
        (HEAD + ROLE + "  name: B\n", "roles[0].name", ["“solver”", "twice", "5 and 9"]),
        ("key: q\n" + HEAD + ROLE, "key", ["Pool", "twice", "1 and 2"]),
        (HEAD + ROLE + ROLE, "roles[1].key", ["“solver”", "same key", "line 4", "line 9"]),
        (HEAD + ROLE.replace(": d", ": &d d"), "roles[0].description", ["Anchors", "line 7"]),
        (HEAD + ROLE.replace(": d", ": *d"), "roles[0].description", ["aliases", "quote"]),
        (HEAD + ROLE.replace(": d", ": !!str d"), "roles[0].description", ["Tags", "line 7"]),
        ("!!python/object/apply:os.system [ls]", "file", ["Tags"]),
        ("<<: *base\n" + HEAD + ROLE, "<<", ["aliases"]),
        (HEAD + ROLE.replace(": d", ': "a\\0b"'), "roles[0].description", ["NUL", "line 7"]),
        ("key: \x07", "file", ["not valid YAML"]),
        ("key: \ud800", "file", ["Unicode"]),
        ("key: [1", "file", ["not valid YAML", "line"]),
        ("key: 'x", "file", ["not valid YAML", "line"]),
        ("? [a]\n: b", "file", ["must be text", "line 1"]),
        ("---\na: b\n---\nc: d\n", "file", ["several"]),
        ("%YAML 9.0\n---\na: b\n", "file", ["not valid YAML"]),
    ],
)
def test_one_problem_one_sentence(text: str, path: str, parts: list[str]) -> None:
    found_path, message = only_issue(text)
    assert found_path == path
    assert [part for part in parts if part not in message] == []
    assert message.endswith(".")
    assert message[0].isupper() or message[0] == "“"


def test_all_problems_of_a_file_come_at_once() -> None:
    bad = "- key: two\n  nmae: B\n  family: code\n  description: d\n  prompt: p\n  tools: [shell]\n"
    error = refusal("version: 0\n" + HEAD + ROLE + bad)
    assert {path for path, _ in error.errors} == {
        "version",
        "roles[1].name",
        "roles[1].nmae",
        "roles[1].tools[0]",
    }


def test_a_thousand_problems_stay_readable() -> None:
    error = refusal(HEAD + "- {}\n" * 500)
    assert error.total == 2_500
    assert len(error.errors) == MAX_ISSUES
    assert "2495 more problems" in str(error)


def test_too_many_roles() -> None:
    path, message = only_issue(HEAD + "- {key: a}\n" * (MAX_ROLES + 1))
    assert path == "roles"
    assert "2,001" in message


def test_too_many_bytes_counts_bytes_and_not_characters() -> None:
    path, message = only_issue("é" * (MAX_BYTES // 2 + 1))
    assert path == "file"
    assert "2,000,002 bytes" in message


@pytest.mark.parametrize(
    "bomb",
    [
        "a: &a [x, x]\n" + "".join(f"{c}: &{c} [*a, *a]\n" for c in "bcdefghij"),
        "[" * 1_000_000,
        "{a: " * 400_000,
        "- " * 900_000,
        "? " * 900_000,
        "[" + "a," * 900_000 + "]",
    ],
    ids=["aliases", "lists", "mappings", "dashes", "keys", "values"],
)
def test_a_bomb_is_refused_before_it_goes_off(bomb: str) -> None:
    start = time.process_time()
    only_issue(bomb)
    assert time.process_time() - start < 10
