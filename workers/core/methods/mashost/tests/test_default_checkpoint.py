"""The checkpoint that new studios begin with: whom it asks first, on questions of twelve domains.

The questions are ours, five a domain; others (`twelve_domains_dev.jsonl`) chose how a role's fit is
measured and where the scope ends. `families` are those whose role may answer first.
"""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
import torch

from workers.core.benchmarks.registry import BENCHMARKS
from workers.core.checkpoints import SHIPPED, load
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.methods.mashost.config import METHOD_KEY, MasHostConfig
from workers.core.methods.mashost.prepared import prepare
from workers.core.methods.mashost.scope import fit_scope
from workers.core.methods.mashost.state import ConstructionState
from workers.core.methods.mashost.training.preparing import _thawed
from workers.core.methods.mashost.weights import PolicyCache, load_policy
from workers.core.methods.tests.support import context_for
from workers.core.pools import load_builtin_pool
from workers.core.specs import TaskSpec

CHECKPOINTS = SHIPPED / METHOD_KEY / "checkpoints"
DEFAULT = CHECKPOINTS / "mashost-coder-0.5b-3"
LEARNED = CHECKPOINTS / "mashost-coder-0.5b-2"
QUESTIONS = [
    json.loads(line)
    for line in Path(__file__).with_name("data").joinpath("twelve_domains.jsonl").open()
]
DATASETS = Path(__file__).parents[6] / "shared" / "datasets"
NOBODY = "http://127.0.0.1:9/v1"
"""Whom to ask first is decided before anybody is asked."""
LEAST = 51
"""Of 60: 85%."""


@cache
def embedder() -> MiniLMEmbedder:
    return MiniLMEmbedder()


@cache
def cached() -> PolicyCache:
    return PolicyCache()


async def first_choices(queries: Sequence[str], checkpoint: Path | None) -> list[tuple[str, bool]]:
    """Key of the first role, and whether the checkpoint's own policy chose it."""
    pool, config, chosen = load_builtin_pool("general"), MasHostConfig(), []
    async with context_for(NOBODY, embedder=embedder(), checkpoint=checkpoint) as context:
        for query in queries:
            task = TaskSpec(query=query)
            prepared = await prepare(cached(), pool, config, task=task, context=context)
            state = ConstructionState(query=prepared.query)
            decision = prepared.constructor.decide(state, torch.Generator())
            chosen.append((pool.roles[decision.action].key, not prepared.out_of_scope))
    return chosen


def fitting(choices: list[tuple[str, bool]]) -> Counter[str]:
    """How many first roles of each domain are of a family that fits."""
    families = {role.key: role.family for role in load_builtin_pool("general").roles}
    return Counter(
        question["domain"]
        for question, (role, _) in zip(QUESTIONS, choices, strict=True)
        if families[role] in question["families"]
    )


def rows(benchmark: str, file: str, first: int, last: int) -> list[str]:
    path = DATASETS / file
    if not path.exists():
        pytest.skip(f"{file} is not at hand: put the datasets into ../shared/datasets")
    lines = path.read_text().splitlines()[first:last]
    return [BENCHMARKS[benchmark].task(json.loads(line)).query for line in lines]


async def test_it_asks_first_whom_the_question_is_for() -> None:
    choices = await first_choices([each["query"] for each in QUESTIONS], DEFAULT)
    assert len(QUESTIONS) == 60
    fits = fitting(choices)
    assert fits.total() >= LEAST, fits
    assert min(fits[domain] for domain in {each["domain"] for each in QUESTIONS}) >= 2, fits


async def test_untrained_it_does_too_and_the_trained_policy_alone_does_not() -> None:
    """Else the scope would not be what makes the default adapt."""
    queries = [each["query"] for each in QUESTIONS]
    assert fitting(await first_choices(queries, None)).total() >= LEAST
    assert fitting(await first_choices(queries, LEARNED)).total() < LEAST


@pytest.mark.parametrize(
    ("benchmark", "file", "first", "last"),
    [
        ("gsm8k", "gsm8k_dev.jsonl", 0, 120),
        ("mbpp", "mbpp_train.jsonl", 160, 240),
        ("humaneval", "humaneval_dev.jsonl", 0, 40),
    ],
)
async def test_questions_of_its_training_s_kind_stay_with_the_trained_policy(
    benchmark: str, file: str, first: int, last: int
) -> None:
    """Rows that neither the training nor the scope has seen: nothing changes for them."""
    choices = await first_choices(rows(benchmark, file, first, last), DEFAULT)
    assert sum(inside for _, inside in choices) / len(choices) >= 0.975, len(choices)


def test_its_weights_are_those_of_the_training_and_the_scope_is_all_that_it_adds() -> None:
    _, learned = load(LEARNED, method=METHOD_KEY)
    info, tensors = load(DEFAULT, method=METHOD_KEY)
    assert set(tensors) - set(learned) == {"scope.weight", "scope.bias"}
    assert all(torch.equal(tensors[name], learned[name]) for name in learned)
    assert info.config["scope"] is True


class TestScope:
    def test_it_parts_two_groups_of_points(self) -> None:
        generator = torch.Generator().manual_seed(0)
        inside = torch.randn(40, 6, generator=generator) + torch.tensor([3.0, 0, 0, 0, 0, 0])
        outside = torch.randn(400, 6, generator=generator) - torch.tensor([3.0, 0, 0, 0, 0, 0])
        scope = fit_scope(inside, outside)
        assert scope.covers(inside).all()
        assert not scope.covers(outside).any()
        assert scope.weight.abs().argmax() == 0

    def test_one_side_alone_is_no_scope(self) -> None:
        with pytest.raises(ValueError, match="inside"):
            fit_scope(torch.zeros(0, 3), torch.ones(2, 3))

    def test_a_training_that_goes_on_from_it_drops_it(self) -> None:
        policy, _ = load_policy(DEFAULT)
        fresh = _thawed(policy)
        assert fresh.config.scope is False
        assert fresh.covers(torch.zeros(384))
        assert not [name for name in fresh.state_dict() if name.startswith("scope")]
