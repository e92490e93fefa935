import { expect, it } from 'vitest'

import { numberProblem, rangeText } from '@/lib/number-range'

it.each([
  [{ minimum: 0, maximum: 0.75 }, 'Enter a number from 0 to 0.75.'],
  [{ minimum: 0.00001 }, 'Enter 0.00001 or more.'],
  [{ maximum: 12_000 }, 'Enter 12,000 or less.'],
  [{}, ''],
])('of %o says its bounds as they are', (range, said) => {
  expect(rangeText(range)).toBe(said)
})

it('refuses what lies outside, and what is not whole', () => {
  expect(numberProblem(0.8, { maximum: 0.75 })).toBe('Enter 0.75 or less.')
  expect(numberProblem(0.5, { integer: true })).toBe('Enter a whole number.')
  expect(numberProblem(0.75, { maximum: 0.75 })).toBeUndefined()
  expect(numberProblem(null, { minimum: 1 })).toBeUndefined()
})
