"""Measures how strong each baseline is with other prompt wordings, and how many answers are cut.

    bin/studio bench wordings FILE --benchmark gsm8k --url URL --model NAME
                              [--rows 0:120] [--out ANSWERS.jsonl] [--tokens 1024] [--large]
                              [--temperature 0] [--seed 0] [--methods direct,chain_of_thought]
                              [--best 3]

FILE has training tasks, never those that methods are compared on. Each wording of
`bench/common/wordings.py` answers each task once, and so does the studio's current prompt
(`shipped`; with `--large` the one for models that are not small). The studio's own code reads the
answers, runs programs and gives verdicts. ANSWERS keeps every answer, so the same command continues
from there. With `--best 3` and more rows, only the three wordings of each method with most right
answers in ANSWERS continue, as in successive halving (Jamieson and Talwalkar 2016). The table still
shows all of them.
"""

import argparse
import asyncio
import hashlib
import json
import os
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from bench.common.report import report
from bench.common.wordings import SHIPPED, WORDINGS, Wording, shipped
from workers.core.benchmarks.judge_run import answer_verified
from workers.core.benchmarks.readers import read_rows
from workers.core.benchmarks.registry import BENCHMARKS
from workers.core.intervals import wilson
from workers.core.llm.client import OpenAIClient
from workers.core.llm.types import ChatMessage
from workers.core.mas.contribution import contribute
from workers.core.mas.conversation import Exchange, Meter
from workers.core.specs import SMALL_BELOW, AnswerForm, EndpointSpec, TaskSpec
from workers.core.tools.registry import TOOLS

AT_ONCE = 64
STUDIO = "shipped"


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer. `tokens`: prompt and completion; None if the server does not say. `asked`: the
    settings of the request. `messages`: a digest of the messages sent. Both are empty in files of
    older versions."""

    method: str
    wording: str
    task: int
    correct: bool
    answered: bool
    cut: bool
    tokens: int | None
    text: str
    asked: str = ""
    messages: str = ""


def main() -> None:
    options = _options()
    rows = islice(read_rows(options.file), options.first, options.last)
    tasks = [BENCHMARKS[options.benchmark].task(row) for _, row in rows]
    answers = asyncio.run(Trial(options).answers(tasks))
    table: list[tuple[str, ...]] = []
    best: dict[str, float] = {}
    for method, wording in dict.fromkeys((each.method, each.wording) for each in answers):
        group = [a for a in answers if (a.method, a.wording) == (method, wording)]
        table.append(_row(method, wording, group))
        right = sum(answer.correct for answer in group) / len(group)
        best[method] = max(best.get(method, 0.0), right)
    columns = ("method", "wording", "right (95%)", "no answer", "cut", "tokens")
    cut = sum(answer.cut for answer in answers) / len(answers)
    report("wordings", columns, sorted(table), best=best, cut_share=cut)


class Trial:
    """Asks only what was not asked before, and keeps each answer as it comes."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._out: Path = options.out
        self._asked = asked_with(options)
        self._endpoint = EndpointSpec(
            key="bench",
            base_url=options.url,
            model=options.model,
            context_length=options.context,
            max_concurrency=AT_ONCE,
            timeout_seconds=3_000,
            allow_private_address=True,
            parameters=None if options.large else SMALL_BELOW - 1,
        )

    async def answers(self, tasks: Sequence[TaskSpec]) -> list[Answered]:
        """The answers to these tasks, after asking for the missing ones."""
        form = BENCHMARKS[self._options.benchmark].answer_form
        first, kept = self._options.first, self._kept()
        known = {(a.method, a.wording, a.task): a for a in kept}
        wanted = [
            (wording, first + place, task)
            for place, task in enumerate(tasks)
            for wording in self._wordings(form, kept)
        ]
        missing = []
        for wording, row, task in wanted:
            answer = known.get((wording.method, wording.name, row))
            if answer is None:
                missing.append((wording, row, task))
            elif answer.messages not in ("", digest(self._messages(wording, task, form))):
                raise SystemExit(
                    f"{self._out} has an answer to an older wording of “{wording.name}” "
                    f"({wording.method}). Name another file with --out."
                )
        queue = iter(missing)
        async with OpenAIClient() as client:
            await asyncio.gather(*(self._work(client, queue, form) for _ in range(AT_ONCE)))
        rows = range(first, first + len(tasks))
        return [a for a in self._kept() if a.task in rows and a.method in self._options.methods]

    def _wordings(self, form: AnswerForm, kept: Sequence[Answered]) -> list[Wording]:
        """The chosen wordings; with `--best` only that many per method, the most right first."""
        methods = self._options.methods
        every = [Wording(m, STUDIO) for m in methods if form == "text" or m != "program"]
        every += [each for each in WORDINGS[form] if each.method in methods]
        if self._options.best is None:
            return every

        def right(wording: Wording) -> float:
            key = (wording.method, wording.name)
            group = [a.correct for a in kept if (a.method, a.wording) == key]
            return sum(group) / len(group) if group else 1.0  # what was not tried may be the best

        return [
            wording
            for method in methods
            for wording in sorted(
                (w for w in every if w.method == method), key=right, reverse=True
            )[: self._options.best]
        ]

    async def _work(
        self, client: OpenAIClient, queue: Iterator[tuple[Wording, int, TaskSpec]], form: AnswerForm
    ) -> None:
        for wording, row, task in queue:
            answer = await self._answer(client, wording, row, task, form)
            with self._out.open("a") as file:
                file.write(json.dumps(asdict(answer)) + "\n")

    async def _answer(
        self, client: OpenAIClient, wording: Wording, row: int, task: TaskSpec, form: AnswerForm
    ) -> Answered:
        options, meter = self._options, Meter()
        messages = self._messages(wording, task, form)
        exchange = Exchange(
            agent_id="a1",
            client=client,
            endpoint=self._endpoint,
            messages=messages,
            tools=(),
            temperature=options.temperature,
            seed=options.seed,
            max_completion_tokens=options.tokens,
            stream=False,
            emit=lambda event: None,
            answer_form=form,
            program=TOOLS["program"] if wording.runs_program else None,
        )
        said = await contribute(exchange, meter)
        verdict = await answer_verified(task, answer=said.answer, message=said.text)
        used = meter.used()
        parts = (used.prompt_tokens, used.completion_tokens)
        return Answered(
            method=wording.method,
            wording=wording.name,
            task=row,
            correct=bool(verdict and verdict.correct),
            answered=said.answer is not None,
            cut=said.truncated,
            tokens=None if None in parts else sum(part or 0 for part in parts),
            text=said.text,
            asked=self._asked,
            messages=digest(messages),
        )

    def _messages(
        self, wording: Wording, task: TaskSpec, form: AnswerForm
    ) -> tuple[ChatMessage, ...]:
        if wording.name != STUDIO:
            return wording.messages(task.query)
        return shipped(wording.method, task.query, form=form, endpoint=self._endpoint)

    def _kept(self) -> list[Answered]:
        """Read the kept answers. Raises SystemExit for answers from other settings."""
        if not self._out.exists():
            return []
        whole = self._out.read_bytes()
        if (end := whole.rfind(b"\n") + 1) < len(whole):
            # A kill in the middle of a write: that task is asked again.
            os.truncate(self._out, end)
        kept = [Answered(**json.loads(line)) for line in whole[:end].splitlines()]
        other = next((each.asked for each in kept if each.asked not in ("", self._asked)), None)
        if other is not None:
            raise SystemExit(
                f"{self._out} has answers from other settings ({other}), not from these "
                f"({self._asked}). Name another file with --out."
            )
        return kept


