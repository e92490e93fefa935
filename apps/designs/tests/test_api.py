"""Designs over HTTP as every member of the cast: saving, conflicts, versions."""

from typing import Any
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User
from apps.accounts.tests.cast import OWNED, AsUser
from apps.designs import services
from apps.designs.models import Design, DesignVersion
from apps.designs.tests.conftest import agent, draft
from apps.llms.models import Endpoint
from workers.core.designs.spec import DesignSpec

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(cast: dict[str, User]) -> Design:
    return services.design_create(user=cast["operator"], name="Mine", draft=draft("ab", "ab"))


def at(design: Design, rest: str = "") -> str:
    return f"/api/designs/{design.id}{rest}"


class TestBeginning:
    def test_one_that_nobody_has_changed_is_taken_again_and_not_listed(
        self, as_user: AsUser
    ) -> None:
        client, other = as_user("operator"), as_user("admin")
        ask = {"reuse": True}
        first = client.post("/api/designs", ask).json()["id"]
        assert client.post("/api/designs", ask).json()["id"] == first
        assert client.post("/api/designs", {}).json()["id"] != first
        assert other.post("/api/designs", ask).json()["id"] != first
        assert client.get("/api/designs").json()["results"] == []
        for design in Design.objects.filter(created_by__username="operator"):
            save = {"revision": 1, "draft": draft("a")}
            assert client.patch(at(design), save).status_code == 200
        assert len(client.get("/api/designs").json()["results"]) == 2
        assert client.post("/api/designs", ask).json()["id"] != first

    def test_one_with_a_name_is_kept_and_listed(self, as_user: AsUser) -> None:
        client = as_user("operator")
        named = client.post("/api/designs", {"name": "Plan", "reuse": True}).json()["id"]
        assert client.post("/api/designs", {"reuse": True}).json()["id"] != named
        assert [row["id"] for row in client.get("/api/designs").json()["results"]] == [named]


class TestWhoMayDoWhat:
    @pytest.mark.parametrize(("who", "deletes"), OWNED)
    def test_all_operators_draw_and_the_owner_and_admins_delete(
        self, as_user: AsUser, made: Design, who: str, deletes: int
    ) -> None:
        client = as_user(who)
        assert client.post("/api/designs", {"name": "New"}).status_code == 201
        revision = client.patch(at(made), {"revision": 1, "name": "N"}).json()["revision"]
        version = {"revision": revision, "name": "first"}
        assert client.post(at(made, "/versions"), version).status_code == 201
        restore = {"revision": revision}
        assert client.post(at(made, "/versions/1/restore"), restore).status_code == 200
        assert client.delete(at(made)).status_code == (204 if deletes == 200 else deletes)

    def test_one_that_is_not_there(self, as_user: AsUser, made: Design) -> None:
        client = as_user("operator")
        gone = f"/api/designs/{uuid4()}"
        for answer in (
            client.get(gone),
            client.get(f"{gone}/revision"),
            client.patch(gone, {"revision": 1}),
            client.delete(gone),
            client.post(f"{gone}/versions", {"revision": 1, "name": "n"}),
            client.get(at(made, "/versions/7")),
            client.post(at(made, "/versions/7/restore"), {"revision": 1}),
        ):
            assert answer.status_code == 404


class TestSaving:
    def test_a_new_one_is_empty_and_says_what_is_missing(self, as_user: AsUser) -> None:
        body = as_user("operator").post("/api/designs", {}).json()
        assert (body["name"], body["revision"], body["agent_count"]) == ("Untitled design", 1, 0)
        assert body["draft"] == DesignSpec().model_dump(mode="json")
        assert [problem["code"] for problem in body["problems"]] == ["empty"]

    def test_what_is_drawn_is_kept_with_its_faults(self, as_user: AsUser, made: Design) -> None:
        wrong = draft("abc", "ab ba")
        wrong["agents"][2]["role"]["prompt"] = ""
        wrong["agents"][2]["endpoint"] = "none"
        body = as_user("operator").patch(at(made), {"revision": 1, "draft": wrong}).json()
        assert body["revision"] == 2
        found = {problem["code"] for problem in body["problems"]}
        assert found == {"cycle", "no_prompt", "unknown_endpoint"}

    def test_two_who_edit_do_not_overwrite_each_other(self, as_user: AsUser, made: Design) -> None:
        first = {"revision": 1, "draft": draft("abc", "ab bc")}
        assert as_user("curator").patch(at(made), first).status_code == 200
        second = as_user("operator").patch(at(made), {"revision": 1, "name": "Lost"})
        assert second.status_code == 409
        error = second.json()["error"]
        assert error["code"] == "design_changed"
        assert "curator saved this design at" in error["message"]
        made.refresh_from_db()
        assert (made.name, made.revision, len(made.draft["agents"])) == ("Mine", 2, 3)

    def test_an_open_designer_asks_whether_anything_changed(
        self, as_user: AsUser, made: Design
    ) -> None:
        as_user("curator").patch(at(made), {"revision": 1, "name": "Ours"})
        body = as_user("operator").get(at(made, "/revision")).json()
        assert (body["revision"], body["updated_by"]) == (2, "curator")
        assert set(body) == {"revision", "updated_by", "updated_at"}

    def test_saving_the_same_again_changes_nothing(self, as_user: AsUser, made: Design) -> None:
        body = {"revision": 1, "name": "Mine", "draft": draft("ab", "ab")}
        assert as_user("operator").patch(at(made), body).json()["revision"] == 1

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"name": "a\nb"}, "name"),
            ({"draft": {"agents": [agent("a"), agent("a")]}}, "draft"),
            ({"draft": {"agents": [{**agent("a"), "x": "code"}]}}, "draft.agents.0.x"),
            ({"draft": {"format": 9}}, "draft.format"),
            ({"draft": draft("a", answer_from="z")}, "draft"),
        ],
    )
    def test_what_is_refused_changes_nothing(
        self, as_user: AsUser, made: Design, change: dict[str, Any], field: str
    ) -> None:
        answer = as_user("operator").patch(at(made), {"revision": 1, **change})
        assert answer.status_code == 400
        assert [f["field"] for f in answer.json()["error"]["fields"]] == [field]
        made.refresh_from_db()
        assert (made.revision, made.draft["agents"][0]["id"]) == (1, "a")

    @pytest.mark.parametrize(
        ("prompt", "code"), [("a\x00b", "not_text"), ("x" * 1024, "too_large")]
    )
    def test_text_that_cannot_be_stored(
        self, as_user: AsUser, made: Design, monkeypatch: pytest.MonkeyPatch, prompt: str, code: str
    ) -> None:
        monkeypatch.setattr(services, "DRAFT_MAX_BYTES", 1024)
        change = {"revision": 1, "draft": {"agents": [agent("a", prompt=prompt)]}}
        answer = as_user("operator").patch(at(made), change)
        assert answer.json()["error"]["fields"][0]["code"] == code

    def test_an_endpoint_that_is_there_is_no_problem(
        self, as_user: AsUser, made: Design, endpoint: Endpoint
    ) -> None:
        given = draft("ab", "ab")
        given["agents"][0]["endpoint"] = "stub"
        body = as_user("operator").patch(at(made), {"revision": 1, "draft": given}).json()
        assert body["problems"] == []


