"""What agents said in runs that were right: demonstrations for a training on the same tasks."""

from workers.core.specs import Slug, Spec


class Spoken(Spec):
    role: Slug
    message: str


class Trace(Spec):
    """One run's messages, in their order."""

    query: str
    reference: str | None
    spoken: tuple[Spoken, ...]
