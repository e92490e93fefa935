"""Asks the embedded model 60 simple questions with every method's defaults.

    python -m bench.embedded_answers
    python -m bench.embedded_answers --methods direct,mashost --questions 4 --show
    python -m bench.embedded_answers --model qwen.gguf --alias qwen2.5-coder-0.5b
    python -m bench.embedded_answers --methods evomas --questions 6 [--reply-tokens 1024]

It starts the embedded model (SmolLM2-135M-Instruct), or another one, on a free port. It asks each
question with each method's defaults, one run after the other: self-consistency with k = 3, methods
that need a role pool with the built-in one. Other methods can be named; they have no web search
here. An answer is right if it has the expected number and no other, or if it is short (≤ 80
characters) and has the expected word.
"""

import argparse
import asyncio
import json
import re
import socket
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bench.common.report import report
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.events import Event
from workers.core.llm.client import OpenAIClient
from workers.core.llm.embedded import ALIAS, EXTRA_BODY, HOST
from workers.core.mas.cut_answers import CutAnswers
from workers.core.mas.small_models import suggested_parameters
from workers.core.methods.base import LimitsReplies
from workers.core.methods.registry import METHODS as ALL_METHODS
from workers.core.pools import load_builtin_pool
from workers.core.run import run_execute
from workers.core.specs import REPLY_TOKENS, Budget, EndpointSpec, RunSpec, TaskSpec

METHODS: dict[str, dict[str, Any]] = {
    "direct": {},
    "chain_of_thought": {},
    "self_consistency": {"k": 3},
    "mashost": {},
}
SHORT_ANSWER = 80
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Question:
    """`accepted`: one number, or words of which one must be in the answer."""

    text: str
    accepted: tuple[str, ...]

    def right(self, answer: str | None) -> bool:
        if answer is None:
            return False
        if self.accepted[0].isdigit():
            numbers = {float(n.replace(",", "")) for n in _NUMBER.findall(answer)}
            return numbers == {float(self.accepted[0])}
        words = "|".join(map(re.escape, self.accepted))
        said = re.search(rf"\b(?:{words})\b", answer, re.IGNORECASE)
        return said is not None and len(answer) <= SHORT_ANSWER


