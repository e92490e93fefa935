import pytest

from apps.accounts.tests.cast import CAST, AsUser
from apps.corpora.models import Corpus, Document
from apps.corpora.sources.base import Found
from apps.corpora.tests.conftest import Load

LIST = "/admin/corpora/corpus/"


@pytest.mark.parametrize("who", CAST)
def test_curators_see_and_delete_corpora(load: Load, as_user: AsUser, who: str) -> None:
    load(Found("tern", "Tern", "A seabird."))
    client, pk = as_user(who), Corpus.objects.get().pk
    listed = client.get(LIST)
    deleted = client.post(f"{LIST}{pk}/delete/", {"post": "yes"}, format="multipart")
    if who in ("curator", "admin"):
        assert "Birds" in listed.text
        assert client.get(f"{LIST}add/").status_code == 403
        assert deleted.status_code == 302
        assert not Document.objects.exists()
    else:
        assert listed.status_code in {302, 403}
        assert Document.objects.exists()


def test_what_goes_with_a_corpus_is_told_in_numbers(load: Load, as_user: AsUser) -> None:
    load(Found("tern", "Tern", "A seabird."))
    page = as_user("admin").get(f"{LIST}{Corpus.objects.get().pk}/delete/").text
    assert "documents" in page.lower()
    assert "Tern," not in page
