import { expect, it } from 'vitest'

import { numberProblem, rangeText } from '@/lib/number-range'

it.each([
  [{ minimum: 0, maximum: 0.75 }, 'Between 0 and 0.75.'],
  [{ minimum: 0.00001 }, 'At least 0.00001.'],
  [{ maximum: 12_000 }, 'At most 12,000.'],
  [{}, ''],
])('of %o says its bounds as they are', (range, said) => {
  expect(rangeText(range)).toBe(said)
})

it('refuses what lies outside, and what is not whole', () => {
  expect(numberProblem(0.8, { maximum: 0.75 })).toBe('At most 0.75.')
  expect(numberProblem(0.5, { integer: true })).toBe('A whole number.')
  expect(numberProblem(0.75, { maximum: 0.75 })).toBeUndefined()
  expect(numberProblem(null, { minimum: 1 })).toBeUndefined()
})
