"""What agents said in runs that were right: demonstrations for a training on the same tasks."""

from workers.core.specs import Slug, Spec


class Spoken(Spec):
    """`agent`: its id in the run. `place`: where in the team's work it was asked, if that does not
    depend on time. Both are empty in what an older studio kept."""

    role: Slug
    message: str
    agent: str = ""
    place: tuple[int, ...] = ()


class Trace(Spec):
    """One run's messages, in their order."""

    query: str
    reference: str | None
    spoken: tuple[Spoken, ...]
