"""Tasks that a checkpoint was trained on, in several disguises."""

import random
import time
import tracemalloc
from collections.abc import Iterator

import pytest

from workers.core.benchmarks.compositional import TASK_GRAPH, base_problems, compose, problems_of
from workers.core.benchmarks.games.base import GameOptions
from workers.core.benchmarks.games.episodes import GAMES, episodes
from workers.core.benchmarks.games.plan_path import PlanPathOptions
from workers.core.benchmarks.games.sokoban import SokobanOptions
from workers.core.benchmarks.games.sudoku import SudokuOptions
from workers.core.benchmarks.mbpp import MBPP
from workers.core.benchmarks.mmlu import MMLU
from workers.core.benchmarks.sameness import query_hash, query_hashes, task_hashes
from workers.core.evaluation import leak
from workers.core.evaluation.leak import Leak, LeakIndex, find_leaks
from workers.core.specs import TaskSpec
from workers.core.tests.support import within

MARBLES = "Tom has twice as many marbles as Anna. Together they have 36 marbles. How many has Anna?"


def test_case_spacing_and_punctuation_hide_nothing() -> None:
    disguised = (
        "tom has TWICE as many marbles as Anna\n together they have ３６ marbles; how many has anna"
    )
    assert find_leaks({"t": disguised}, [MARBLES]).same == ("t",)


def test_one_more_word_is_near() -> None:
    found = find_leaks({"t": MARBLES.replace("has Anna?", "has Anna now?")}, [MARBLES])
    assert (found.same, found.near, found.tasks) == ((), ("t",), ("t",))


def test_an_unrelated_task_is_clean() -> None:
    other = "A train travels 180 miles in 3 hours. How far does it go in 5 hours at the same speed?"
    assert find_leaks({"t": other}, [MARBLES]).tasks == ()


def test_short_and_wordless_texts_are_compared_whole() -> None:
    found = find_leaks({"a": "1 + 1?", "b": "1 + 2?", "c": "+ − ×", "d": "÷ ÷"}, ["1+1", "+ − ×"])
    assert found.same == ("a", "c")
    assert found.near == ()


def test_nothing_to_compare_with_leaks_nothing() -> None:
    assert find_leaks({"t": MARBLES}, []).tasks == ()
    assert find_leaks({}, [MARBLES]).tasks == ()


def test_a_hash_is_the_same_in_every_process() -> None:
    assert query_hash("Hello,  World!") == query_hash("hello world")
    assert query_hash("hello world") == "e9a804b2e527fd3601d2ffc0bb023cd6"


def test_what_a_benchmark_puts_around_a_question_hides_nothing() -> None:
    text = "Write a function to find the shared elements from the given two lists."
    asked = MBPP.task({"text": text, "test_list": ["assert f([1], [1]) == {1}"]}).query
    assert find_leaks({"t": asked}, [text]).same == ("t",)
    assert find_leaks({"t": text}, [asked]).same == ("t",)
    assert find_leaks({"t": text}, [], query_hashes(asked)).same == ("t",)


def test_options_in_another_order_hide_nothing() -> None:
    choices = ["the nucleus", "the ribosome", "a mitochondrion", "the membrane"]
    question = "Which part of a cell makes most of its energy?"
    first, second, other = (
        MMLU.task({"question": question, "choices": order, "answer": "0"}).query
        for order in (choices, choices[::-1], ["a star", "a stone", "a spoon", "a song"])
    )
    assert find_leaks({"t": first, "u": other}, [second]).same == ("t",)


def test_a_question_inside_a_longer_text_is_near() -> None:
    longer = f"Read this with care, then think step by step and explain. {MARBLES} Give a number."
    assert find_leaks({"t": longer}, [MARBLES]).near == ("t",)
    assert find_leaks({"t": MARBLES}, [longer]).near == ("t",)


