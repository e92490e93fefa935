/** The numbers and the words of a group of branches. */
import { formatCount } from '@/lib/format'

import type { Branch, Group, Place } from './use-branches'

export interface Spread {
  readonly mean: number
  readonly best: number
  readonly worst: number
  /** Standard deviation, of all branches. */
  readonly deviation: number
  readonly isFlat: boolean
}

/** Rewards are kept with 32 bits: what is smaller than this part of 1 is rounding, not reward. */
const EXACT = 1e6

export function spreadOf(rewards: readonly number[]): Spread {
  const exact = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length
  const mean = Math.round(exact * EXACT) / EXACT || 0 // not −0
  const variance = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / rewards.length
  const [best, worst] = [Math.max(...rewards), Math.min(...rewards)]
  return { mean, best, worst, deviation: Math.sqrt(variance), isFlat: best === worst }
}

/** "Proposer", of "proposer". */
export const agentName = (agent: string): string =>
  agent.charAt(0).toUpperCase() + agent.slice(1).replaceAll('_', ' ')

/** Counted from 1 for people. */
export const episodeNumber = (episode: number): string => formatCount(episode + 1)
export const taskNumber = (task: number): string => formatCount(task + 1)

export const stepAddress = (job: string, step: number): string =>
  `/training/${job}/branches/${step}`

export const groupAddress = (job: string, step: number, place: Place): string =>
  `${stepAddress(job, step)}/${place.episode}/${encodeURIComponent(place.agent)}/${place.turn}`

export const isSamePlace = (group: Group, { episode, agent, turn }: Place): boolean =>
  group.episode === episode && group.agent === agent && group.turn === turn

/** Tokens that are shown at once. Each is an element of its own, and a group may have a hundred thousand. */
export const MOST_TOKENS = 8_000

/** Where the branches end that are shown after the first `from`: at least one more. */
export function shownTo(branches: readonly Branch[], from: number): number {
  let tokens = 0
  const end = branches.findIndex(({ pieces }, at) => {
    if (at < from) return false
    tokens += pieces.length
    return at > from && tokens > MOST_TOKENS
  })
  return end === -1 ? branches.length : end
}