def digest(messages: Sequence[ChatMessage]) -> str:
    told = "\0".join(f"{message.role}\0{message.content}" for message in messages)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def asked_with(options: argparse.Namespace) -> str:
    """All settings that change a wording's answer to a task."""
    size = "large" if options.large else "small"
    return (
        f"{options.benchmark} in {options.file.name}, {options.model} as a {size} model, "
        f"{options.tokens} tokens, temperature {options.temperature:g}, seed {options.seed}"
    )


def _row(method: str, wording: str, answers: Sequence[Answered]) -> tuple[str, ...]:
    total = len(answers)
    right = sum(answer.correct for answer in answers)
    interval = wilson(right, total)
    within = f" ({100 * interval.low:.0f}–{100 * interval.high:.0f}%)" if interval else ""
    tokens = [answer.tokens for answer in answers if answer.tokens is not None]
    return (
        method,
        wording,
        f"{right} of {total}{within}",
        str(sum(not answer.answered for answer in answers)),
        str(sum(answer.cut for answer in answers)),
        f"{statistics.fmean(tokens):.0f}" if tokens else "–",
    )


def _methods(text: str) -> list[str]:
    names = text.split(",")
    if unknown := sorted({*names} - {*SHIPPED}):
        raise argparse.ArgumentTypeError(
            f"unknown methods: {', '.join(unknown)}. Use: {', '.join(SHIPPED)}"
        )
    return names


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench wordings", description=__doc__.split("\n")[0])
    parser.add_argument(
        "file", type=Path, help="file of training tasks, as JSON Lines, CSV or Parquet"
    )
    parser.add_argument("--benchmark", required=True, choices=sorted(BENCHMARKS))
    parser.add_argument("--url", required=True, help="the endpoint's base URL, with /v1")
    parser.add_argument("--model", required=True)
    parser.add_argument(
        "--context", type=int, default=8_192, help="the model's context length in tokens"
    )
    parser.add_argument("--rows", default="0:120", help="first row, and the row after the last")
    parser.add_argument("--methods", type=_methods, default=list(SHIPPED), metavar="M,M")
    parser.add_argument(
        "--best",
        type=int,
        metavar="N",
        help="continue only with the N best wordings of each method",
    )
    parser.add_argument("--tokens", type=int, default=1_024, help="token limit of an answer")
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("wordings.jsonl"))
    options = parser.parse_args()
    options.first, options.last = map(int, options.rows.split(":"))
    return options


if __name__ == "__main__":
    main()
