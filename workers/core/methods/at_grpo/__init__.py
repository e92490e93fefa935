"""AT-GRPO: the language models of a team are trained together, agent by agent and turn by turn.

Source: *Stronger-MAS: Multi-Agent Reinforcement Learning for Collaborative LLMs*, arXiv 2510.11062.
Sections and equations are the paper's; “published” is its code.

    a team in a Markov game, turn by turn (§3)      core/environments
    π(a | o): samples with their log-probabilities  core/rollouts
    K branches of each agent in each turn (§4.2)    trees.py
    Â = (r − mean) / (std + 1e-6) in a group        trees.py (Eq. 1)
    r = α · r_team + r_local                        environments/base.py (Eq. 3)
    σ(i): shared model, adapters, models (§4.3)     training/policies.py
    the clipped objective                           core/rl/tokens.py (Eq. 2)
    Algorithm 1, with a cold start before it        training/loop.py

Deviations and choices where the paper is silent:
 1. Agents speak one after the other, and each group is sampled from the state that its agents
    really see. The published code lets all agents of a turn speak before any acts, and then makes
    all branches copies of the first agent's best, so that the second agent's rewards are equal.
 2. A group of one, or of equal rewards, has advantage 0; the published code takes the raw reward.
    Such answers are left out of the update, of its mean, and of the KL divergence.
 3. Sampling while training has temperature 1 and cuts nothing off. The published temperature of
    1.5, or a top_p below 1, would make π_old another policy than the one that sampled.
 4. The paper begins with a model that follows instructions. A small model first learns the form of
    an answer from demonstrations: weak ones (a player who knows half of the rules), a solver's,
    those of right runs, or a mixture. Supervised steps alone stand beside each result.
 5. The KL divergence, if it has a weight, is measured from the policy that sampling began with,
    after the cold start. Supervised steps have none.
 6. `paper`: K and T of the paper, the steps, the limit of an answer and the learning rate of the
    published code. The other settings there are its too, but no model: a person names one.
 7. Groups are compared within one episode. The published code's filters (the least deviation in
    parts of the range, the lowest mean) are settings, off as there.
 8. Rewards are those of core/environments: games.py, math.py and code.py, each with deviations of
    its own.
 9. Agents of mathematics and code speak one after the other, as those of games do. The paper's
    speak at once; `order` “parallel” is that.
10. The learning rate falls evenly to a tenth. A step's gradient is mostly noise (two steps' have a
    cosine of 0.05), and a rate that stays keeps the weights from settling. `paper` has a rate that
    stays.
11. All weights of a small model may be trained by Muon. `paper` has AdamW.
12. `scale` “step” divides advantages by the deviation of the whole step instead of their group's
    (Eq. 1), as `studio` does. Divided by its own, a group in which all answers fail teaches with
    full weight whatever little differs there: in Sokoban, that one move costs less than many.
"""
