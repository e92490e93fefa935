"""What every role of the built-in pool owes to the models and to the policy that read it."""

from collections import Counter
from itertools import combinations

import pytest

from workers.core.pools import (
    BUILTIN_POOLS,
    BUILTIN_TOOLS,
    FAMILIES,
    builtin_pool_yaml,
    dump_pool_yaml,
    load_builtin_pool,
)
from workers.core.specs import PoolSpec, RoleSpec
from workers.core.tools.registry import TOOLS

POOL = load_builtin_pool("general")
WITHOUT_ANSWER_LINE = {
    "example_tester",
    "programmer",
    "test_writer",
    "planner",
    "writer",
    "editor",
    "summariser",
}
"""Roles whose product is a text or a judgement, not one answer."""

each_role = pytest.mark.parametrize("role", POOL.roles, ids=lambda role: role.key)


def test_the_pool_covers_every_family_and_no_other() -> None:
    assert 36 <= len(POOL.roles) <= 45
    assert {role.family for role in POOL.roles} == set(FAMILIES)


def test_the_file_is_what_an_export_would_write() -> None:
    assert builtin_pool_yaml("general") == dump_pool_yaml(POOL)


def test_an_unknown_pool_is_refused_with_the_pools_there_are() -> None:
    with pytest.raises(LookupError, match="general"):
        load_builtin_pool("../general")
    assert isinstance(load_builtin_pool(BUILTIN_POOLS[0]), PoolSpec)


def test_the_tools_of_the_pool_are_in_the_registry() -> None:
    assert set(TOOLS) >= BUILTIN_TOOLS


@each_role
def test_a_prompt_is_short_ordered_and_within_reach_of_a_small_model(role: RoleSpec) -> None:
    lines = role.prompt.splitlines()
    steps = [line for line in lines if line[:1].isdigit()]
    assert 80 <= len(role.prompt.split()) <= 160
    assert [line.split(".")[0] for line in steps] == [str(n + 1) for n in range(len(steps))]
    assert len(steps) >= 4
    assert lines[0].startswith("You ")
    assert max(len(sentence.split()) for sentence in role.prompt.split(".")) <= 40


@each_role
def test_a_role_says_what_it_can_gives_and_refuses(role: RoleSpec) -> None:
    assert 3 <= len(role.capabilities) <= 6
    assert all(len(capability.split()) <= 6 for capability in role.capabilities)
    assert set(role.tools) <= BUILTIN_TOOLS
    assert len(role.refuse_condition.split()) >= 8
    assert len(role.output_form.split()) >= 8
    assert "REFUSE" not in role.prompt + role.refuse_condition
    assert len(role.profile().split()) <= 110, "MiniLM reads 256 tokens"


@each_role
def test_roles_that_answer_say_so_on_their_last_line(role: RoleSpec) -> None:
    has_line = 'last line "Answer:"' in role.output_form
    has_line |= 'last line is "Answer:"' in role.output_form
    assert has_line or role.key in WITHOUT_ANSWER_LINE


@each_role
def test_a_tool_that_a_prompt_names_is_granted(role: RoleSpec) -> None:
    for tool in BUILTIN_TOOLS:
        if f"the {tool} tool" in role.prompt:
            assert tool in role.tools


def test_no_two_roles_work_in_the_same_way() -> None:
    words = {role.key: _trigrams(role.prompt) for role in POOL.roles}
    for left, right in combinations(words, 2):
        shared = len(words[left] & words[right]) / min(len(words[left]), len(words[right]))
        assert shared < 0.12, (left, right, shared)


def test_each_refuse_condition_is_its_own() -> None:
    counts = Counter(role.refuse_condition for role in POOL.roles)
    assert counts.most_common(1)[0][1] == 1


def _trigrams(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return set(zip(words, words[1:], words[2:], strict=False))
