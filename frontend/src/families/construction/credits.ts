import type { components } from '@/generated/api'

type Sample = components['schemas']['Sample']

export interface Credit {
  readonly step: number
  readonly reward: number | null
  readonly advantage: number | null
  /** The advantage over the largest of this system: −1 to 1, for the length of a bar. */
  readonly relative: number
}

/** Reward and advantage of each action, in order. */
export function creditsOf({ reward_parts }: Pick<Sample, 'reward_parts'>): Credit[] {
  const { action, advantage } = reward_parts
  const largest = Math.max(...advantage.map((each) => Math.abs(each ?? 0)), 0)
  return Array.from({ length: Math.max(action.length, advantage.length) }, (_, index) => ({
    step: index + 1,
    reward: action[index] ?? null,
    advantage: advantage[index] ?? null,
    relative: largest > 0 ? (advantage[index] ?? 0) / largest : 0,
  }))
}
