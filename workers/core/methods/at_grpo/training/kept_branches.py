"""The branches of a step as rows to keep."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workers.core.methods.at_grpo.trees import Group, Grown
from workers.core.rollouts.base import PolicyEngine, Sample
from workers.core.rollouts.branches import BranchRow

Place = tuple[int, int, int, int]
"""Episode, turn, agent and branch."""
After = Mapping[Place, tuple[float, ...]]


def probabilities_after(grown: Grown, engine: PolicyEngine, episodes: int) -> After:
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


def samples_of(grown: Grown) -> dict[str, list[Sample]]:
    """By policy."""
    found: dict[str, list[Sample]] = {}
    for group in grown.groups:
        found.setdefault(group.policy, []).extend(branch.sample for branch in group.branches)
    return found


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a step, which need no engine. `names`: the agents'. `tasks`: the place of each
    episode's task among the training's."""

    grown: Grown
    pieces: Mapping[str, Mapping[int, str]]
    names: Sequence[str]
    tasks: Sequence[int]

    def of(
        self, episodes: Collection[int], after: Callable[[], After] = dict
    ) -> Iterator[BranchRow]:
        """By episode, turn and agent. `after` is asked once, and may wait for it."""
        told = after() if episodes else {}
        chosen = [group for group in self.grown.groups if group.episode in episodes]
        for group in sorted(chosen, key=lambda group: (group.episode, group.turn, group.agent)):
            yield from self._of_group(group, told)

    def _of_group(self, group: Group, after: After) -> Iterator[BranchRow]:
        episode, prompt_hash = self.grown.episodes[group.episode], group.prompt_hash
        piece = self.pieces[group.policy].__getitem__
        for at, branch in enumerate(group.branches):
            sample = branch.sample
            yield BranchRow(
                episode=group.episode,
                task=self.tasks[group.episode],
                agent=self.names[group.agent],
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
