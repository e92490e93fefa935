"""Every method of the studio by key. Importing it does not load torch."""

from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.methods.base import KeepsAgents, Method
from workers.core.methods.cascade import Cascade
from workers.core.methods.chain_of_thought import ChainOfThought
from workers.core.methods.debate import Debate
from workers.core.methods.design import Design
from workers.core.methods.direct import Direct
from workers.core.methods.evomas.method import EvoMas
from workers.core.methods.fixed_graph import FixedGraph
from workers.core.methods.mashost.method import MasHost
from workers.core.methods.metaagent_x.method import MetaAgentX
from workers.core.methods.multi_persona import MultiPersona
from workers.core.methods.program import Program
from workers.core.methods.random_graph import RandomGraph
from workers.core.methods.reso.method import ReSo
from workers.core.methods.self_consistency import SelfConsistency
from workers.core.methods.self_refine import SelfRefine

METHODS: dict[str, Method] = {
    "direct": Direct(),
    "chain_of_thought": ChainOfThought(),
    "self_consistency": SelfConsistency(),
    "program": Program(),
    "cascade": Cascade(),
    "self_refine": SelfRefine(),
    "multi_persona": MultiPersona(),
    "debate": Debate(),
    "fixed_graph": FixedGraph(),
    "random_graph": RandomGraph(),
    "design": Design(),
    "mashost": MasHost(),
    "reso": ReSo(),
    "at_grpo": AtGrpo(),
    "evomas": EvoMas(),
    "metaagent_x": MetaAgentX(),
}
DEFAULT_METHOD = "mashost"
"""The method of requests that name none."""


def keeper_of_agents() -> KeepsAgents:
    """The method that owns the live agent database. Snapshots of the database are checkpoints of
    this method."""
    return next(one for one in METHODS.values() if isinstance(one, KeepsAgents))
