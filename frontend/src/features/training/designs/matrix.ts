/** The matrix of a question: its designs in rows by shape, its executions in columns. */
import { formatMetric, formatSigned } from '@/lib/format'
import { text } from '@/strings/sampled-designs'

import type { Cell, Design, Execution, Question, ShapeCount } from './use-designs'

export const stepAddress = (job: string, step: number): string => `/training/${job}/designs/${step}`

export const cellAddress = (job: string, step: number, cell: Cell): string =>
  `${stepAddress(job, step)}/${cell.question}/${cell.design}/${cell.execution}`

/** Counted from 1 for people. */
export const ordinal = (place: number): string => String(place + 1)

/** Designs of one shape beside each other, the shapes as frequent as in the step; unusable ones last. */
export function rowsOf(question: Question, shapes: readonly ShapeCount[]): readonly Design[] {
  const places = new Map(shapes.map(({ shape }, place) => [shape, place]))
  const rank = ({ shape }: Design): number =>
    shape === '' ? Infinity : (places.get(shape) ?? shapes.length)
  return question.designs.toSorted((a, b) => {
    const [left, right] = [rank(a), rank(b)]
    if (left !== right) return left < right ? -1 : 1
    return a.shape.localeCompare(b.shape) || a.design - b.design
  })
}

/** How many columns there are: a design that stopped early has fewer executions. */
export const columnsOf = ({ designs }: Question): number =>
  Math.max(0, ...designs.map(({ executions }) => executions.length))

/** “frozen” where the role did not learn in this stage. */
export const advantageTold = (advantage: number | null): string =>
  advantage === null ? text.frozen : formatSigned(advantage)

/** "right, reward 1, advantage +0.5, answer 48" */
export function cellTold({ correct, ending, reward, advantage, answer }: Execution): string {
  const { matrix: words } = text
  return [
    correct ? words.right : words.wrong,
    ending === 'delivered' ? null : words.ending[ending],
    words.reward(formatMetric(reward)),
    words.advantageOf(advantageTold(advantage)),
    answer === null ? words.noAnswer : words.answer(answer),
  ]
    .filter(Boolean)
    .join(', ')
}
