import { describe, expect, it } from 'vitest'

import { readNumber, writtenNumber } from '@/lib/read-number'

describe('a number that a person wrote', () => {
  it.each([
    ['', null],
    ['  ', null],
    ['7', 7],
    ['0.5', 0.5],
    ['0,5', 0.5],
    ['0,125', 0.125],
    ['12,5', 12.5],
    ['.5', 0.5],
    ['5.', 5],
    ['-3', -3],
    ['−3', -3],
    ['1e3', 1000],
    ['2.5e-4', 0.00025],
    ['1.000', 1],
  ])('is read from “%s” as %s', (text, number) => {
    expect(readNumber(text)).toBe(number)
  })

  it.each([
    '1,000',
    '1,000,000',
    '1 000',
    '1’000',
    '½',
    '٣',
    '50%',
    '$3',
    '0x10',
    '1..5',
    '-',
    'x',
  ])('is not guessed from “%s”', (text) => expect(readNumber(text)).toBeNaN())

  it('may have no thousands’ point where it is whole', () => {
    expect(readNumber('1.000', true)).toBeNaN()
    expect(readNumber('2.5', true)).toBe(2.5)
  })

  it('is shown in one way, whatever its size', () => {
    expect([0.00000004, 1e6, -3, null, Number.NaN].map(writtenNumber)).toEqual([
      '0.00000004',
      '1000000',
      '-3',
      '',
      '',
    ])
  })
})