QUESTIONS = (
    Question(
        "A baker sells 14 loaves at 3 dollars and 5 cakes at 12 dollars. How much in all?", ("102",)
    ),
    Question("Tom has 23 marbles and gives 8 to his sister. How many are left?", ("15",)),
    Question("A train goes 60 kilometres per hour for 4 hours. How far does it go?", ("240",)),
    Question("What is 18 * 7?", ("126",)),
    Question("What is the capital of Italy?", ("Rome",)),
    Question("What is the capital of Japan?", ("Tokyo",)),
    Question("Which planet is closest to the Sun?", ("Mercury",)),
    Question("Which gas do plants take from the air to grow?", ("carbon dioxide", "CO2")),
    Question("How many days does a leap year have?", ("366",)),
    Question("Who wrote Romeo and Juliet?", ("Shakespeare",)),
    Question("In Python, what does len([4, 5, 6]) return?", ("3",)),
    Question("Which Python keyword defines a function?", ("def",)),
    Question("What is 7 + 8?", ("15",)),
    Question("What is 45 + 27?", ("72",)),
    Question("What is 9 * 6?", ("54",)),
    Question("What is 100 - 37?", ("63",)),
    Question("What is 144 / 12?", ("12",)),
    Question("What is 25 * 4?", ("100",)),
    Question("What is 13 + 29 + 8?", ("50",)),
    Question("What is 15 percent of 200?", ("30",)),
    Question("What is half of 86?", ("43",)),
    Question("What is 3 times 17?", ("51",)),
    Question("Anna has 5 apples and buys 7 more. How many apples does she have?", ("12",)),
    Question("A box holds 6 eggs. How many eggs are in 4 boxes?", ("24",)),
    Question("Ben reads 12 pages a day. How many pages does he read in 5 days?", ("60",)),
    Question("There are 30 sweets for 5 children. How many does each child get?", ("6",)),
    Question(
        "A shirt costs 20 dollars and is 5 dollars cheaper today. What does it cost today?", ("15",)
    ),
    Question("Lea is 9 years old. How old is she in 6 years?", ("15",)),
    Question("A bus has 40 seats and 28 are taken. How many seats are free?", ("12",)),
    Question("One ticket costs 8 dollars. What do 3 tickets cost?", ("24",)),
    Question(
        "A rope of 50 metres is cut into 10 equal pieces. How long is a piece, in metres?", ("5",)
    ),
    Question(
        "Paul had 50 dollars, spent 15 and then found 5. How many dollars does he have?", ("40",)
    ),
    Question("What is the capital of France?", ("Paris",)),
    Question("What is the capital of Spain?", ("Madrid",)),
    Question("What is the capital of Germany?", ("Berlin",)),
    Question("What is the capital of Egypt?", ("Cairo",)),
    Question("What is the capital of Canada?", ("Ottawa",)),
    Question("What is the capital of Russia?", ("Moscow",)),
    Question("What is the capital of China?", ("Beijing",)),
    Question("What is the capital of Greece?", ("Athens",)),
    Question("How many legs does a spider have?", ("8", "eight")),
    Question("How many minutes are in an hour?", ("60", "sixty")),
    Question("How many months does a year have?", ("12", "twelve")),
    Question("How many sides does a triangle have?", ("3", "three")),
    Question("What is the largest planet of the solar system?", ("Jupiter",)),
    Question("What is the chemical symbol of gold?", ("Au",)),
    Question("Which animal is known to say moo?", ("cow",)),
    Question("Which language is spoken in Brazil?", ("Portuguese",)),
    Question("Who painted the Mona Lisa?", ("Leonardo", "da Vinci")),
    Question("What is frozen water called?", ("ice",)),
    Question("Which ocean lies between Europe and America?", ("Atlantic",)),
    Question("What do bees make?", ("honey",)),
    Question("On which continent is Kenya?", ("Africa",)),
    Question("What colour do blue and yellow make together?", ("green",)),
    Question("How many continents are there?", ("7", "seven")),
    Question("Which metal is liquid at room temperature?", ("mercury",)),
    Question("What is the opposite of hot?", ("cold",)),
    Question("What is the first month of the year?", ("January",)),
    Question("In Python, what does len('abc') return?", ("3",)),
    Question("In Python, what is 2 ** 5?", ("32",)),
)


@dataclass(frozen=True, slots=True)
class Run:
    """`tokens` are prompt + completion over all calls. `seconds` are wall time. `cut` of the
    model's `answers` ended at their limit."""

    answer: str | None
    right: bool
    tokens: int
    written: int
    seconds: float
    agents: int
    answers: int
    cut: int


