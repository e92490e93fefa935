"""A real browser for agents: Chromium in a container of its own, which reaches nothing but a
guarded proxy.

    session.py     starts and ends it, and asks it
    contained.py   what it can see and do
    spare.py       has the next run's started in time
    inside.py      runs in there: Playwright and Chromium
"""
