"""The sample script that forms offer: what the page reads is what runs."""

from workers.core.events import BlockCalled, ScriptEnded, ScriptRead
from workers.core.methods.metaagent_x.config import MetaAgentXConfig
from workers.core.methods.metaagent_x.designing import read_script
from workers.core.methods.metaagent_x.tests.support import of, plays, solved

SCHEMA = MetaAgentXConfig.model_json_schema()["properties"]
[SAMPLE] = SCHEMA["script"]["examples"]


def test_it_is_read_without_problems_and_drawn_whole() -> None:
    meaning = read_script(SAMPLE, ())
    assert meaning.problems == ()
    assert meaning.shape == "reflection(ensemble:majority(agent×3),agent;rounds=1)"
    assert meaning.drawing is not None
    assert meaning.drawing.complete
    named = {block.name for block in meaning.drawing.blocks if block.kind == "agent"}
    assert named == {"Solver 1", "Solver 2", "Solver 3", "Checker"}


def test_it_is_data_so_it_needs_no_sandbox() -> None:
    assert read_script(SAMPLE, ()).team is not None


async def test_a_small_model_runs_it_although_it_gives_no_verdict() -> None:
    events = await solved(plays(["never"]), config={"script": SAMPLE})
    [read] = of(events, ScriptRead)
    assert (read.origin, read.script) == ("given", SAMPLE.rstrip())
    assert len(of(events, BlockCalled)) == 7
    [ended] = of(events, ScriptEnded)
    assert ended.ending == "delivered"


def test_the_form_knows_what_it_takes_the_place_of() -> None:
    assert SCHEMA["designer"]["writes"] == "script"
    assert SCHEMA["script"]["format"] == "code"
