"""The world of teams as a training sees it, with its model's tokens."""

import random
from pathlib import Path

import pytest

from bench.common.teams.model import CLOSE, DELIVER, HEADER, SOLVER, make_model
from bench.common.teams.optimum import best
from bench.common.teams.queries import draw_queries
from bench.common.teams.teams import all_teams
from bench.common.teams.trial import DESIGN_TOKENS, SIMPLE_TEAMS, best_executor, valued
from bench.common.teams.world import TeamsWorld
from bench.common.teams.writing import script_of
from workers.core.rollouts.policies import answer_ids, prompt_ids
from workers.core.scripts.problems import ScriptError

QUERIES = draw_queries(40, seed=1, split="train")


def test_every_team_that_is_enumerated_is_a_script_of_the_language() -> None:
    world, task = TeamsWorld(), QUERIES[0].task()
    teams = random.Random(0).sample(all_teams(9), 60)
    for team in (*teams, *best().teams.values()):
        script = world.script(task, script_of(team))
        assert world.meaning(task, script).required().team is not None


def test_pieces_in_a_wrong_order_are_no_script() -> None:
    world, task = TeamsWorld(), QUERIES[0].task()
    for reply in (f"{DELIVER}{SOLVER}{CLOSE}", f"{HEADER}{DELIVER}{SOLVER}", f"{HEADER}{SOLVER}"):
        with pytest.raises(ScriptError):
            world.meaning(task, world.script(task, reply)).required()


async def test_a_demonstration_has_the_form_of_an_answer(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    make_model(tmp_path / "model", seed=0)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "model")
    generator = random.Random(0)
    for query in QUERIES:
        designer, *executors = await TeamsWorld().demonstrated(query.task(), generator)
        tokens = answer_ids(tokenizer, designer.said)
        assert len(tokens) <= DESIGN_TOKENS
        assert tokenizer.decode(tokens, skip_special_tokens=True) == designer.said
        assert 1 <= len(executors) <= 64
        for shown in executors:
            assert len(answer_ids(tokenizer, shown.said)) == 2
            prompt_ids(tokenizer, shown.messages)  # raises for a word that it lacks


async def test_the_same_seed_gives_the_same_demonstration() -> None:
    task = QUERIES[2].task()
    told = [await TeamsWorld().demonstrated(task, random.Random(4)) for _ in range(2)]
    assert told[0] == told[1]


def test_a_blind_designer_reads_another_query() -> None:
    tasks = [query.task() for query in QUERIES]
    world = TeamsWorld(tasks)
    read = [world.designer_messages(task)[0]["content"] for task in tasks]
    assert read == [world.designer_messages(task)[0]["content"] for task in tasks]
    assert sum(task.query in text for task, text in zip(tasks, read, strict=True)) < 5


async def test_the_best_teams_with_the_best_executor_are_the_optimum() -> None:
    queries = draw_queries(200, seed=7, split="validation")
    scripts = [script_of(best().teams[query.kind, len(query.operations)]) for query in queries]
    told = await valued(queries, scripts, best_executor)
    assert told.reward == pytest.approx(best().of(queries), abs=0.02)
    assert len(SIMPLE_TEAMS) == 13
