/** How far an import is, in numbers and in words. */

import type { components } from '@/generated/api'
import { formatBytes, formatCount, formatLeft } from '@/lib/format'
import { formatPercentDone } from '@/lib/use-progress-title'
import { timeLeft } from '@/lib/use-time-left'

import { text } from '@/strings/datasets'

const { progress: words } = text.importing
/** An estimate from less is a guess. */
const LEAST_SECONDS = 1

type Told = components['schemas']['ImportProgress']

/** What the server tells of its phases; before them, how much of the file is on its way. */
export type ImportStep = Readonly<Omit<Told, 'phase'> & { phase: Told['phase'] | 'uploading' }>

const IN_BYTES: ReadonlySet<ImportStep['phase']> = new Set(['uploading', 'downloading', 'reading'])

/** Seconds until the phase is over, at its own pace so far; null while that is not known. */
export const stepLeft = ({ done, total, seconds }: ImportStep): number | null =>
  seconds < LEAST_SECONDS
    ? null
    : timeLeft({ at: 0, done: 0 }, { at: seconds * 1_000, done }, total)

export function stepText(step: ImportStep): string {
  const { phase, done, total } = step
  const left = stepLeft(step)
  return words.stands(
    words.label[phase],
    IN_BYTES.has(phase)
      ? words.bytes(formatBytes(done), formatBytes(total))
      : words.tasks(formatCount(done), formatCount(total)),
    left === null ? null : formatLeft(left),
  )
}

/** For the tab: phases begin at 0 % each, so the percent needs a word. */
export const stepTitle = ({ phase, done, total }: ImportStep): string =>
  `${words.tab[phase]} ${formatPercentDone(done, total)}`
