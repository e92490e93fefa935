"""Gives a MasHost checkpoint a scope. Outside of it the untrained policy decides.

    python -m bench.common.policy_scope CHECKPOINT TARGET --families mathematics,code
        --inside gsm8k:GSM8K.jsonl:0:480 mbpp:MBPP.jsonl:0:160 --questions QUESTIONS.jsonl

Inside are rows of the training's own benchmarks (`benchmark:file:first:last`) and the questions
whose `domain` is one of the families. Outside are the other questions, and the phrases of the
built-in pool's roles of other families. It prints the share of each group that is on its side of
the line.
"""

import argparse
import json
from itertools import islice
from pathlib import Path

import torch
from torch import Tensor

from workers.core.benchmarks.readers import read_rows
from workers.core.benchmarks.registry import BENCHMARKS
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.methods.mashost.scope import fit_scope, scoped
from workers.core.methods.mashost.weights import load_policy, save_policy
from workers.core.pools import load_builtin_pool


def main() -> None:
    options = _options()
    families = set(options.families.split(","))
    questions = [json.loads(line) for line in options.questions.read_text().splitlines()]
    own = [each["query"] for each in questions if each["domain"] in families]
    others = [each["query"] for each in questions if each["domain"] not in families]
    roles = [role for role in load_builtin_pool("general").roles if role.family not in families]
    phrases = [phrase for role in roles for phrase in role.phrases()]
    tasks = [query for source in options.inside for query in _queries(source)]
    embedder = MiniLMEmbedder()

    def embedded(texts: list[str], times: int = 1) -> Tensor:
        return torch.tensor(embedder.embed_now(texts)).repeat(times, 1)

    # a question weighs as much as the many rows and phrases that it stands beside
    inside = torch.cat([embedded(tasks), embedded(own, len(tasks) // (4 * len(own)))])
    outside = torch.cat([embedded(phrases), embedded(others, len(phrases) // len(others))])
    scope = fit_scope(inside, outside)
    policy, info = load_policy(options.checkpoint)
    recipe = info.recipe | {"scope": {"of": options.checkpoint.name, "families": sorted(families)}}
    label = f"{info.label}; other questions are left to the untrained policy"
    save_policy(
        options.target,
        scoped(policy, scope),
        info.model_copy(update={"recipe": recipe, "label": label}),
    )
    for name, points, side in (("inside", inside, True), ("outside", outside, False)):
        share = (scope.covers(points) == side).double().mean()
        print(f"{name}: {share:.1%} of {len(points)}")


def _queries(source: str) -> list[str]:
    benchmark, file, first, last = source.split(":")
    rows = islice(read_rows(Path(file)), int(first), int(last))
    return [BENCHMARKS[benchmark].task(row).query for _, row in rows]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Give a MasHost checkpoint a scope.")
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--families", required=True)
    parser.add_argument("--inside", nargs="+", required=True)
    parser.add_argument("--questions", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
