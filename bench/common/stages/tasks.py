"""The words of the world's tasks. No sentence and no subject of the test is in the training."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.common.stages.world import KINDS, SUBTASKS

WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "recall": {
        "training": (
            "Name the capital of {}.",
            "Say which continent {} belongs to.",
            "State which language most people speak in {}.",
            "Give the currency that is used in {}.",
            "Say from memory which countries border {}.",
            "Name the largest city of {}.",
        ),
        "test": (
            "Say which ocean or sea {} lies on.",
            "State the official religion or religions of {}.",
            "Name the highest mountain of {}.",
        ),
    },
    "search": {
        "training": (
            "Look up who won the last election in {}.",
            "Find out how many people lived in {} in the last census.",
            "Search for the year in which the railway of {} was opened.",
            "Find the name of the current minister of finance of {}.",
            "Look up how much rain fell in {} last year.",
            "Search for news about the harbour strike in {}.",
        ),
        "test": (
            "Find out when the newest airport of {} was opened.",
            "Look up who wrote the national anthem of {}.",
            "Search for the number of tourists that visited {} last year.",
        ),
    },
    "browse": {
        "training": (
            "Open the site of the museum of {} and read the opening hours in its table.",
            "On the page of the university of {}, follow the link to the staff list and count it.",
            "Click through the archive of the newspaper of {} to the first issue.",
            "Fill in the timetable form of the trains of {} and note the first connection.",
            "Scroll down the statistics page of {} to the last row of its table.",
            "Open the menu of the parliament's site of {} and list the committees.",
        ),
        "test": (
            "Go to the web site of the zoo of {}, open the page of prices and copy them.",
            "On the site of the library of {}, click on the catalogue and sort it by year.",
            "Open the web page of the weather service of {} and read the chart of this week.",
        ),
    },
    "reason": {
        "training": (
            "Calculate how many days lie between the two dates that are known about {}.",
            "Work out the ratio of the two numbers for {} and round it to two digits.",
            "Decide which of the values for {} is larger and by how much.",
            "Convert the length for {} from miles to kilometres.",
            "Add the amounts for {} and divide the sum by the number of years.",
            "Solve the equation for the growth of {} step by step.",
        ),
        "test": (
            "Compute the average of the three figures for {}.",
            "Work out by how many percent the number for {} has grown.",
            "Put the results for {} into order and subtract the smallest from the largest.",
        ),
    },
}
SUBJECTS = {
    "training": (
        *("Norway", "Chile", "Kenya", "Japan", "Portugal", "Canada", "Egypt", "Peru"),
        *("Poland", "Vietnam", "Ghana", "Austria", "Mexico", "Finland", "Nepal", "Cuba"),
    ),
    "test": (
        *("Iceland", "Brazil", "Morocco", "Thailand", "Greece", "Australia", "Senegal"),
        *("Bolivia", "Hungary", "Mongolia"),
    ),
}


@dataclass(frozen=True, slots=True)
class StagedTask:
    objective: str
    subtasks: tuple[str, ...]
    kinds: tuple[str, ...]


def draw_tasks(count: int, *, seed: int, split: str) -> list[StagedTask]:
    random = np.random.default_rng(seed)
    return [_task(random, split) for _ in range(count)]


def _task(random: np.random.Generator, split: str) -> StagedTask:
    kinds = tuple(KINDS[place] for place in random.integers(len(KINDS), size=SUBTASKS))
    subject = _one(random, SUBJECTS[split])
    subtasks = tuple(_one(random, WORDS[kind][split]).format(subject) for kind in kinds)
    return StagedTask(f"Three questions about {subject}.", subtasks, kinds)


def _one(random: np.random.Generator, among: Sequence[str]) -> str:
    return among[int(random.integers(len(among)))]
