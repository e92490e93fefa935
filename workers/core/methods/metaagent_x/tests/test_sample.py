"""The sample script that forms offer: what the page reads is what runs."""

from workers.core.events import BlockCalled, IntermediateAnswer, ScriptRead
from workers.core.methods.metaagent_x.config import MetaAgentXConfig
from workers.core.methods.metaagent_x.designing import read_script
from workers.core.methods.metaagent_x.tests.support import of, plays, solved

[SAMPLE] = MetaAgentXConfig.model_json_schema()["properties"]["script"]["examples"]


def test_it_is_read_without_problems_and_drawn_whole() -> None:
    meaning = read_script(SAMPLE, ())
    assert meaning.problems == ()
    assert meaning.shape == "sequence(ensemble:majority(agent×3),agent)"
    assert meaning.drawing is not None
    assert meaning.drawing.complete
    named = {block.name for block in meaning.drawing.blocks if block.kind == "agent"}
    assert named == {"Solver 1", "Solver 2", "Solver 3", "Checker"}


def test_it_is_data_so_it_needs_no_sandbox() -> None:
    assert read_script(SAMPLE, ()).team is not None


async def test_three_vote_and_the_checker_has_the_last_word() -> None:
    said = plays(["never"], solve="Answer: 41", check="Answer: 42")
    events = await solved(said, config={"script": SAMPLE})
    [read] = of(events, ScriptRead)
    assert (read.origin, read.script) == ("given", SAMPLE.rstrip())
    assert [(call.node.role.name, call.reads) for call in of(events, BlockCalled)] == [
        *((f"Solver {n}", ()) for n in (1, 2, 3)),
        ("Checker", ("a1",)),
    ]
    [answer] = of(events, IntermediateAnswer)
    assert (answer.answer, answer.agent_id) == ("42", "a4")
