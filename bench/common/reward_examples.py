"""Turns an evaluation's answers into examples for a reward model: ReSo's records, right or wrong.

    bin/studio manage evaluate … --out RESULTS.csv
    STUDIO_TOKEN=… python -m bench.common.reward_examples RESULTS.csv OUT.jsonl \
        --studio http://127.0.0.1:8000

It takes the first run of each question that ended with an answer: the question as the subtask, the
arm as the role, and the text that led to the answer.
"""

from collections.abc import Iterable
from pathlib import Path

from bench.common.asked_runs import Row, Told, arguments, asked
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.reso.rewards import record
from workers.core.methods.reso.tuning.examples import RewardExample
from workers.core.specs import RoleSpec, SubtaskSpec


def main() -> None:
    parser = arguments("Write an evaluation's answers as ReSo's records.")
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    examples = examples_of(asked(options, dict))
    options.out.write_text("".join(f"{each.model_dump_json()}\n" for each in examples))
    print(f"{len(examples)} answers, {sum(each.right for each in examples)} of them right")


def examples_of(answers: Iterable[tuple[Row, Told]]) -> list[RewardExample]:
    """Examples from rows of the CSV, each with its run. Only the first answer to each problem
    counts: several answers to one problem teach less than answers to several problems."""
    found: dict[str, RewardExample] = {}
    for row, run in answers:
        if run["status"] == "succeeded" and run["answer"] and run["correct"] is not None:
            found.setdefault(run["query"], example_of(row["arm"], run))
    return list(found.values())


def example_of(arm: str, run: Told) -> RewardExample:
    told = record(
        RoleSpec(key="arm", name=arm, family="arms", description=arm, prompt=arm),
        SubtaskSpec(id="s1", text=run["query"]),
        AgentOutcome("a", arm, message=run["message"] or "", answer=run["answer"]),
        [],
    )
    return RewardExample(record=told, right=run["correct"])


if __name__ == "__main__":
    main()