def test_a_text_without_spaces_is_compared_by_its_characters() -> None:
    text = "小明有三十六个弹珠，他给了小红一半，请问小明现在还剩下多少个弹珠？"
    changed = text.replace("弹珠？", "弹珠呢？")
    assert find_leaks({"t": changed}, [text]).near == ("t",)
    assert find_leaks({"t": "火车三小时行驶一百八十公里，五小时行驶多少公里？"}, [text]).tasks == ()


def test_training_queries_pass_by_one_at_a_time_up_to_a_bound() -> None:
    """10,000 queries of 200 words: 400 MB when all their runs were kept."""
    drawn = random.Random(0)
    vocabulary = [f"w{number}" for number in range(20_000)]
    known = " ".join(drawn.choices(vocabulary, k=200))

    def training() -> Iterator[str]:
        for _ in range(4_000):
            yield " ".join(drawn.choices(vocabulary, k=200))
        yield known

    index = LeakIndex({"t": known + " now"})
    with within(60):
        tracemalloc.start()
        short = index.find(training(), chars=100_000)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert (short.tasks, short.whole) == ((), False)
        assert peak < 5_000_000
        found = index.find(training())
        assert (found.near, found.whole) == (("t",), True)


def test_more_tasks_than_are_indexed_are_compared_for_sameness() -> None:
    tasks = {"a": MARBLES, "b": MARBLES.replace("Tom", "Tim")}
    found = LeakIndex(tasks, runs=15).find([MARBLES.replace("36", "37"), tasks["b"]])
    assert (found.same, found.near, found.whole) == (("b",), ("a",), False)


def test_beyond_the_bound_no_runs_of_words_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[list[str]] = []

    def shingles(text: list[str]) -> set[int]:
        made.append(text)
        return set(range(10))

    monkeypatch.setattr(leak, "_shingles", shingles)
    LeakIndex({str(number): f"{MARBLES} {number}" for number in range(9)}, runs=15)
    assert len(made) == 2


def test_a_phrase_of_the_whole_data_set_is_no_leak_and_costs_little() -> None:
    phrase = "Please answer the following question with a single number and nothing else"
    training = [f"{phrase}: what is the sum of {n} and {n + 1}?" for n in range(8_000)]
    began = time.perf_counter()
    found = find_leaks({"t": f"{phrase}: who wrote the old song of the sea in 1820?"}, training)
    assert found.tasks == ()
    assert time.perf_counter() - began < 60


