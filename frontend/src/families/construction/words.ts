/** Sentences about a team that a policy builds action by action. */
import { many } from '@/strings/many'

export const text = {
  tab: 'Build',
  title: 'Construction',
  stepOf: (step: number, most: number) => `step ${step} of at most ${most}`,
  steps: (count: number) => many(count, 'step', 'steps'),
  add: (name: string) => `Add ${name}`,
  remove: (name: string) => `Delete ${name}`,
  exit: 'Exit: the team is complete',
  /** In the trace. */
  step: (number: number, action: string) => `Step ${number}: ${action}`,
  stop: 'Exit: stop building',
  greedy: 'the most probable action',
  sampled: 'drawn at random with these probabilities',
  actions: 'Probabilities of actions',
  all: (count: number) => `Show all ${count} actions`,
  top: 'Show only the most probable',
  masked: 'not allowed',
  readEdges: {
    title: 'Whom it reads',
    threshold: (value: string) => `reads at ${value} or more`,
    chosen: 'read',
    notChosen: 'not read',
  },
  backEdges: {
    title: 'Whom it sends its message back to',
    threshold: (value: string) => `sends at ${value} or more`,
    chosen: 'sent back',
    notChosen: 'not sent back',
  },
  drawn: 'drawn at random',
  soFar: 'Answer so far',
  noneSoFar: 'none',
  choosing: 'Choosing the next action',
  waitsFor: (name: string) => `The policy waits for ${name} before its next action`,
  empty: 'The policy is choosing its first action.',
  DELETE: 'Delete the newest agent',
  EXIT: 'Exit',
  outOfScope:
    'This question differs from those that the checkpoint learned from, so the untrained policy builds the team.',
  why: {
    atStep: (step: number) => `Chosen at step ${step}`,
    revised: (name: string) =>
      `${name} sent its message back to this agent. This agent revises its own message once.`,
  },
  /** Of a sampled system, while the policy learns. */
  credits: {
    title: 'Actions and their advantages',
    help: 'A positive advantage makes an action more probable, a negative one less probable. The length of a bar is relative to the largest one here.',
    probability: 'Probability',
    reward: 'Reward',
    advantage: 'Advantage',
  },
} as const
