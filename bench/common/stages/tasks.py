"""The words of the world's tasks, in three splits. No sentence and no subject is in two of them.
Settings are chosen on the validation; the test was written after they had been chosen."""

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
            "What are the colours of the flag of {}?",
            "Tell which form of government {} has.",
            "Explain in a sentence what {} is best known for.",
            "Which hemisphere is {} in?",
            "Recall the name of a famous writer from {}.",
            "What do you call the people of {}?",
            "Describe in general terms the climate of {}.",
            "Answer from what you know: is {} an island?",
            "From general knowledge, say when {} became independent.",
            "Recall who founded the oldest bank of {}.",
            "Say from memory how many provinces {} has.",
            "Without looking anything up, tell who wrote the best-known novel of {}.",
            "Name the composer of the best-known opera of {}.",
            "From memory, give the year in which the metro of {} was opened.",
            "Say in your own words what the national holiday of {} celebrates.",
            "Name three animals that live in {}.",
            "Tell from what you know which sport is most popular in {}.",
            "What is the telephone code of {}?",
            "Which time zone is {} in?",
            "Name a well-known painter from {}.",
            "Say which side of the road people drive on in {}.",
            "State from general knowledge what the main crops of {} are.",
        ),
        "validation": (
            "Say which ocean or sea {} lies on.",
            "State the main religion or religions of {}.",
            "What is the highest mountain of {} called?",
            "Give the usual greeting in {}.",
        ),
        "test": (
            "Is {} a monarchy or a republic?",
            "Tell the name of the longest river of {}.",
            "Mention two dishes that {} is famous for.",
            "What kind of landscape covers most of {}?",
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
            "Find the latest figure for unemployment in {}.",
            "Research when the oldest university of {} was founded.",
            "Look for a source on the number of islands of {}.",
            "Find out on the web who designed the parliament building of {}.",
            "Search the internet for the date of the next census in {}.",
            "Look up which company built the longest bridge of {}.",
            "Find reports on last month's exports of {}.",
            "Check in a reliable source how many athletes {} sent to the games.",
            "Look up when {} became independent.",
            "Find out who founded the oldest bank of {}.",
            "Search for the number of provinces of {}.",
            "Look up who wrote the best-known novel of {}.",
            "Find out who composed the best-known opera of {}.",
            "Search for the year in which the metro of {} was opened.",
            "Look up who designed the flag of {}.",
            "Find out when the first stadium of {} was built.",
            "Search for the name of the present mayor of the largest city of {}.",
            "Look up which languages are official in {} since the last reform.",
            "Find a source for the height of the tallest tower of {}.",
            "Research who discovered the largest cave of {}.",
            "Find out which river of {} had the worst flood.",
            "Look up the date on which the currency of {} was introduced.",
        ),
        "validation": (
            "Find out when the newest airport of {} was opened.",
            "Look up who wrote the national anthem of {}.",
            "Search for the number of tourists that visited {} last year.",
            "Find a source that names the largest employer of {}.",
        ),
        "test": (
            "Look up the year in which {} joined the United Nations.",
            "Find out who is the present ambassador of {} in Paris.",
            "Search for the latest inflation figure of {}.",
            "Research which of the newspapers of {} sells most copies.",
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
            "Go to the tourist portal of {}, choose the tab of events and read the first entry.",
            "Visit the home page of the airport of {} and open the list of arrivals.",
            "On the shop page of {}, select the largest size and read the price.",
            "Navigate to the contact page of the embassy of {} and copy the address.",
            "Click on the second photo in the gallery of {} and read its caption.",
            "Open the online map of {}, zoom in and read the name of the square.",
            "Log on to the open data page of {} and download the first table.",
            "On the forum of {}, open the newest thread and read the first reply.",
            "Open the web page of the metro of {} and read the map of its lines.",
            "Go to the web site of the bank of {} and read the table of exchange rates.",
            "On the page of the opera of {}, click on the programme and read the first title.",
            "Visit the web page of the ministry of health of {} and open the newest report.",
            "Open the site of the national archive of {} and fill in the search form.",
            "Click on the tab of provinces on the portal of {} and copy the list.",
            "Open the web page of the harbour of {} and read the chart of this month.",
            "Scroll through the page of the football league of {} to the last table.",
            "On the web site of the botanical garden of {}, follow the link to the map.",
            "Navigate the page of the court of {} to the newest decision.",
            "Open the page of the radio of {} and click on the schedule of today.",
            "On the site of the hospital of {}, open the menu and choose the list of wards.",
            "Go to the page of the observatory of {}, click on the camera and read the time.",
            "Open the page of the census of {}, sort the table and copy its first row.",
        ),
        "validation": (
            "Go to the web site of the zoo of {}, open the page of prices and copy them.",
            "On the site of the library of {}, click on the catalogue and sort it by year.",
            "Open the web page of the weather service of {} and read the chart of this week.",
            "Follow the links on the page of the theatre of {} to the programme of May.",
        ),
        "test": (
            "Open the ticket page of the ferry of {} and choose the earliest date.",
            "On the web site of the stadium of {}, click on the seating plan and read the legend.",
            "Visit the page of the post of {} and fill in the form for parcels.",
            "Scroll through the list of members on the site of the academy of {}.",
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
            "Multiply the price by the number of visitors of {}.",
            "Compare the results for {} and conclude which one cannot be right.",
            "Estimate how long the trip through {} takes at 80 kilometres per hour.",
            "Derive the share of {} in the total from the given figures.",
            "Sort the figures of {} by size and compute the median.",
            "Infer from the two facts about {} which event came first.",
            "Subtract the smaller area of {} from the larger one.",
            "Check by calculation whether the sum for {} is correct.",
            "Calculate how many years ago {} became independent.",
            "Work out by how much the tower of {} is taller than the other one.",
            "Divide the number of provinces of {} by the number of its regions.",
            "Decide from the given opening hours in {} which visit is possible.",
            "Compute the difference between the two exchange rates for {}.",
            "Add up the three distances through {} and halve the result.",
            "Convert the temperature for {} from Fahrenheit to Celsius.",
            "Work out how many tickets the budget for {} pays for.",
            "Conclude from the three statements about {} who is right.",
            "Calculate the growth rate of {} from the two census figures.",
            "Determine which of the two trains in {} arrives first.",
            "Compute how many people of {} share one doctor.",
            "Find the mistake in the sum of the exports of {}.",
            "Arrange the events in the history of {} by the given dates.",
        ),
        "validation": (
            "Compute the average of the three figures for {}.",
            "Work out by how many percent the number for {} has grown.",
            "Put the results for {} into order and subtract the smallest from the largest.",
            "Determine how many hours {} is ahead if the two times are given.",
        ),
        "test": (
            "Calculate what the amount for {} is worth at the given exchange rate.",
            "Work out the density of {} from its area and its population.",
            "Divide the total of {} among the regions and round to whole numbers.",
            "Decide by arithmetic which of the two claims about {} holds.",
        ),
    },
}
SUBJECTS = {
    "training": (
        *("Norway", "Chile", "Kenya", "Japan", "Portugal", "Canada", "Egypt", "Peru"),
        *("Poland", "Vietnam", "Ghana", "Austria"),
    ),
    "validation": ("Iceland", "Brazil", "Morocco", "Thailand", "Greece", "Australia"),
    "test": ("Senegal", "Bolivia", "Hungary", "Mongolia", "Denmark", "Fiji"),
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
