"""Measures how strong each baseline is with other prompt wordings, and how many answers are cut.

    bin/studio bench wordings FILE --benchmark gsm8k --url URL --model NAME
                              [--rows 0:120] [--out ANSWERS.jsonl] [--tokens 1024] [--large]
                              [--temperature 0] [--seed 0] [--methods direct,chain_of_thought]
                              [--best 3] [--samples 5]

FILE has training tasks, never those that methods are compared on. Each wording of
`bench/common/wordings.py` answers each task once, and so does the studio's current prompt
(`shipped`; with `--large` the one for models that are not small). The studio's own code reads the
answers, runs programs and gives verdicts. ANSWERS keeps every answer, so the same command continues
from there. With `--best 3` and more rows, only the three wordings of each method with most right
answers in ANSWERS continue, as in successive halving (Jamieson and Talwalkar 2016). The table still
shows all of them.

With `--samples 5 --temperature 0.7` each wording answers each task five times, and the most
frequent answer counts: self-consistency. `--methods debate` asks for second rounds alone: each
debater reads the samples of the shipped chain of thought, which are asked for first.
"""

import argparse
import asyncio
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice, product
from pathlib import Path

from bench.common.report import report
from bench.common.wordings import DEBATE, SHIPPED, WORDINGS, Wording, second_round, shipped
from workers.core.answers.reading import counted
from workers.core.benchmarks.judge_run import answer_verified
from workers.core.benchmarks.readers import read_rows
from workers.core.benchmarks.registry import BENCHMARKS
from workers.core.intervals import wilson
from workers.core.llm.client import OpenAIClient
from workers.core.llm.types import ChatMessage
from workers.core.mas.contribution import contribute
from workers.core.mas.conversation import Exchange, Meter
from workers.core.methods.seeds import sample_seed
from workers.core.specs import SMALL_BELOW, AnswerForm, EndpointSpec, TaskSpec
from workers.core.tools.registry import TOOLS

AT_ONCE = 64
STUDIO = "shipped"
FIRST_ROUND = Wording("chain_of_thought", STUDIO)
"""What debaters read."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer. `tokens`: prompt and completion; None if the server does not say. `asked`: the
    settings of the request. `messages`: a digest of the messages sent. Both are empty in files of
    older versions. `sample`: which one of `--samples`, from 0."""

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
    sample: int = 0
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for: one sample of one wording's answer to one task."""

    wording: Wording
    row: int
    sample: int
    task: TaskSpec
    messages: tuple[ChatMessage, ...]