@contextmanager
def embedded_model(model: str, alias: str, extra: Mapping[str, Any]) -> Iterator[EndpointSpec]:
    """The endpoint of an embedded server, which runs until the block ends."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "workers.core.llm.embedded", "--port", str(port)]
    command += ["--model", model, "--alias", alias]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            if server.stdout is None or not server.stdout.readline().startswith("ready"):
                sys.exit("The embedded model did not start. See its log above.")
            yield EndpointSpec(
                key="embedded",
                base_url=f"http://{HOST}:{port}/v1",
                model=alias,
                context_length=4_096,
                max_concurrency=4,
                allow_private_address=True,
                parameters=suggested_parameters(alias),
                parameters_from="name",
                extra_body=dict(extra),
            )
        finally:
            server.terminate()


async def ask(
    question: Question,
    method: str,
    *,
    endpoint: EndpointSpec,
    embedder: MiniLMEmbedder,
    reply_tokens: int | None,
) -> Run:
    """One run, without cached answers of earlier runs."""
    asked = ALL_METHODS[method]
    if reply_tokens is None and isinstance(asked, LimitsReplies) and endpoint.is_small:
        reply_tokens = asked.small_reply_tokens
    spec = RunSpec(
        task=TaskSpec(query=question.text),
        method=method,
        method_config=METHODS.get(method, {}),
        budget=Budget(max_completion_tokens_per_call=reply_tokens or REPLY_TOKENS),
        endpoint=endpoint,
        pool=load_builtin_pool("general") if asked.needs_pool else None,
    )
    async with OpenAIClient() as client:
        events = [event async for event in run_execute(spec, client=client, embedder=embedder)]
    return _read(question, events)


def _read(question: Question, events: Sequence[Event]) -> Run:
    end = events[-1]
    if end.event not in {"run_finished", "run_failed", "run_cancelled"}:
        raise AssertionError(f"a run ended with {end.event}")
    answer = end.answer if end.event == "run_finished" else None
    written = end.usage.completion_tokens or 0
    answers = CutAnswers()
    for event in events:
        answers.take(event)
    return Run(
        answer=answer,
        right=question.right(answer),
        tokens=written + (end.usage.prompt_tokens or 0),
        written=written,
        seconds=end.seconds,
        agents=sum(event.event == "agent_started" for event in events),
        answers=answers.answers,
        cut=answers.cut,
    )


async def measure(
    methods: Sequence[str],
    questions: Sequence[Question],
    *,
    model: str,
    alias: str,
    extra: Mapping[str, Any],
    reply_tokens: int | None,
    show: bool,
) -> None:
    embedder = MiniLMEmbedder()
    await embedder.embed(["warm"])
    rows, values = [], {}
    with embedded_model(model, alias, extra) as endpoint:
        for method in methods:
            runs = []
            for question in questions:
                run = await ask(
                    question,
                    method,
                    endpoint=endpoint,
                    embedder=embedder,
                    reply_tokens=reply_tokens,
                )
                runs.append(run)
                if show:
                    mark = "+" if run.right else "-"
                    print(f"{mark} {method} {run.seconds:.1f} s {question.text} → {run.answer!r}")
            rows.append(_row(method, runs))
            values[f"{method}_right"] = float(sum(run.right for run in runs))
            values[f"{method}_cut"] = float(sum(run.cut for run in runs))
            values[f"{method}_seconds"] = statistics.median(run.seconds for run in runs)
            values[f"{method}_max_seconds"] = max(run.seconds for run in runs)
    embedder.close()
    columns = (
        "method",
        "right",
        "cut answers",
        "agents",
        "tokens",
        "written",
        "median s",
        "longest s",
    )
    report("embedded_answers", columns, rows, questions=float(len(questions)), **values)


def _row(method: str, runs: Sequence[Run]) -> tuple[str, ...]:
    seconds = [run.seconds for run in runs]
    return (
        method,
        f"{sum(run.right for run in runs)} of {len(runs)}",
        f"{sum(run.cut for run in runs)} of {sum(run.answers for run in runs)}",
        f"{statistics.fmean(run.agents for run in runs):.1f}",
        f"{statistics.fmean(run.tokens for run in runs):,.0f}",
        f"{statistics.fmean(run.written for run in runs):,.0f}",
        f"{statistics.median(seconds):.1f}",
        f"{max(seconds):.1f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="embedded_answers", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--methods",
        default=",".join(METHODS),
        help=f"keys of methods, separated by commas (default: {','.join(METHODS)})",
    )
    parser.add_argument(
        "--questions", type=int, default=len(QUESTIONS), help="ask only the first N questions"
    )
    parser.add_argument("--show", action="store_true", help="print every answer")
    parser.add_argument("--model", default="", help="a GGUF file (default: the embedded model)")
    parser.add_argument("--alias", default=ALIAS, help="the name to serve the model under")
    parser.add_argument(
        "--extra",
        type=json.loads,
        default=EXTRA_BODY,
        help=f"extra request fields (default: {json.dumps(EXTRA_BODY)})",
    )
    parser.add_argument(
        "--reply-tokens", type=int, help="limit of one reply (default: the method's)"
    )
    given = parser.parse_args()
    methods, questions = given.methods.split(","), QUESTIONS[: given.questions]
    asyncio.run(
        measure(
            methods,
            questions,
            model=given.model,
            alias=given.alias,
            extra=given.extra,
            reply_tokens=given.reply_tokens,
            show=given.show,
        )
    )


if __name__ == "__main__":
    main()
