"""Every method of the studio by key. Importing it loads no torch."""

from __future__ import annotations

from workers.core.methods.base import Method
from workers.core.methods.chain_of_thought import ChainOfThought
from workers.core.methods.direct import Direct
from workers.core.methods.mashost.method import MasHost
from workers.core.methods.self_consistency import SelfConsistency

METHODS: dict[str, Method] = {
    "direct": Direct(),
    "chain_of_thought": ChainOfThought(),
    "self_consistency": SelfConsistency(),
    "mashost": MasHost(),
}
