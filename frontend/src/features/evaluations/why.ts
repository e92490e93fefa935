import type { components } from '@/generated/api'

import { text } from '@/strings/evaluations'

type CategoryCount = components['schemas']['CategoryCount']

/** The failure categories of arXiv 2506.08507, and what nobody decided. */
export const WHYS = [
  'incorrect_role_selection',
  'task_forgetting',
  'premature_termination',
  'incorrect_verification',
  'slight_deviation',
  'undecided',
] as const
export type Why = (typeof WHYS)[number]

export const whyOf = (word: string | null): Why | null =>
  WHYS.find((known) => known === word) ?? null

/** Who says so: a rule, or the model that judged. */
export const saidBy = (by: CategoryCount['by'], judge: string | null): string =>
  by === 'judge' && judge ? text.why.byJudge(judge) : by === 'rule' ? text.why.byRule : ''

export interface Cause {
  readonly key: string
  readonly name: string
  readonly by: string
  readonly count: number
  /** Of the wrong answers; null for those that an error prevented, which are counted apart. */
  readonly share: number | null
  /** Where the answers behind the number are. */
  readonly search: Readonly<Record<string, string>>
}

interface Arm {
  readonly label: string
  readonly wrong: number
  readonly failed: number
  readonly categories: readonly CategoryCount[]
}

/** The causes of an arm's wrong answers, in the order of the report, and its failures. */
export function causesOf({ label, wrong, failed, categories }: Arm): Cause[] {
  const at = (search: Record<string, string>) => ({ tab: 'answers', arm: label, ...search })
  const found = categories.map(({ category, by, judge, count }): Cause => {
    const why = category ?? 'undecided'
    return {
      key: `${why}/${by}/${judge ?? ''}`,
      name: text.why.categories[why],
      by: saidBy(by, judge),
      count,
      share: wrong > 0 ? count / wrong : null,
      search: at({ verdict: 'wrong', why }),
    }
  })
  if (failed === 0) return found
  const failures = { key: 'failed', name: text.why.failed, by: '', count: failed, share: null }
  return [...found, { ...failures, search: at({ verdict: 'failed' }) }]
}
