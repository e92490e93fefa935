/** Facts of two runs, or of an agent in both, with by how much the right one is more. */
import type { UsageView } from '@/graph/run-view'
import { tokensOf } from '@/graph/totals'
import { formatCost, formatCount, formatSeconds, UNKNOWN } from '@/lib/format'

import { text } from '@/strings/compare'

const words = text.facts

export type Pair<T> = readonly [left: T, right: T]

export interface Row {
  readonly name: string
  readonly values: Pair<string>
  readonly difference: string
  /** Never broken into two lines. */
  readonly isNumber: boolean
}

export const both = <T, R>([left, right]: Pair<T>, read: (each: T) => R): Pair<R> => [
  read(left),
  read(right),
]

export const textRow = (name: string, values: Pair<string | null | undefined>): Row => ({
  name,
  values: both(values, (value) => value ?? UNKNOWN),
  difference: '',
  isNumber: false,
})

export const numberRow = (
  name: string,
  values: Pair<number | null>,
  format: (value: number | null) => string,
): Row => ({
  name,
  values: both(values, format),
  difference: differenceOf(values, format),
  isNumber: true,
})

export const isDifferent = ({ values }: Row): boolean => values[0] !== values[1]

interface Spent {
  readonly usage: UsageView | null
  readonly seconds: number | null
}

export function spentRows(spent: Pair<Spent | null>): Row[] {
  const usages = both(spent, (each) => each?.usage ?? null)
  return [
    numberRow(
      words.prompt,
      both(usages, (usage) => usage?.promptTokens ?? null),
      formatCount,
    ),
    numberRow(
      words.completion,
      both(usages, (usage) => usage?.completionTokens ?? null),
      formatCount,
    ),
    numberRow(words.tokens, both(usages, tokensOf), formatCount),
    numberRow(
      words.cost,
      both(usages, (usage) => usage?.cost ?? null),
      formatCost,
    ),
    numberRow(
      words.seconds,
      both(spent, (each) => each?.seconds ?? null),
      formatSeconds,
    ),
  ]
}

/** “+120”, “−3”, or nothing where one side is unknown or no difference would be seen. */
function differenceOf(
  [left, right]: Pair<number | null>,
  format: (value: number | null) => string,
): string {
  if (left === null || right === null) return ''
  const size = format(Math.abs(right - left))
  if (size === format(0)) return ''
  return `${right > left ? '+' : '−'}${size}`
}
