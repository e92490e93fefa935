import { describe, expect, it } from 'vitest'

import {
  compositionBody,
  explanation,
  filledSplits,
  newComposition,
  totalOf,
  totalText,
  withLevel,
} from '@/features/datasets/composition'

const source = {
  key: 'gsm8k',
  name: 'GSM8K',
  splits: { train: 7473, dev: 0, test: 1319 },
}
const draft = newComposition(source)

describe('a composition', () => {
  it('begins with a name, a key and a split that is not trained on', () => {
    expect(draft).toMatchObject({ key: 'gsm8k-composed', name: 'GSM8K, composed', seed: 0 })
    expect(draft.counts).toEqual({ train: null, dev: null, test: 30 })
    const onlyTrain = newComposition({ ...source, splits: { train: 5, dev: 0, test: 0 } })
    expect(onlyTrain.counts.train).toBe(30)
  })

  it('takes a key and a name that the server accepts, however long the source has them', () => {
    const long = newComposition({ ...source, key: 'k'.repeat(63), name: 'n'.repeat(120) })
    expect(long.key).toMatch(/^k+-composed$/)
    expect([long.key.length, long.name.length]).toEqual([63, 120])
  })

  it('offers only splits that have tasks', () => {
    expect(filledSplits(source)).toEqual(['train', 'test'])
  })

  it('counts what is asked for', () => {
    const more = { ...draft, counts: { ...draft.counts, train: 1000 } }
    expect(totalOf(more)).toBe(3090)
    expect(totalText(more)).toBe('3,090 tasks in all: 1,030 easy, 1,030 medium and 1,030 hard')
    const hard = withLevel(withLevel(draft, 'easy', false), 'medium', false)
    expect(totalText(hard)).toBe('30 tasks in all: 30 hard')
    expect(totalText(withLevel(hard, 'hard', false))).toBe('0 tasks in all')
  })

  it('explains the levels that are chosen, in their order', () => {
    expect(explanation(draft)).toContain('asks 3 (easy), 5 (medium) or 7 (hard) problems')
    const two = withLevel(withLevel(withLevel(draft, 'easy', false), 'medium', false), 'easy', true)
    expect(explanation(two)).toContain('asks 3 (easy) or 7 (hard) problems')
    expect(explanation({ ...draft, levels: [] })).toContain('3 (easy), 5 (medium) or 7 (hard)')
  })

  it('is sent with 0 for what is left empty', () => {
    expect(compositionBody({ ...draft, key: ' a ', name: ' A ', seed: null })).toEqual({
      key: 'a',
      name: 'A',
      levels: ['easy', 'medium', 'hard'],
      splits: { train: 0, dev: 0, test: 30 },
      seed: 0,
    })
  })
})
