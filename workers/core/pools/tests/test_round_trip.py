"""Dump then parse is the identity, for any pool that can be stored; and large pools are fast."""

import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.pools import (
    PoolFile,
    dump_pool_yaml,
    load_builtin_pool,
    parse_pool_yaml,
    plain_yaml,
)
from workers.core.specs import PoolSpec, RoleSpec

TOOLS = ("calculator", "program", "python", "vote", "examples", "null", "no", "0")

slugs = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,62}", fullmatch=True)
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
awkward = st.sampled_from(
    [
        *("~", "null", "no", "1e3", "- a", "a: b", "# x", "&a", "*a", "!t", "|", ">", "%x", "..."),
        *(" a", "a ", "\n", "a\n", "\n\na", "a\n\n\nb\n", "a\n b", "a\n\tb", "a \nb", "---\na"),
        *("a\r\nb", "a\x85b", "a\u2028b", "\ufeffa", "\x7f", "'\"'", "👩‍🔬"),
        *("a\n- key: b", "roles:\n\n- key: x"),
    ]
)
words = st.lists(st.sampled_from(["word", "a", "–", "long-word", "#", ": "]), min_size=20).map(
    " ".join
)


def texts(*, max_size: int, min_size: int = 1) -> st.SearchStrategy[str]:
    longer = st.one_of(st.text(characters), awkward, words, st.lists(awkward).map("\n".join))
    return longer.map(lambda text: text[:max_size]).filter(lambda text: len(text) >= min_size)


roles = st.builds(
    RoleSpec,
    key=slugs,
    name=texts(max_size=120),
    family=slugs,
    description=texts(max_size=2_000),
    capabilities=st.lists(texts(max_size=200, min_size=0), max_size=4).map(tuple),
    prompt=texts(max_size=20_000),
    tools=st.lists(st.sampled_from(TOOLS), max_size=3).map(tuple),
    output_form=texts(max_size=2_000, min_size=0),
    refuse_condition=texts(max_size=2_000, min_size=0),
)
pools = st.builds(
    PoolSpec,
    key=slugs,
    name=texts(max_size=120),
    description=texts(min_size=0, max_size=200),
    version=st.integers(1, 2**31 - 1),
    roles=st.lists(roles, min_size=1, max_size=3, unique_by=lambda role: role.key).map(tuple),
)


@settings(deadline=None, max_examples=100)
@given(pool=pools, off=st.booleans())
def test_dump_then_parse_is_the_identity(pool: PoolSpec, off: bool) -> None:
    switches = {pool.roles[0].key: False} if off else {}
    written = dump_pool_yaml(pool, switches=switches)
    assert parse_pool_yaml(written, known_tools=TOOLS) == PoolFile(pool, switches)


@settings(deadline=None, max_examples=40)
@given(pool=pools)
def test_it_is_too_for_a_yaml_library_without_its_c_part(pool: PoolSpec) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_yaml, "_Loader", yaml.SafeLoader)
        assert parse_pool_yaml(dump_pool_yaml(pool), known_tools=TOOLS).spec == pool


@settings(deadline=None, max_examples=40)
@given(pool=pools)
def test_a_second_dump_changes_nothing(pool: PoolSpec) -> None:
    text = dump_pool_yaml(pool)
    assert dump_pool_yaml(parse_pool_yaml(text, known_tools=TOOLS).spec) == text


@pytest.mark.parametrize("text", ["One.\nTwo.", "One.\n\nTwo.\n", "One.\n  indented\nTwo."])
def test_a_prompt_of_several_lines_is_written_as_a_block(text: str) -> None:
    role = load_builtin_pool("general").roles[0].model_copy(update={"prompt": text})
    dumped = dump_pool_yaml(PoolSpec(key="p", name="P", roles=(role,)))
    assert "  prompt: |" in dumped
    assert "\n    One.\n" in dumped


def test_a_thousand_roles_are_read_and_written_in_seconds() -> None:
    builtin = load_builtin_pool("general").roles
    thousand = tuple(
        builtin[n % len(builtin)].model_copy(update={"key": f"role_{n}"}) for n in range(1_000)
    )
    pool = PoolSpec(key="large", name="Large", roles=thousand)
    start = time.process_time()
    text = dump_pool_yaml(pool)
    assert parse_pool_yaml(text, known_tools=TOOLS).spec == pool
    assert time.process_time() - start < 5
