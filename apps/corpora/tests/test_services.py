import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from pytest_django import Settings
from yarl import URL

from apps.common.errors import ApplicationError
from apps.corpora import services
from apps.corpora.filling import defaults_missing, is_filling_due
from apps.corpora.models import Corpus, Document, Passage, PassageVector, Word
from apps.corpora.sources.base import Found, Skipped
from apps.corpora.tests.conftest import Load
from apps.corpora.vectors import passages_embed, passages_waiting

TERN = Found("tern", "Tern", "A seabird that dives.")
GULL = Found("gull", "Gull", "A seabird that steals.")


def quiet(done: int, total: int) -> None:
    pass


def test_loading_again_changes_what_has_changed(load: Load) -> None:
    load(TERN, GULL)
    stored = {each.key: each.pk for each in Document.objects.all()}
    report = load(TERN, Found("gull", "Gull", "A bird."), Found("owl", "Owl", "A night bird."))
    assert (report.added, report.changed, report.unchanged, report.removed) == (1, 1, 1, 0)
    now = {each.key: each.pk for each in Document.objects.all()}
    assert now["tern"] == stored["tern"]
    assert now["gull"] != stored["gull"]
    report = load(TERN)
    assert (report.unchanged, report.removed) == (1, 2)
    corpus = Corpus.objects.get()
    assert (corpus.documents, corpus.passages, Passage.objects.count()) == (1, 1, 1)


def test_what_is_broken_is_skipped_and_named(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_CHARS", 100)
    report = load(
        TERN,
        Skipped("line 2", "it is no JSON"),
        Found("e", "E", " \0 "),
        Found("l", "L", "x" * 101),
    )
    assert report.skipped_count == 3
    assert [(each.place, each.reason) for each in report.skipped] == [
        ("line 2", "it is no JSON"),
        ("e", "it has no text"),
        ("l", "it has more than 100 characters"),
    ]


def test_hostile_characters_are_stored_as_text(load: Load) -> None:
    load(Found("k\0\ud800", "T\0\ud800itle", "a\0b \ud83d 😀 <b>", url="x" * 3_000))
    stored = Document.objects.get()
    assert "\0" not in stored.title + stored.text + stored.key
    assert "😀 <b>" in stored.text


def test_documents_with_the_same_key_all_stay(load: Load) -> None:
    load(Found("a", "A", "one"), Found("a", "A", "two"))
    assert set(Document.objects.values_list("key", flat=True)) == {"a", "a-2"}
    assert load(Found("a", "A", "one"), Found("a", "A", "two")).unchanged == 2


def test_a_removal_waits_for_a_load(load: Load) -> None:
    with transaction.atomic():
        corpus = Corpus.objects.create(key="empty", name="Empty")
        services.corpus_remove(corpus=corpus)
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_locks WHERE objid = %s", [services.LOADING])
            assert cursor.fetchone()


def test_a_key_is_a_path_that_clients_ask_for(load: Load) -> None:
    keys = ("..", ".", "a/../b", "...", "a.b/.c")
    load(*(Found(key, key, "x") for key in keys))
    stored = Document.objects.order_by("id").values_list("key", flat=True)
    assert list(stored) == ["_", "_-2", "a/_/b", "...", "a.b/.c"]
    assert all(str(URL("http://a/").join(URL(key))) == f"http://a/{key}" for key in stored)


def test_a_source_without_documents_changes_nothing(load: Load) -> None:
    load(TERN)
    with pytest.raises(ApplicationError, match="line 1: it is no JSON"):
        load(Skipped("line 1", "it is no JSON"))
    assert Document.objects.get().key == "tern"


def test_words_are_counted_with_their_stems(load: Load) -> None:
    load(Found("a", "Rivers", "A river flows. Rivers flow."), TERN)
    words = {each.word: (each.lexeme, each.passages) for each in Word.objects.all()}
    assert words["rivers"] == ("river", 1)
    assert words["a"][1] == 2


def test_vectors_are_made_once_and_stay_with_unchanged_documents(load: Load) -> None:
    load(TERN, GULL)
    assert passages_embed(quiet) == 2
    assert passages_embed(quiet) == 0
    load(TERN, Found("gull", "Gull", "A bird."))
    assert PassageVector.objects.get().passage.title == "Tern"
    assert [each.title for each in passages_waiting()] == ["Gull"]


def test_beginnings_are_embedded_first(load: Load) -> None:
    load(Found("long", "Long", "Sentence. " * 300), TERN)
    assert [each.position for each in passages_waiting()] == [0, 0, 1, 2]


def test_a_removed_corpus_of_the_studio_does_not_come_back(load: Load, settings: Settings) -> None:
    settings.CORPUS_DEFAULTS = False
    assert not is_filling_due()
    settings.CORPUS_DEFAULTS = True
    assert is_filling_due()
    load(TERN, key="wikipedia")
    load(GULL, key="mine")
    assert defaults_missing() == ["factbook"]
    for corpus in Corpus.objects.all():
        services.corpus_remove(corpus=corpus)
    assert defaults_missing() == ["factbook"]
    assert [each.key for each in Corpus.objects.all()] == ["wikipedia"]
    assert not Document.objects.exists()
    assert not Word.objects.exists()
    load(TERN, key="wikipedia")
    assert Corpus.objects.get().removed_at is None


@pytest.mark.django_db
def test_the_command_tells_counts_and_names_what_it_skipped(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path_factory.mktemp("birds")
    (folder / "tern.txt").write_text("A seabird.")
    (folder / "bad.txt").write_bytes(b"\xff")
    call_command("load_corpus", str(folder), "--key", "birds", "--licence", "CC0", "--no-vectors")
    told = capsys.readouterr()
    assert "birds: 1 documents added, 0 changed, 0 unchanged, 0 removed, 1 skipped, in" in told.out
    assert "bad.txt: it is not UTF-8" in told.err
    assert Corpus.objects.get().licence == "CC0"
    with pytest.raises(CommandError, match="no such file or folder"):
        call_command("load_corpus", str(folder / "absent"))
