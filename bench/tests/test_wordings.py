"""The comparison of wordings, against a server that says what each of them should lead to."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench import wordings
from bench.common.wordings import CODE_WORDINGS, SHIPPED, TEXT_WORDINGS
from bench.tests.conftest import Ran
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import Rule

TASKS = 3
USUAL = [each for each in TEXT_WORDINGS if each.method in SHIPPED]
WORDINGS = len(SHIPPED) + len(USUAL)
PROGRAM = "```python\nprint(1 + 2)\n```"
"""Right for the first task alone."""
MENDED = {"chain_of_thought": (SHIPPED["chain_of_thought"][0], {"text": "Think, and \\boxed{}."})}
LONG = " ".join("on" * times for times in range(1, 40))
TOKENS = "80"

Bench = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    """Adds what the question adds. Writes one program; is long where it is to number."""
    rules = (Rule("Python", reply=PROGRAM), Rule("the problem in short numbered", reply=LONG))
    with running_stub(rules=rules) as running:
        yield running


@pytest.fixture
def bench(stub: RunningStub, tmp_path: Path, ran: Ran) -> Bench:
    """Runs the program over three tasks; returns its last line, and under `said` all of it."""
    rows = [{"question": f"What is {n} + 2?", "answer": f"#### {n + 2}"} for n in range(TASKS + 1)]
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text("\n".join(map(json.dumps, rows)))
    stub.clear()

    def run(*more: str) -> dict[str, Any]:
        given = [str(tasks), "--benchmark", "gsm8k", "--url", stub.url, "--model", "stub"]
        given += ["--rows", f"1:{TASKS + 1}", "--tokens", TOKENS]
        given += ["--out", str(tmp_path / "answers.jsonl"), *more]
        last, said = ran(wordings.main, *given)
        return {**last, "said": said}

    return run


def asked(stub: RunningStub) -> Counter[str]:
    return Counter(json.dumps(body["messages"]) for body in stub.log()["requests"])


def kept(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]


def test_each_wording_is_asked_once_per_task_cut_answers_are_counted_and_programs_run(
    bench: Bench, stub: RunningStub, tmp_path: Path
) -> None:
    found = bench()
    requests = asked(stub)
    assert requests.total() == TASKS * WORDINGS
    assert set(requests.values()) == {1}
    answers = kept(tmp_path)
    assert {each["task"] for each in answers} == {1, 2, 3}, "the rows that were asked for"
    pairs = Counter((each["method"], each["wording"]) for each in answers)
    wanted = [(method, "shipped") for method in SHIPPED]
    wanted += [(each.method, each.name) for each in USUAL]
    assert pairs == dict.fromkeys(wanted, TASKS)
    cut = [each for each in answers if each["cut"]]
    assert {each["wording"] for each in cut} == {"system, numbered steps"}
    assert not any(each["answered"] or each["correct"] for each in cut)
    programs = [each for each in answers if each["method"] == "program"]
    assert all("3" in each["text"].splitlines()[-1] for each in programs), "what they printed"
    assert {each["task"] for each in programs if each["correct"]} == {1}
    said = found.pop("said").splitlines()
    numbered = next(line for line in said if "│ system, numbered steps" in line)
    cells = [cell.strip() for cell in numbered.strip("│").split("│")]
    assert cells[2].startswith("0 of 3 (")
    assert cells[3:5] == ["3", "3"], "without an answer, and cut"
    assert float(cells[5]) > int(TOKENS)
    assert found == {
        "bench": "wordings",
        "best": {"direct": 1.0, "chain_of_thought": 1.0, "program": pytest.approx(1 / 3, abs=1e-3)},
        "cut_share": round(TASKS / (TASKS * WORDINGS), 3),
    }


def test_a_run_that_was_killed_goes_on_and_asks_nothing_twice(
    bench: Bench, stub: RunningStub, tmp_path: Path
) -> None:
    direct = ("--methods", "direct")
    whole = bench(*direct)
    out = tmp_path / "answers.jsonl"
    lines = out.read_text().splitlines()
    out.write_text("\n".join([*lines[:5], lines[5][:30]]))
    stub.clear()
    assert {**bench(*direct), "said": ""} == {**whole, "said": ""}
    assert asked(stub).total() == len(lines) - 5
    assert sorted(out.read_text().splitlines()) == sorted(lines)
    stub.clear()
    bench(*direct)
    assert asked(stub).total() == 0


def test_the_best_of_each_method_go_on_and_the_table_tells_all(
    bench: Bench, stub: RunningStub, tmp_path: Path
) -> None:
    bench("--rows", "1:2")
    stub.clear()
    said = bench("--best", "2")["said"]
    assert asked(stub).total() == 2 * 2 * len(SHIPPED), "two wordings, and two more rows"
    further = Counter(each["wording"] for each in kept(tmp_path) if each["task"] > 1)
    assert further["system, numbered steps"] == 0, "it was cut, so it is none of the two"
    assert "│ system, numbered steps" in said
    assert "1 of 1" in said
    assert "3 of 3" in said


def test_an_unknown_method_is_named(
    bench: Bench, stub: RunningStub, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        bench("--methods", "direct,oracle")
    assert (
        "unknown methods: oracle. Use: direct, chain_of_thought, program, debate"
        in capsys.readouterr().err
    )
    assert asked(stub).total() == 0


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--samples", "3"], "at temperature 0 all samples are the same"),
        (["--methods", "debate", "--temperature", "0.7"], "a debate needs two answers to read"),
    ],
)
def test_samples_that_could_tell_nothing_are_refused(
    bench: Bench,
    stub: RunningStub,
    capsys: pytest.CaptureFixture[str],
    given: list[str],
    told: str,
) -> None:
    with pytest.raises(SystemExit):
        bench(*given)
    assert told in capsys.readouterr().err
    assert asked(stub).total() == 0


def test_the_most_frequent_answer_counts_and_debaters_read_the_first_round(
    bench: Bench, stub: RunningStub, tmp_path: Path
) -> None:
    sampled = ("--temperature", "0.7", "--samples")
    assert bench("--methods", "chain_of_thought", *sampled, "5")["best"] == {
        "chain_of_thought": 1.0
    }
    first = kept(tmp_path)
    assert {each["sample"] for each in first} == set(range(5))
    shipped = Counter(each["messages"] for each in first if each["wording"] == "shipped")
    assert set(shipped.values()) == {5}, "the samples of a task are asked alike"
    assert len({body["seed"] for body in stub.log()["requests"]}) == 5
    stub.clear()
    bench("--methods", "debate", *sampled, "3")
    texts = [body["messages"][-1]["content"] for body in stub.log()["requests"]]
    debates = 1 + sum(each.method == "debate" for each in TEXT_WORDINGS)
    assert len(texts) == 3 * TASKS * debates, "the first round is known"
    assert all(text.count('<message from="Debater') == 3 for text in texts)
    named = [text for text in texts if text.startswith("You are Debater 3. Compare your last")]
    assert len(named) == 2 * TASKS, "where a wording names the debater"


def test_a_tie_goes_to_the_earliest_sample_and_no_answer_abstains() -> None:
    def said(sample: int, answer: str | None, *, correct: bool) -> wordings.Answered:
        return wordings.Answered(
            "debate",
            "shipped",
            1,
            correct,
            answer is not None,
            False,
            9,
            "",
            "",
            "",
            sample,
            answer,
        )

    right, wrong, none = "4", "5", None
    for answers, expected in (
        ([none, wrong, right], False),
        ([right, wrong, none], True),
        ([wrong, right, "4.0"], True),
        ([none, none, none], False),
    ):
        samples = [
            said(place, answer, correct=answer in (right, "4.0"))
            for place, answer in enumerate(answers)
        ]
        assert wordings.voted(samples[::-1], "text") == [expected], answers


@pytest.mark.parametrize("other", [["--tokens", "60"], ["--large"], ["--temperature", "0.5"]])
def test_answers_of_other_settings_are_not_taken_for_these(
    bench: Bench, stub: RunningStub, other: list[str]
) -> None:
    bench("--methods", "direct")
    stub.clear()
    with pytest.raises(SystemExit, match=r"has answers from other settings .*80 tokens"):
        bench("--methods", "direct", *other)
    assert asked(stub).total() == 0


def test_an_answer_to_another_wording_is_not_taken_for_this_one(
    bench: Bench, stub: RunningStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench("--methods", "chain_of_thought")
    stub.clear()
    monkeypatch.setattr("bench.common.wordings.SHIPPED", {**SHIPPED, **MENDED})
    with pytest.raises(SystemExit, match=r"older wording of “shipped” \(chain_of_thought\)"):
        bench("--methods", "chain_of_thought")
    assert asked(stub).total() == 0


def test_answers_of_older_versions_count(bench: Bench, stub: RunningStub, tmp_path: Path) -> None:
    bench("--methods", "direct")
    out = tmp_path / "answers.jsonl"
    older = [
        {k: v for k, v in each.items() if k not in ("asked", "messages")} for each in kept(tmp_path)
    ]
    out.write_text("".join(json.dumps(each) + "\n" for each in older))
    stub.clear()
    assert bench("--methods", "direct")["best"] == {"direct": 1.0}
    assert asked(stub).total() == 0


def test_code_has_wordings_of_its_own_and_no_program_that_prints(
    stub: RunningStub, tmp_path: Path, ran: Ran
) -> None:
    row = {"task_id": 1, "text": "Write f.", "code": "def f(): ...", "test_list": ["assert f()"]}
    (tmp_path / "code.jsonl").write_text(json.dumps(row))
    given = [str(tmp_path / "code.jsonl"), "--benchmark", "mbpp", "--url", stub.url]
    ran(wordings.main, *given, "--model", "stub", "--out", str(tmp_path / "answers.jsonl"))
    methods = Counter(each["method"] for each in kept(tmp_path))
    assert set(methods) == {"direct", "chain_of_thought"}
    assert methods.total() == 2 + sum(each.method in SHIPPED for each in CODE_WORDINGS)
