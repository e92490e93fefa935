"""The testbed's world: 37 roles over 4 domains, and the rules for agents. It uses no LLM.

It is a controlled environment for learning to build teams. What a role can do depends on the domain
of the query and on whose messages it reads, by the rules below. Luck is a fixed draw per query and
role. The testbed shows how well a learner builds teams, and nothing about language models.

Rules, with the numbers of `DOMAINS`:
 1. A role of another domain than the query's refuses. So does a verifier that reads no answer.
 2. A planner gives no answer. A solver that reads the plan of its own domain is right with
    probability `planned`, without a plan with probability `alone`. Answers of others that it reads
    change nothing.
 3. A verifier that reads one or two answers is right with probability `keeps` when one of them is
    right; more than two confuse it (`confused`). When all are wrong it repairs them with
    probability `repairs`.
 4. A generalist is right with probability 0.30 in every domain. A chatterbox and a cheerleader give
    no answer. An agent that reads a chatterbox is right only with 0.7 times the probability.
 5. A contrarian contradicts. It is right with probability 0.2 if an answer that it reads is
    right, with 0.15 if all are wrong, and with 0.10 alone.
 6. An agent costs its own tokens and a third of those of every message it reads.
 7. The system's answer is that of the newest agent that gives one.
 8. A message says who wrote it, in which domain, and whether it refuses; never whether it is
    right. So nothing a policy sees reveals luck, and no policy beats the best fixed construction
    per domain.
"""

from dataclasses import dataclass
from typing import Literal

from bench.common.testbed.texts import ARITHMETIC, LAW, MEDICINE, PROGRAMMING, DomainTexts
from workers.core.specs import PoolSpec, RoleSpec

Kind = Literal[
    "planner", "solver", "verifier", "generalist", "chatterbox", "cheerleader", "contrarian"
]

READ_SHARE = 1 / 3
CHATTER_FACTOR = 0.7
REFUSAL_TOKENS = 40
GENERALIST_RIGHT = 0.30
CONTRARIAN_ALONE = 0.10
CONTRARIAN_REPAIRS = 0.15
CONTRARIAN_SPOILS = 0.8


@dataclass(frozen=True, slots=True)
class Skill:
    """Probabilities that a solver is right, without and with the plan of its domain."""

    alone: float
    planned: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Domain:
    """`texts` make its queries, see `draw_queries`. The skills are in the order of `SOLVERS`."""

    name: str
    about: str
    skills: tuple[Skill, ...]
    keeps: float
    confused: float
    repairs: float
    planner_tokens: int
    verifier_tokens: int
    texts: DomainTexts


SOLVERS = (
    ("expert", "Expert", "Answers {about} from long experience."),
    ("programmer", "Programmer", "Writes and runs a small program to answer {about}."),
    ("analyst", "Analyst", "Breaks {about} down into quantities and relations and answers them."),
    ("guesser", "Quick guesser", "Gives a first guess on {about} at once."),
    ("pedant", "Pedant", "Answers {about} at great length and with every detail."),
)

DOMAINS = (
    Domain(
        name="arithmetic",
        about="arithmetic word problems about amounts, prices and rates",
        skills=(
            Skill(0.62, 0.72, 200),
            Skill(0.50, 0.86, 260),
            Skill(0.55, 0.66, 230),
            Skill(0.38, 0.40, 60),
            Skill(0.64, 0.74, 900),
        ),
        keeps=0.98,
        confused=0.88,
        repairs=0.20,
        planner_tokens=120,
        verifier_tokens=240,
        texts=ARITHMETIC,
    ),
    Domain(
        name="programming",
        about="programming tasks about functions, strings and lists",
        skills=(
            Skill(0.52, 0.84, 240),
            Skill(0.60, 0.70, 220),
            Skill(0.56, 0.64, 230),
            Skill(0.36, 0.38, 60),
            Skill(0.62, 0.72, 900),
        ),
        keeps=0.97,
        confused=0.86,
        repairs=0.25,
        planner_tokens=140,
        verifier_tokens=230,
        texts=PROGRAMMING,
    ),
    Domain(
        name="medicine",
        about="medical questions about symptoms, drugs and diagnosis",
        skills=(
            Skill(0.60, 0.68, 210),
            Skill(0.30, 0.42, 260),
            Skill(0.52, 0.82, 250),
            Skill(0.34, 0.36, 60),
            Skill(0.63, 0.71, 900),
        ),
        keeps=0.98,
        confused=0.85,
        repairs=0.22,
        planner_tokens=130,
        verifier_tokens=250,
        texts=MEDICINE,
    ),
    Domain(
        name="law",
        about="legal questions about contracts, courts and liability",
        skills=(
            Skill(0.78, 0.80, 210),
            Skill(0.25, 0.30, 260),
            Skill(0.70, 0.74, 220),
            Skill(0.40, 0.42, 60),
            Skill(0.76, 0.79, 900),
        ),
        keeps=0.98,
        confused=0.86,
        repairs=0.25,
        planner_tokens=150,
        verifier_tokens=220,
        texts=LAW,
    ),
)


@dataclass(frozen=True, slots=True)
class TestbedRole:
    """`domain` indexes DOMAINS, `solver` indexes SOLVERS; −1 if a role has none."""

    spec: RoleSpec
    kind: Kind
    domain: int = -1
    solver: int = -1
    tokens: int = 0


def all_roles() -> tuple[TestbedRole, ...]:
    """All roles, in the order of the pool."""
    roles = [role for index in range(len(DOMAINS)) for role in _domain_roles(index)]
    return (*roles, *_global_roles())


def pool_of(roles: tuple[TestbedRole, ...]) -> PoolSpec:
    return PoolSpec(key="testbed", name="Testbed", roles=tuple(role.spec for role in roles))


def _domain_roles(index: int) -> list[TestbedRole]:
    domain = DOMAINS[index]
    title = domain.name.capitalize()
    roles = [
        TestbedRole(
            _spec(
                f"{domain.name}_planner",
                f"{title} planner",
                f"Writes a plan of steps for {domain.about}; solves nothing.",
            ),
            "planner",
            domain=index,
            tokens=domain.planner_tokens,
        )
    ]
    for solver, (key, name, text) in enumerate(SOLVERS):
        spec = _spec(
            f"{domain.name}_{key}", f"{title} {name.lower()}", text.format(about=domain.about)
        )
        tokens = domain.skills[solver].tokens
        roles.append(TestbedRole(spec, "solver", domain=index, solver=solver, tokens=tokens))
    verifier = _spec(
        f"{domain.name}_verifier",
        f"{title} verifier",
        f"Checks the answers of others to {domain.about} and corrects them.",
    )
    roles.append(TestbedRole(verifier, "verifier", domain=index, tokens=domain.verifier_tokens))
    return roles


def _global_roles() -> list[TestbedRole]:
    texts: list[tuple[Kind, int, int, str]] = [
        ("generalist", 3, 150, "Answers any question a little, whatever it is about."),
        ("chatterbox", 3, 400, "Talks at length about everything and nothing."),
        ("contrarian", 2, 180, "Contradicts whatever the others say."),
        ("cheerleader", 1, 90, "Encourages the team with kind words."),
    ]
    return [
        TestbedRole(
            _spec(f"{kind}_{number}", f"{kind.capitalize()} {number}", text), kind, tokens=tokens
        )
        for kind, count, tokens, text in texts
        for number in range(1, count + 1)
    ]


def _spec(key: str, name: str, description: str) -> RoleSpec:
    return RoleSpec(
        key=key, name=name, family="testbed", description=description, prompt=description
    )
