"""The branches of a step as rows to keep."""

from collections.abc import Iterator, Mapping, Sequence

from workers.core.methods.at_grpo.trees import Grown
from workers.core.rollouts.base import PolicyEngine, Sample
from workers.core.rollouts.branches import BranchRow

Place = tuple[int, int, int, int]
"""Episode, turn, agent and branch."""


def probabilities_after(
    grown: Grown, engine: PolicyEngine, episodes: int
) -> dict[Place, tuple[float, ...]]:
    """The log-probabilities under the weights of now, for all branches of the first `episodes`.
    Those of equal answers are computed once."""
    found: dict[Place, tuple[float, ...]] = {}
    for policy in engine.policies:
        chosen: dict[Place, Sample] = {
            (group.episode, group.turn, group.agent, at): branch.sample
            for group in grown.groups
            if group.policy == policy and group.episode < episodes
            for at, branch in enumerate(group.branches)
        }
        different = {(sample.prompt, sample.tokens): sample for sample in chosen.values()}
        if different:
            told = engine.logprobs(policy, list(different.values()))
            after = dict(zip(different, told, strict=True))
            found |= {at: after[sample.prompt, sample.tokens] for at, sample in chosen.items()}
    return found


class _Pieces(dict[int, str]):
    """The text of each token. It is asked for once: another process may have it."""

    def __init__(self, engine: PolicyEngine, policy: str) -> None:
        self._engine, self._policy = engine, policy

    def __missing__(self, token: int) -> str:
        self[token] = self._engine.text(self._policy, (token,))
        return self[token]


def rows(
    grown: Grown,
    *,
    engine: PolicyEngine,
    names: Sequence[str],
    tasks: Sequence[int],
    after: Mapping[Place, tuple[float, ...]],
) -> Iterator[BranchRow]:
    """By episode, turn and agent. `names`: the agents'. `tasks`: the place of each episode's task
    among the training's."""

    pieces = {policy: _Pieces(engine, policy) for policy in engine.policies}
    order = sorted(grown.groups, key=lambda group: (group.episode, group.turn, group.agent))
    for group in order:
        episode, prompt_hash = grown.episodes[group.episode], group.prompt_hash
        piece = pieces[group.policy].__getitem__
        for at, branch in enumerate(group.branches):
            sample = branch.sample
            yield BranchRow(
                episode=group.episode,
                task=tasks[group.episode],
                agent=names[group.agent],
                turn=group.turn + 1,
                branch=at + 1,
                policy=group.policy,
                version=sample.version,
                prompt_hash=prompt_hash,
                messages=group.messages,
                tokens=sample.tokens,
                pieces=[*map(piece, sample.tokens)],
                logprobs=sample.logprobs,
                after=after.get((group.episode, group.turn, group.agent, at), ()),
                message=branch.message,
                read=branch.read,
                finish=sample.finish,
                reward=branch.mixed,
                team=branch.reward.team,
                local=branch.reward.local,
                advantage=branch.advantage,
                taken=branch.taken,
                ended=episode.ended,
                solved=episode.is_solved,
                picture=group.picture if branch.taken else {},
            )
