"""Corpora: documents that the studio's own search finds, in passages, with their vectors."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _
from pgvector.django import HnswIndex, VectorField

DIMENSION = 384
"""Of the vectors of all-MiniLM-L6-v2."""
CONFIGURATION = "english"
"""How PostgreSQL makes words of a text and of a query."""


class Corpus(models.Model):
    """`documents` and `passages` are counted when it is loaded. A corpus with `removed_at` is
    empty: its row stays, so that a corpus that comes with the studio does not come back."""

    key = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=120)
    source = models.CharField(max_length=500, blank=True, default="")
    source_url = models.CharField(max_length=500, blank=True, default="")
    licence = models.CharField(max_length=120, blank=True, default="")
    licence_url = models.CharField(max_length=500, blank=True, default="")
    documents = models.PositiveIntegerField(default=0)
    passages = models.PositiveIntegerField(default=0)
    loaded_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("key",)
        verbose_name_plural = _("corpora")

    def __str__(self) -> str:
        return self.name


class Document(models.Model):
    """A page. `url` is where it came from; `digest` tells a changed one from one that is stored."""

    class Form(models.TextChoices):
        TEXT = "text", _("Text")
        MARKDOWN = "markdown", _("Markdown")

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="pages")
    key = models.CharField(max_length=300)
    title = models.CharField(max_length=300)
    description = models.CharField(max_length=300, blank=True, default="")
    url = models.CharField(max_length=2_000, blank=True, default="")
    text = models.TextField()
    form = models.CharField(max_length=8, choices=Form.choices, default=Form.TEXT)
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = (models.UniqueConstraint("corpus", "key", name="document_unique_in_corpus"),)
        indexes = (models.Index(Lower("title"), name="document_by_title"),)

    def __str__(self) -> str:
        return self.title


class Passage(models.Model):
    """Some paragraphs of a document, which search ranks and quotes."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="passages")
    position = models.PositiveIntegerField()
    title = models.CharField(max_length=300)
    heading = models.CharField(max_length=300, blank=True, default="")
    text = models.TextField()
    search = models.GeneratedField(
        expression=SearchVector("title", weight="A", config=CONFIGURATION)
        + SearchVector("heading", weight="B", config=CONFIGURATION)
        + SearchVector("text", weight="D", config=CONFIGURATION),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    class Meta:
        indexes = (GinIndex(fields=("search",), name="passage_by_words", fastupdate=False),)

    def __str__(self) -> str:
        return f"{self.title}, {self.position}"


class PassageVector(models.Model):
    """Apart from its passage, so that a vector that comes later does not write the words again."""

    passage = models.OneToOneField(
        Passage, on_delete=models.CASCADE, primary_key=True, related_name="embedded"
    )
    vector = VectorField(dimensions=DIMENSION)

    class Meta:
        indexes = (
            HnswIndex(fields=("vector",), name="passage_by_vector", opclasses=("vector_ip_ops",)),
        )

    def __str__(self) -> str:
        return str(self.passage_id)


class Word(models.Model):
    """A word of all corpora, its stem, and in how many passages it stands."""

    word = models.TextField(primary_key=True)
    lexeme = models.TextField()
    passages = models.PositiveIntegerField()

    class Meta:
        indexes = (models.Index(fields=("lexeme",), name="word_by_lexeme"),)

    def __str__(self) -> str:
        return self.word