class TestComposed:
    """Tasks composed of the same problems share no run of words but those of their roots."""

    SOLD = ("Ann sells eggs", "Bo sells maps", "Cy sells bees", "Di sells hats", "Ed sells kites")
    BASE = tuple(
        TaskSpec(
            query=f"{sold} for {n} days, {n + 2} each day to {who}. How many are that in all?",
            reference=str(n * (n + 2)),
            verifier="numeric",
        )
        for n, (sold, who) in enumerate(
            [(sold, who) for sold in SOLD for who in ("her aunt", "a friend of old", "nobody")],
            start=3,
        )
    )
    OTHER = tuple(
        TaskSpec(
            query=f"A train of {n} cars and a bus meet {where}; who is late by how many hours?",
            reference=str(n),
            verifier="numeric",
        )
        for n, where in enumerate(["in a town", "at sea", "on a hill", "far away"], start=3)
    )

    @staticmethod
    def composed(base: tuple[TaskSpec, ...], seed: int, count: int = 4) -> list[TaskSpec]:
        return list(compose(problems_of(base), count=count, nodes=3, seed=seed))

    @staticmethod
    def problems(task: TaskSpec) -> tuple[str, ...]:
        return base_problems(task.query, task.metadata.get(TASK_GRAPH))

    def found(self, tasks: list[TaskSpec], training: list[TaskSpec]) -> Leak:
        return find_leaks(
            {str(place): task.query for place, task in enumerate(tasks)},
            [text for task in training for text in self.problems(task) or (task.query,)],
            parts={str(place): self.problems(task) for place, task in enumerate(tasks)},
        )

    def test_tasks_that_share_problems_are_found_wherever_their_numbers_are_told(self) -> None:
        tasks, training = self.composed(self.BASE, 1), self.composed(self.BASE, 2, count=20)
        found = self.found(tasks, training)
        assert (found.same, found.near, len(found.parts)) == ((), (), 4)
        assert found.tasks == found.parts

    def test_tasks_made_of_problems_trained_on_are_found(self) -> None:
        tasks = self.composed(self.BASE, 1)
        assert len(self.found(tasks, list(self.BASE)).parts) == 4
        (task,) = tasks[:1]
        dependent = [text for text in self.problems(task) if text not in task.query]
        assert dependent
        for text in dependent:  # also by one whose number is told in the task
            assert self.found([task], [TaskSpec(query=text)]).parts == ("0",)

    def test_problems_of_tasks_trained_on_are_found(self) -> None:
        training = self.composed(self.BASE, 1, count=1)
        inside = set(self.problems(training[0]))
        found = self.found(list(self.BASE), training)
        assert {self.BASE[int(place)].query for place in found.same} == inside

    def test_what_all_composed_tasks_say_is_no_leak(self) -> None:
        found = self.found(self.composed(self.BASE, 1), self.composed(self.OTHER, 1))
        assert found.tasks == ()
        assert self.found(self.composed(self.BASE, 1), list(self.OTHER)).tasks == ()
        assert self.found(list(self.BASE), self.composed(self.OTHER, 1)).tasks == ()

    def test_a_checkpoint_from_elsewhere_tells_of_the_problems_too(self) -> None:
        task, other = self.composed(self.BASE, 1, count=1)[0], self.composed(self.BASE, 2)[0]
        inside = self.problems(task)
        asked = {"0": inside[-1], "1": other.query}
        hashes = task_hashes(task)
        assert find_leaks(asked, [], hashes).same == ("0",)
        assert find_leaks({"0": task.query}, [], hashes, parts={"0": inside}).same == ("0",)
        assert find_leaks({"0": "?"}, [], hashes, parts={"0": inside}).parts == ("0",)
        assert task_hashes(TaskSpec(query=MARBLES)) == query_hashes(MARBLES)

    def test_problems_that_come_again_and_again_cost_little(self) -> None:
        """Ten thousand composed tasks are made of a few thousand problems."""
        text = MARBLES * 10
        found = LeakIndex({"t": "1 + 1?"}).find([text] * 100 + ["1+1"], chars=len(text) * 9)
        assert (found.same, found.whole) == (("t",), True)
        assert not LeakIndex({"t": "1 + 1?"}).find([text] * 1_000, chars=len(text) * 9).whole

    def test_problems_in_very_many_tasks_are_found_still(self) -> None:
        """A run of words in many tasks is a phrase, unless they have the whole problem."""
        tasks = {str(number): f"{number}: {MARBLES}" for number in range(leak.COMMON + 9)}
        parts = {task: [MARBLES] for task in tasks}
        found = find_leaks(tasks, [f"{MARBLES} Quick!"], parts=parts)
        assert len(found.parts) == len(tasks)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("plan_path", PlanPathOptions(size=5)),
        ("plan_path", PlanPathOptions(size=10)),
        ("sokoban", SokobanOptions()),
        ("sudoku", SudokuOptions()),
    ],
)
def test_boards_of_a_game_are_told_apart(game: str, options: GameOptions) -> None:
    """All their words are alike: the board is the question."""
    drawn = [
        [task.query for task in episodes(GAMES[game], options, split=split, count=30, seed=0)]
        for split in ("train", "test")
    ]
    training, test = drawn
    tasks = {str(number): query for number, query in enumerate(test)}
    assert find_leaks(tasks, training).tasks == ()
    hashes = {digest for query in training for digest in query_hashes(query)}
    assert len(hashes) == 30
    assert find_leaks(tasks, [], hashes).tasks == ()
    tasks["seen"] = f"{training[7]}\n"
    assert find_leaks(tasks, training).tasks == ("seen",)
    assert find_leaks(tasks, [], hashes).tasks == ("seen",)
