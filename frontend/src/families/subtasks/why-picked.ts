/** Why an agent was found for a subtask, in plain English. */
import type { SearchView } from './task-graph'
import { text } from './words'

type Candidate = SearchView['candidates'][number]

const { why: words } = text

const DIGITS = 2
const MOST_DIGITS = 6

export const formatScore = (value: number): string => value.toFixed(DIGITS).replace('-', '−')

/** Two numbers that differ are never written alike. */
export function formatApart(value: number, other: number): readonly [string, string] {
  let digits = DIGITS
  while (digits < MOST_DIGITS && value !== other && value.toFixed(digits) === other.toFixed(digits))
    digits += 1
  return [value, other].map((each) => each.toFixed(digits).replace('-', '−')) as [string, string]
}

export const isSuited = ({ inner_product: value }: Candidate, threshold: number): boolean =>
  value >= threshold

/** Whether nobody of the database reaches the threshold. */
export const isNobodyMade = ({ candidates, nearest, threshold }: SearchView): boolean =>
  candidates.length > 0 && nearest < threshold

export function whyPicked(candidate: Candidate, search: SearchView): string {
  const { similarity, exploration, count } = candidate
  const { threshold, selections } = search
  const sides = formatApart(candidate.inner_product, threshold)
  const suits = isSuited(candidate, threshold) ? words.suits(...sides) : words.misses(...sides)
  const reasons = [suits, earned(candidate), ...gate(similarity, count)]
  const adds = selections === 0 ? words.first : words.explores(formatScore(exploration))
  return words.picked(reasons.join(', '), adds)
}

function earned({ reward, performance, count }: Candidate): string {
  if (count === 0) return words.unknown
  const cost = reward - performance
  const said = words.earned(formatScore(reward), count)
  return formatScore(Math.abs(cost)) === formatScore(0)
    ? said
    : `${said}${words.less(formatScore(cost))}`
}

/** A gate that is open says nothing; one that is shut or half open says what it leaves. */
function gate(similarity: number, count: number): string[] {
  if (count === 0 || similarity >= 1) return []
  return [similarity <= 0 ? words.shut : words.gated(formatScore(similarity))]
}
