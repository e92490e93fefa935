"""The tasks on our own site are there to be done, with the tools as they are."""

import json

import pytest

from bench.common.tool_tasks import corpus_tasks, local_site
from bench.tools import Figures, on_site, told


def test_there_are_fifty_and_a_seed_says_which() -> None:
    ours = local_site()
    assert len(list(corpus_tasks())) + len(list(ours.tasks("http://site"))) == 50
    assert ours == local_site()
    assert ours.facts != local_site(1).facts


async def test_every_fact_of_the_site_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    figures = Figures()
    await on_site(figures, pause=0.0)
    assert figures.tasks == [True] * 14
    told(figures)
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (last["bench"], last["success"]) == ("tools", 1.0)
    assert last["tokens_per_page_p95"] > 1_000
    assert last["browser_open_p95_ms"] > 0
