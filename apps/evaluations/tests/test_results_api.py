"""Summary, results, comparison and export over HTTP."""

import csv
import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connection
from django.test import AsyncClient
from pytest_django import DjangoAssertNumQueries, Settings

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.common.tests.connections import connection_is_free
from apps.evaluations.coordinator import advance
from apps.evaluations.models import Evaluation
from apps.evaluations.statistics import evaluation_cells, summary_cells
from apps.evaluations.tests.conftest import SPENT, MakeEvaluation, end_run, fail_run, one_round
from apps.runs.models import Run
from apps.tasks.models import Task
from workers.core.evaluation.summary import ArmSummary, Summary, summarise

pytestmark = pytest.mark.django_db
LATE = {"code": "out_of_time", "message": "Over.", "remedy": "Raise it."}


class TestSummary:
    def summary(self, as_user: AsUser, evaluation: Evaluation) -> dict[str, Any]:
        answer = as_user("viewer").get(f"/api/evaluations/{evaluation.id}/summary")
        assert answer.status_code == 200
        body: dict[str, Any] = answer.json()
        return body

    def test_arms_pairs_and_budgets(self, as_user: AsUser, ended: Evaluation) -> None:
        found = self.summary(as_user, ended)
        direct, chain = found["arms"]
        assert set(direct) == set(ArmSummary.__dataclass_fields__)
        assert (direct["label"], direct["n"], direct["correct"]) == ("direct", 6, 4)
        assert direct["accuracy"] == pytest.approx(4 / 6)
        low, high = direct["interval"]
        assert 0 < low < 4 / 6 < high < 1
        assert (direct["tokens_mean"], direct["tokens_interval"]) == (100, [100, 100])
        assert (chain["accuracy"], chain["failures"], chain["unknown_usage"]) == (0.5, 1, 1)
        assert chain["tokens_mean"] == 300
        (pair,) = found["pairs"]
        assert (pair["left"], pair["right"], pair["n"]) == ("direct", "chain_of_thought", 6)
        assert (pair["only_left"], pair["only_right"]) == (2, 1)
        assert pair["mcnemar_p"] == pair["holm_p"] == 1.0
        points = {(p["label"], p["budget"]): p["accuracy"] for p in found["at_equal_tokens"]}
        assert points["direct", 100] == pytest.approx(4 / 6)
        assert points["chain_of_thought", 100] == 0.0
        assert points["chain_of_thought", 300] == 0.5

    def test_before_the_first_answer_nothing_is_known(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        found = self.summary(as_user, make_evaluation())
        assert [arm["accuracy"] for arm in found["arms"]] == [None, None]
        assert [arm["interval"] for arm in found["arms"]] == [None, None]
        assert found["pairs"][0]["mcnemar_p"] is None

    def test_tasks_that_nobody_judges_are_left_out_and_told(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        Task.objects.filter(index__lt=2).update(verifier="")

        def end(run: Run) -> None:
            judged = run.result.task.index >= 2
            fails = run.method == "direct" and not judged
            fail_run(run, SPENT) if fails else end_run(run, correct=judged or None)

        evaluation = make_evaluation(concurrency=12)
        one_round(evaluation, end)
        found = self.summary(as_user, evaluation)
        listed = as_user("viewer").get("/api/evaluations").json()["results"][0]
        assert listed["best"]["accuracy"] == 1.0
        assert listed["best"]["interval"] == pytest.approx(found["arms"][0]["interval"])
        assert found["unjudged_tasks"] == 2
        assert [(arm["n"], arm["accuracy"]) for arm in found["arms"]] == [(4, 1.0), (4, 1.0)]

    def test_each_domain_of_the_tasks_is_told_by_itself(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        Task.objects.filter(index__lt=2).update(domain="easy")
        Task.objects.filter(index__gte=2).update(domain="hard")
        evaluation = make_evaluation(concurrency=12)
        one_round(evaluation, lambda run: end_run(run, correct=run.result.task.index < 2))
        found = self.summary(as_user, evaluation)
        told = [(s["domain"], s["label"], s["tasks"], s["accuracy"]) for s in found["domains"]]
        assert told == [
            ("easy", "direct", 2, 1.0),
            ("easy", "chain_of_thought", 2, 1.0),
            ("hard", "direct", 4, 0.0),
            ("hard", "chain_of_thought", 4, 0.0),
        ]
        low, high = found["domains"][0]["interval"]
        assert 0 < low < high == 1.0
        rows = [row.cell.domain for row in evaluation_cells(evaluation.id)]
        assert sorted(rows) == ["easy"] * 4 + ["hard"] * 8

    def test_what_ran_out_of_time_is_told_apart(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        def end(run: Run) -> None:
            index = run.result.task.index
            fail_run(run, LATE if index == 0 else SPENT) if index < 3 else end_run(run)

        evaluation = make_evaluation(concurrency=12)
        one_round(evaluation, end)
        arms = self.summary(as_user, evaluation)["arms"]
        assert [(arm["failures"], arm["out_of_time"]) for arm in arms] == [(3, 1), (3, 1)]
        late = [row.cell.task for row in evaluation_cells(evaluation.id) if row.cell.out_of_time]
        assert late == ["000000", "000000"]

    def test_is_made_without_reading_a_text(
        self, ended: Evaluation, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(3) as seen:
            cells = summary_cells(ended.id)
        assert len(cells) == 12
        told = " ".join(query["sql"] for query in seen.captured_queries)
        for text in ("answer", "explanation", "query"):
            assert f'"{text}"' not in told
        assert told.count('"spec"') == told.count('"spec" ->> ')
        assert sorted(cells, key=repr) == sorted(
            (row.cell for row in evaluation_cells(ended.id)), key=repr
        )


class TestResults:
    def cells(self, as_user: AsUser, evaluation: Evaluation, query: str = "") -> list[Any]:
        answer = as_user("viewer").get(f"/api/evaluations/{evaluation.id}/results?{query}")
        assert answer.status_code == 200, answer.content
        cells: list[Any] = answer.json()["results"]
        return cells

    def test_a_cell(self, as_user: AsUser, ended: Evaluation) -> None:
        first = self.cells(as_user, ended)[0]
        run = ended.runs.get(result__position=0)
        task = Task.objects.get(index=0)
        assert first == {
            "id": run.result.id,
            "task": {"id": task.pk, "index": 0, "query": "What is 0 + 1?", "reference": "1"},
            "repeat": 0,
            "arm": "direct",
            "correct": True,
            "reward": 1.0,
            "explanation": "said True",
            "answer": "3",
            "failed": False,
            "failure": None,
            "tokens": 100,
            "prompt_tokens": 80,
            "completion_tokens": 20,
            "cost": pytest.approx(0.00012),
            "seconds": 0.5,
            "cached_share": None,
            "replies": None,
            "cut_replies": None,
            "final_cut": None,
            "own_temperature": None,
            "run": str(run.id),
            "why": None,
        }

    def test_filters(self, as_user: AsUser, ended: Evaluation) -> None:
        for query, count in (
            ("", 12),
            ("arm=direct", 6),
            ("arm=nobody", 0),
            ("correct=true", 7),
            ("correct=false", 5),
            ("failed=true", 1),
            ("q=is+3", 2),
            ("task=3", 2),
            ("task=3&arm=direct", 1),
            ("task=99999999999", 0),
            ("arm=direct&correct=false", 2),
        ):
            assert len(self.cells(as_user, ended, query)) == count, query

    def test_a_failed_cell_has_its_cause_and_unknown_tokens(
        self, as_user: AsUser, ended: Evaluation
    ) -> None:
        (cell,) = self.cells(as_user, ended, "failed=true")
        assert cell["failure"]["code"] == "budget_exceeded"
        assert (cell["tokens"], cell["cost"], cell["correct"]) == (None, None, False)

    def test_pages_hold_every_cell_once(self, as_user: AsUser, ended: Evaluation) -> None:
        client, seen = as_user("viewer"), []
        address = f"/api/evaluations/{ended.id}/results?page_size=5"
        while address:
            page = client.get(address).json()
            seen += [cell["id"] for cell in page["results"]]
            address = page["next"]
        assert len(seen) == len(set(seen)) == 12

    def test_its_run_names_the_evaluation_and_the_task(
        self, as_user: AsUser, ended: Evaluation
    ) -> None:
        run = ended.runs.get(result__task__index=4, method="direct")
        found = as_user("viewer").get(f"/api/runs/{run.id}").json()
        assert found["evaluation"] == str(ended.id)
        assert (found["evaluation_name"], found["task_index"]) == (ended.name, 4)

    def test_cells_under_way_are_no_results_yet(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation()
        advance(evaluation.id)
        assert self.cells(as_user, evaluation) == []


class TestCompare:
    def rows(self, as_user: AsUser, evaluation: Evaluation, more: str = "") -> list[Any]:
        address = f"/api/evaluations/{evaluation.id}/compare"
        answer = as_user("viewer").get(f"{address}?left=direct&right=chain_of_thought{more}")
        assert answer.status_code == 200, answer.content
        rows: list[Any] = answer.json()["results"]
        return rows

    def test_task_by_task_and_by_outcome(self, as_user: AsUser, ended: Evaluation) -> None:
        rows = self.rows(as_user, ended)
        assert [row["task"]["index"] for row in rows] == list(range(6))
        by_outcome = {"only_left": [0, 1], "both": [2, 3], "only_right": [4], "neither": [5]}
        for outcome, tasks in by_outcome.items():
            same = self.rows(as_user, ended, f"&outcome={outcome}")
            assert [row["task"]["index"] for row in same] == tasks
            assert [row["task"]["index"] for row in rows if row["outcome"] == outcome] == tasks
        assert all(row["left"]["arm"] == "direct" for row in rows)
        assert all(row["right"]["arm"] == "chain_of_thought" for row in rows)
        assert all(row["left"]["task"] == row["right"]["task"] == row["task"] for row in rows)
        assert rows[0]["left"]["run"] != rows[0]["right"]["run"]

    def test_one_task(self, as_user: AsUser, make_evaluation: MakeEvaluation) -> None:
        evaluation = make_evaluation(concurrency=24, repeats=2)
        for _ in range(2):
            one_round(evaluation)
        for query, count in (("&task=2", 2), ("&task=2&repeat=1", 1), ("&task=7", 0)):
            rows = self.rows(as_user, evaluation, query)
            assert len(rows) == count, query
            assert {row["task"]["index"] for row in rows} <= {2}

    def test_what_there_is_not_is_named(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        address = f"/api/evaluations/{make_evaluation().id}/compare"
        both = "left=direct&right=direct"
        for query in ("", "left=direct", "left=x&right=direct", f"{both}&outcome=x"):
            answer = as_user("viewer").get(f"{address}?{query}")
            assert answer.status_code == 400, query
            assert "Use one of" in answer.json()["error"]["message"]

    def test_a_page_takes_few_statements(
        self,
        as_user: AsUser,
        ended: Evaluation,
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:
        client = as_user("viewer")
        with django_assert_max_num_queries(8):
            client.get(f"/api/evaluations/{ended.id}/compare?left=direct&right=chain_of_thought")


class TestExport:
    @pytest.fixture
    def statistics(self, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
        """Whether the connection was free, each time that they were worked out."""
        free: list[bool] = []

        def noted(*arguments: Any) -> Summary:
            free.append(connection_is_free())
            return summarise(*arguments)

        monkeypatch.setattr("apps.evaluations.statistics.summarise", noted)
        return free

    def get(self, as_user: AsUser, evaluation: Evaluation, query: str) -> Any:
        return as_user("viewer").get(f"/api/evaluations/{evaluation.id}/export?{query}")

    def file(self, as_user: AsUser, evaluation: Evaluation, query: str) -> bytes:
        body: bytes = self.get(as_user, evaluation, query).getvalue()
        return body

    def test_json(self, as_user: AsUser, ended: Evaluation) -> None:
        answer = self.get(as_user, ended, "")
        assert answer["Content-Type"] == "application/json"
        assert f'filename="evaluation-{ended.id}-cells.json"' in answer["Content-Disposition"]
        body = json.loads(answer.getvalue())
        assert len(body["cells"]) == 12
        assert body["evaluation"]["dataset"] == "sums"
        assert [arm["label"] for arm in body["summary"]["arms"]] == ["direct", "chain_of_thought"]

    def test_csv_of_cells_and_of_arms(self, as_user: AsUser, ended: Evaluation) -> None:
        cells = list(csv.DictReader(io.StringIO(self.file(as_user, ended, "format=csv").decode())))
        assert len(cells) == 12
        assert cells[0]["query"] == "What is 0 + 1?"
        arms = self.file(as_user, ended, "format=csv&table=arms").decode()
        labels = [row["label"] for row in csv.DictReader(io.StringIO(arms))]
        assert labels == ["direct", "chain_of_thought"]

    def test_parquet(self, as_user: AsUser, ended: Evaluation) -> None:
        answer = self.get(as_user, ended, "format=parquet")
        assert answer["Content-Type"] == "application/vnd.apache.parquet"
        assert pq.read_table(io.BytesIO(answer.getvalue())).num_rows == 12

    def test_the_same_results_are_the_same_bytes(self, as_user: AsUser, ended: Evaluation) -> None:
        for form in ("json", "csv", "parquet"):
            first, again = (self.file(as_user, ended, f"format={form}") for _ in range(2))
            assert first == again, form

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize("form", ["json", "csv", "parquet"])
    def test_a_slow_reader_keeps_no_connection(
        self, as_user: AsUser, ended: Evaluation, monkeypatch: pytest.MonkeyPatch, form: str
    ) -> None:
        whole = self.file(as_user, ended, f"format={form}")
        monkeypatch.setattr("apps.evaluations.statistics.CHUNK", 5)
        monkeypatch.setattr("workers.core.evaluation.export.PIECE_BYTES", 1)
        client = AsyncClient()
        client.force_login(User.objects.get(username="viewer"))

        async def read() -> tuple[bytes, list[bool]]:
            answer: Any = await client.get(f"/api/evaluations/{ended.id}/export?format={form}")
            body, idle = b"", []
            async for piece in answer:
                body += piece
                idle.append(await sync_to_async(connection_is_free)())
            return body, idle

        body, idle = async_to_sync(read)()
        assert len(idle) > (1 if form == "parquet" else 12)
        assert all(idle)
        assert body == whole

    def test_rows_come_chunk_by_chunk_each_once(
        self, ended: Evaluation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = list(evaluation_cells(ended.id))
        assert len(whole) == 12
        for chunk in (1, 4, 5, 12):
            monkeypatch.setattr("apps.evaluations.statistics.CHUNK", chunk)
            assert list(evaluation_cells(ended.id)) == whole

    def test_between_two_rows_the_database_holds_nothing(
        self, ended: Evaluation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("apps.evaluations.statistics.CHUNK", 5)
        rows = evaluation_cells(ended.id)
        next(rows)
        with connection.cursor() as cursor:
            cursor.execute("SELECT name FROM pg_cursors WHERE name <> ''")
            assert cursor.fetchall() == []

    def test_who_has_no_room_makes_no_work(
        self, as_user: AsUser, ended: Evaluation, settings: Settings, statistics: list[bool]
    ) -> None:
        settings.EXPORTS_PER_USER = 0
        for query in ("format=csv&table=arms", "format=parquet&table=arms", "format=json"):
            answer = self.get(as_user, ended, query)
            assert (answer.status_code, answer["Retry-After"]) == (429, "10")
            assert answer.json()["error"]["code"] == "too_many_exports"
        assert not statistics

    @pytest.mark.parametrize("form", ["csv", "parquet"])
    def test_the_arms_are_those_of_the_kept_summary(
        self, as_user: AsUser, ended: Evaluation, statistics: list[bool], form: str
    ) -> None:
        for _ in range(3):
            self.file(as_user, ended, f"format={form}&table=arms")
        assert len(statistics) == 1

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize("path", ["summary", "export?format=csv&table=arms", "export"])
    def test_statistics_are_worked_out_without_a_connection(
        self, as_user: AsUser, ended: Evaluation, statistics: list[bool], path: str
    ) -> None:
        answer: Any = as_user("viewer").get(f"/api/evaluations/{ended.id}/{path}")
        assert answer.getvalue()
        assert statistics == [True]

    def test_other_formats_are_refused_and_a_formula_of_a_model_is_text(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=1)
        for query in ("format=xml", "table=x", "format=%00"):
            answer = self.get(as_user, evaluation, query)
            assert answer.status_code == 400
            assert answer.json()["error"]["code"].startswith("unknown_")
        one_round(evaluation, lambda run: end_run(run, answer='=HYPERLINK("http://evil")'))
        body = self.file(as_user, evaluation, "format=csv").decode()
        (cell,) = csv.DictReader(io.StringIO(body))
        assert cell["answer"].startswith("'=")
