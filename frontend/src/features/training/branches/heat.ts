/** How the tokens of answers are shaded: a level for each, and its value in words. */
import { formatMetric, formatProbability, formatSigned } from '@/lib/format'
import { text } from '@/strings/branches'

import type { Branch } from './use-branches'

export const HEATS = ['advantage', 'ratio', 'probability'] as const
export type Heat = (typeof HEATS)[number]

const { heat: words } = text
/** Less than this is rounding. */
const LEAST = 1e-4

export interface Scale {
  readonly heat: Heat
  /** The value at level 1: an advantage, or the logarithm of a ratio. */
  readonly full: number
}

export const hasRatio = (branches: readonly Branch[]): boolean =>
  branches.some(({ after }) => after.length > 0)

/** One scale for all branches that are shown beside each other. */
export function scaleOf(heat: Heat, branches: readonly Branch[]): Scale {
  const sizes =
    heat === 'advantage'
      ? branches.map(({ advantage }) => Math.abs(advantage ?? 0))
      : branches.flatMap((branch) => branch.after.map((_, at) => Math.abs(logRatio(branch, at))))
  return { heat, full: sizes.reduce((most, size) => Math.max(most, size), LEAST) }
}

const logRatio = ({ after, logprobs }: Branch, at: number): number =>
  (after[at] ?? Number.NaN) - (logprobs[at] ?? Number.NaN)

/** From −1 to 1: below and above the middle; 0 where the value is unknown. */
export function levelOf({ heat, full }: Scale, branch: Branch, at: number): number {
  if (heat === 'advantage') return (branch.advantage ?? 0) / full
  if (heat === 'ratio') return finite(logRatio(branch, at) / full)
  return finite(2 * Math.exp(branch.logprobs[at] ?? Number.NaN) - 1)
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0)

/** “frozen” where the agent’s role did not learn. */
export const advantageTold = ({ advantage }: Branch): string =>
  advantage === null ? text.branch.frozen : formatSigned(advantage)

/** "ratio 1.08, probability 45 % → 49 %": what is known of a token, the chosen quantity first. */
export function tokenTold({ heat }: Scale, branch: Branch, at: number): string {
  const before = formatProbability(Math.exp(branch.logprobs[at] ?? Number.NaN))
  const after = branch.after[at]
  const told =
    after === undefined
      ? [words.probability(before)]
      : [
          words.ratio(formatMetric(Math.exp(logRatio(branch, at)))),
          words.change(before, formatProbability(Math.exp(after))),
        ]
  const advantage = words.advantage(advantageTold(branch))
  return (heat === 'advantage' ? [advantage, ...told] : [...told, advantage]).join(', ')
}

/** What stands at the two ends and in the middle of the legend. */
export function legendOf({
  heat,
  full,
}: Scale): readonly [low: string, middle: string, high: string] {
  if (heat === 'advantage') return [formatSigned(-full), '0', formatSigned(full)]
  if (heat === 'ratio') return [formatMetric(Math.exp(-full)), '1', formatMetric(Math.exp(full))]
  return ['0 %', '50 %', '100 %']
}

/** Below it a token is drawn without a line. */
const PLAIN = 0.04
const STRONGEST = 42

/** Blue above and amber below, told apart by the line under the token as well. */
export function shadeOf(level: number): { readonly className: string; readonly color: string } {
  const token = level > 0 ? 'var(--accent)' : 'var(--warn)'
  const percent = Math.round(Math.min(1, Math.abs(level)) * STRONGEST)
  const line =
    Math.abs(level) < PLAIN ? 'border-transparent' : level > 0 ? 'border-solid' : 'border-dotted'
  return { className: line, color: `color-mix(in srgb, ${token} ${percent}%, transparent)` }
}