class TestVersions:
    def test_named_read_and_restored(self, as_user: AsUser, made: Design) -> None:
        client = as_user("operator")
        first = client.post(at(made, "/versions"), {"revision": 1, "name": "two agents"})
        assert (first.json()["number"], first.json()["created_by"]) == (1, "operator")
        client.patch(at(made), {"revision": 1, "draft": draft("abc", "ab bc")})

        body = client.post(at(made, "/versions/1/restore"), {"revision": 2}).json()
        assert (body["revision"], body["agent_count"]) == (3, 2)
        assert [(v["number"], v["name"], v["kept"]) for v in body["versions"]] == [
            (2, "Before version 1 was restored", True),
            (1, "two agents", False),
        ]
        kept = client.get(at(made, "/versions/2")).json()
        assert len(kept["spec"]["agents"]) == 3

    def test_what_a_version_holds_is_not_kept_twice(self, as_user: AsUser, made: Design) -> None:
        client = as_user("operator")
        client.post(at(made, "/versions"), {"revision": 1, "name": "one"})
        client.patch(at(made), {"revision": 1, "draft": draft("abc")})
        client.post(at(made, "/versions"), {"revision": 2, "name": "two"})
        body = client.post(at(made, "/versions/1/restore"), {"revision": 2}).json()
        assert [version["number"] for version in body["versions"]] == [2, 1]
        again = client.post(at(made, "/versions/1/restore"), {"revision": 3}).json()
        assert again["revision"] == 3

    def test_nothing_new_is_no_version(self, as_user: AsUser, made: Design) -> None:
        client = as_user("operator")
        client.post(at(made, "/versions"), {"revision": 1, "name": "one"})
        again = client.post(at(made, "/versions"), {"revision": 1, "name": "again"})
        assert (again.status_code, again.json()["error"]["code"]) == (409, "no_change")

    @pytest.mark.parametrize("rest", ["/versions", "/versions/1/restore"])
    def test_of_what_somebody_changed_meanwhile(
        self, as_user: AsUser, made: Design, rest: str
    ) -> None:
        client = as_user("operator")
        client.post(at(made, "/versions"), {"revision": 1, "name": "one"})
        client.patch(at(made), {"revision": 1, "draft": draft("abc")})
        answer = client.post(at(made, rest), {"revision": 1, "name": "late"})
        assert answer.json()["error"]["code"] == "design_changed"
        assert made.versions.count() == 1

    def test_there_is_an_end_to_them(
        self, as_user: AsUser, made: Design, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(services, "MAX_VERSIONS", 0)
        answer = as_user("operator").post(at(made, "/versions"), {"revision": 1, "name": "one"})
        assert answer.json()["error"]["code"] == "too_many_versions"


class TestList:
    def test_the_last_changed_first_with_what_a_row_shows(
        self, as_user: AsUser, made: Design, cast: dict[str, User]
    ) -> None:
        services.design_create(user=cast["curator"], name="Other")
        client = as_user("operator")
        client.patch(at(made), {"revision": 1, "draft": draft("abc")})
        client.post(at(made, "/versions"), {"revision": 2, "name": "one"})
        rows = client.get("/api/designs").json()["results"]
        assert [(r["name"], r["agent_count"], r["version_count"]) for r in rows] == [
            ("Mine", 3, 1),
            ("Other", 0, 0),
        ]
        assert "draft" not in rows[0]
        mine = client.get("/api/designs?mine=true&q=mi").json()["results"]
        assert [row["name"] for row in mine] == ["Mine"]

    def test_in_a_few_queries(
        self, as_user: AsUser, made: Design, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        assert made.created_by
        for number in range(4):
            services.design_create(user=made.created_by, name=f"{number}", draft=draft("ab"))
        client = as_user("viewer")
        with django_assert_max_num_queries(4):
            client.get("/api/designs")


def test_deleting_one_takes_its_versions(as_user: AsUser, made: Design) -> None:
    client = as_user("operator")
    client.post(at(made, "/versions"), {"revision": 1, "name": "one"})
    assert client.delete(at(made)).status_code == 204
    assert not DesignVersion.objects.exists()