def main() -> None:
    options = _options()
    rows = islice(read_rows(options.file), options.first, options.last)
    tasks = [BENCHMARKS[options.benchmark].task(row) for _, row in rows]
    answers = asyncio.run(Trial(options).answers(tasks))
    table: list[tuple[str, ...]] = []
    best: dict[str, float] = {}
    for method, wording in dict.fromkeys((each.method, each.wording) for each in answers):
        group = [a for a in answers if (a.method, a.wording) == (method, wording)]
        right = voted(group, BENCHMARKS[options.benchmark].answer_form)
        table.append(_row(method, wording, group, right))
        best[method] = max(best.get(method, 0.0), sum(right) / len(right))
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
        by_row = dict(enumerate(tasks, self._options.first))
        methods = self._options.methods
        first = [each for each in self._wordings(form) if each.method != DEBATE]
        if DEBATE in methods and FIRST_ROUND not in first:
            first.append(FIRST_ROUND)
        await self._ask(first, by_row, form)
        await self._ask(
            [each for each in self._wordings(form) if each.method == DEBATE], by_row, form
        )
        return [
            answer
            for answer in self._kept()
            if answer.task in by_row
            and answer.method in methods
            and answer.sample < self._options.samples
        ]

    async def _ask(
        self, wordings: Sequence[Wording], tasks: Mapping[int, TaskSpec], form: AnswerForm
    ) -> None:
        """Ask for what these wordings have not answered yet."""
        known = {(a.method, a.wording, a.task, a.sample): a for a in self._kept()}
        missing = []
        for row, task in tasks.items():
            for wording, sample in product(wordings, range(self._options.samples)):
                before = [
                    known[FIRST_ROUND.method, FIRST_ROUND.name, row, each]
                    for each in range(self._options.samples)
                    if wording.method == DEBATE
                ]
                messages = self._messages(wording, task, form, sample, before)
                answer = known.get((wording.method, wording.name, row, sample))
                if answer is None:
                    missing.append(Asked(wording, row, sample, task, messages))
                elif answer.messages not in ("", digest(messages)):
                    raise SystemExit(
                        f"{self._out} has an answer to an older wording of “{wording.name}” "
                        f"({wording.method}). Name another file with --out."
                    )
        queue = iter(missing)
        async with OpenAIClient() as client:
            await asyncio.gather(*(self._work(client, queue, form) for _ in range(AT_ONCE)))

    def _wordings(self, form: AnswerForm) -> list[Wording]:
        """The chosen wordings; with `--best` only that many per method, the most right first."""
        methods, kept = self._options.methods, self._kept()
        every = [Wording(m, STUDIO) for m in methods if form == "text" or m != "program"]
        every += [each for each in WORDINGS[form] if each.method in methods]
        if self._options.best is None:
            return every

        def right(wording: Wording) -> float:
            key = (wording.method, wording.name)
            found = voted([a for a in kept if (a.method, a.wording) == key], form)
            return sum(found) / len(found) if found else 1.0  # what was not tried may be the best

        return [
            wording
            for method in methods
            for wording in sorted(
                (w for w in every if w.method == method), key=right, reverse=True
            )[: self._options.best]
        ]

    async def _work(self, client: OpenAIClient, queue: Iterator[Asked], form: AnswerForm) -> None:
        for asked in queue:
            answer = await self._answer(client, asked, form)
            with self._out.open("a") as file:
                file.write(json.dumps(asdict(answer)) + "\n")

    async def _answer(self, client: OpenAIClient, asked: Asked, form: AnswerForm) -> Answered:
        options, meter = self._options, Meter()
        exchange = Exchange(
            agent_id="a1",
            client=client,
            endpoint=self._endpoint,
            messages=asked.messages,
            tools=(),
            temperature=options.temperature,
            seed=sample_seed(options.seed, asked.sample) if options.samples > 1 else options.seed,
            max_completion_tokens=options.tokens,
            stream=False,
            emit=lambda event: None,
            answer_form=form,
            program=TOOLS["program"] if asked.wording.runs_program else None,
        )
        said = await contribute(exchange, meter)
        verdict = await answer_verified(asked.task, answer=said.answer, message=said.text)
        used = meter.used()
        parts = (used.prompt_tokens, used.completion_tokens)
        return Answered(
            method=asked.wording.method,
            wording=asked.wording.name,
            task=asked.row,
            correct=bool(verdict and verdict.correct),
            answered=said.answer is not None,
            cut=said.truncated,
            tokens=None if None in parts else sum(part or 0 for part in parts),
            text=said.text,
            asked=self._asked,
            messages=digest(asked.messages),
            sample=asked.sample,
            answer=said.answer,
        )

    def _messages(
        self,
        wording: Wording,
        task: TaskSpec,
        form: AnswerForm,
        sample: int,
        before: Sequence[Answered],
    ) -> tuple[ChatMessage, ...]:
        if wording.method == DEBATE:
            said = [each.text for each in before]
            prompt = None if wording.name == STUDIO else wording.system
            return second_round(
                sample, said, task.query, form=form, endpoint=self._endpoint, prompt=prompt
            )
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
    one = "" if options.samples == 1 else " for all samples"
    return (
        f"{options.benchmark} in {options.file.name}, {options.model} as a {size} model, "
        f"{options.tokens} tokens, temperature {options.temperature:g}, seed {options.seed}{one}"
    )


def voted(answers: Sequence[Answered], form: AnswerForm) -> list[bool]:
    """Whether the most frequent answer is right, per task. A tie goes to the earliest sample."""
    by_task: dict[int, list[Answered]] = {}
    for each in sorted(answers, key=lambda each: (each.task, each.sample)):
        by_task.setdefault(each.task, []).append(each)
    return [_winner(samples, form).correct for samples in by_task.values()]


def _winner(samples: Sequence[Answered], form: AnswerForm) -> Answered:
    given = [each for each in samples if each.answer is not None]
    groups = counted([each.answer or "" for each in given], form)
    return given[max(groups, key=len)[0]] if groups else samples[0]


def _row(
    method: str, wording: str, answers: Sequence[Answered], voted_right: Sequence[bool]
) -> tuple[str, ...]:
    right, total = sum(voted_right), len(voted_right)
    interval = wilson(right, total)
    within = f" ({100 * interval.low:.0f}–{100 * interval.high:.0f}%)" if interval else ""
    tokens = [answer.tokens for answer in answers if answer.tokens is not None]
    return (
        method,
        wording,
        f"{right} of {total}{within}",
        str(sum(not answer.answered for answer in answers)),
        str(sum(answer.cut for answer in answers)),
        f"{sum(tokens) / total:.0f}" if tokens else "–",
    )


def _methods(text: str) -> list[str]:
    names = text.split(",")
    if unknown := sorted({*names} - {*SHIPPED, DEBATE}):
        raise argparse.ArgumentTypeError(
            f"unknown methods: {', '.join(unknown)}. Use: {', '.join([*SHIPPED, DEBATE])}"
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
    parser.add_argument("--samples", type=int, default=1, help="answers that vote, for each task")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("wordings.jsonl"))
    options = parser.parse_args()
    options.first, options.last = map(int, options.rows.split(":"))
    if options.samples > 1 and not options.temperature:
        parser.error("at temperature 0 all samples are the same: add --temperature 0.7")
    if DEBATE in options.methods and options.samples < 2:
        parser.error("a debate needs two answers to read: add --samples 3 --temperature 0.7")
    return options


if __name__ == "__main__":
    main()
