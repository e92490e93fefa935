/** How it is seen which side has something: its colour, and a dashed line where only one has it. */
import type { Side } from '@/graph/overlay'

export const DASHES = '5 3'

export const STROKES: Readonly<Record<Side, string>> = {
  both: 'stroke-line-strong',
  left: 'stroke-bad',
  right: 'stroke-good',
}

export const BORDERS: Readonly<Record<Side, string>> = {
  both: 'border-line-strong/50',
  left: 'border-bad border-dashed',
  right: 'border-good border-dashed',
}

export const INKS: Readonly<Record<Side, string>> = {
  both: 'text-ink-3',
  left: 'text-bad',
  right: 'text-good',
}
