/**
 * How several lines of a chart are told apart: a colour, a dash and a mark each, so that no two differ by
 * colour alone. The hues are those found for role families: far apart, also without red or green.
 */
export type Mark = 'circle' | 'square' | 'diamond' | 'triangle'

export interface SeriesLook {
  readonly color: string
  readonly dash: readonly number[]
  readonly mark: Mark
}

const HUES = [
  'mathematics',
  'law',
  'verification',
  'writing',
  'commonsense',
  'science',
  'planning',
  'knowledge',
] as const
const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3]]
const MARKS: readonly Mark[] = ['circle', 'square', 'diamond', 'triangle']

export function seriesLook(index: number): SeriesLook {
  return {
    color: `var(--family-${HUES[index % HUES.length] ?? 'other'})`,
    dash: DASHES[(index + Math.floor(index / HUES.length)) % DASHES.length] ?? [],
    mark: MARKS[index % MARKS.length] ?? 'circle',
  }
}
