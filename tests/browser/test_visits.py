"""A test sees nothing of those that had its context before."""

import pytest
from playwright.sync_api import Page

from tests.browser.visits import Visited, Visits

pytestmark = pytest.mark.browser

ABOUT_ME = "**/api/me"
LEAVE = """async () => {
    document.cookie = 'left=1; path=/'
    localStorage.setItem('left', '1')
    sessionStorage.setItem('left', '1')
    await caches.open('left')
    await new Promise((resolve) => { indexedDB.open('left').onsuccess = resolve })
}"""
FOUND = """async () => [
    ...document.cookie.split('; ').filter((cookie) => cookie.startsWith('left')),
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...await caches.keys(),
    ...(await indexedDB.databases()).map((database) => database.name),
]"""
MAY_TELL_PLACE = "navigator.permissions.query({ name: 'geolocation' }).then((may) => may.state)"


def opened(visited: Visited) -> Page:
    page = visited.context.new_page()
    page.goto("/")
    return page


def test_a_kept_context_is_as_a_new_one(visits: Visits) -> None:
    new = visits.begin("viewer", kept=False)
    page = opened(new)
    stored, may = page.evaluate(FOUND), page.evaluate(MAY_TELL_PLACE)
    visits.end(new, passed=True)

    first = visits.begin("viewer", kept=True)
    page = opened(first)
    page.evaluate(LEAVE)
    assert len(page.evaluate(FOUND)) >= 5
    first.context.grant_permissions(["geolocation"])
    first.context.route(ABOUT_ME, lambda route: route.abort())
    first.context.set_offline(True)
    visits.end(first, passed=True)
    assert first.context.cookies() == []

    second = visits.begin("viewer", kept=True)
    assert second is first
    assert second.pages == []
    page = second.context.new_page()
    with page.expect_response(ABOUT_ME) as me:
        page.goto("/")
    assert me.value.json()["username"] == "test-viewer"
    assert page.evaluate(FOUND) == stored
    assert page.evaluate(MAY_TELL_PLACE) == may
    visits.end(second, passed=True)


def test_people_do_not_meet_in_one_context(visits: Visits) -> None:
    visits.end(visits.begin("viewer", kept=True), passed=True)
    nobody, viewer = visits.begin(None, kept=True), visits.begin("viewer", kept=True)
    another = visits.begin("viewer", kept=True)
    assert len({id(each.context) for each in (nobody, viewer, another)}) == 3
    for each in (nobody, viewer, another):
        visits.end(each, passed=True)
