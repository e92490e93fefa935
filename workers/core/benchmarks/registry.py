"""The verifiers and benchmarks, by key."""

from workers.core.benchmarks.base import Verifier
from workers.core.benchmarks.benchmark import Benchmark
from workers.core.benchmarks.custom import CUSTOM
from workers.core.benchmarks.games.boards import GAME_BENCHMARKS
from workers.core.benchmarks.games.verifier import GamePlayed
from workers.core.benchmarks.gpqa import GPQA
from workers.core.benchmarks.gsm8k import GSM8K
from workers.core.benchmarks.humaneval import HUMANEVAL
from workers.core.benchmarks.math import MATH
from workers.core.benchmarks.mbpp import MBPP
from workers.core.benchmarks.mmlu import MMLU
from workers.core.benchmarks.research.rows import RESEARCH_BENCHMARKS
from workers.core.benchmarks.verifiers.choice import Choice
from workers.core.benchmarks.verifiers.exact import Exact
from workers.core.benchmarks.verifiers.gaia import Gaia
from workers.core.benchmarks.verifiers.latex import Latex
from workers.core.benchmarks.verifiers.numeric import Numeric
from workers.core.benchmarks.verifiers.unit_tests import UnitTests

VERIFIERS: dict[str, Verifier] = {
    verifier.key: verifier
    for verifier in (Numeric(), Choice(), Latex(), UnitTests(), GamePlayed(), Exact(), Gaia())
}

BENCHMARKS: dict[str, Benchmark] = {
    benchmark.key: benchmark
    for benchmark in (
        *(GSM8K, MATH, GPQA, MMLU, HUMANEVAL, MBPP),
        *GAME_BENCHMARKS.values(),
        *RESEARCH_BENCHMARKS,
        CUSTOM,
    )
}
