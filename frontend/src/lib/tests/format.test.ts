import { describe, expect, it } from 'vitest'

import {
  formatAgo,
  formatBytes,
  formatCompact,
  formatCost,
  formatCount,
  formatMetric,
  formatMoment,
  formatP,
  formatPoints,
  formatProbability,
  formatSeconds,
  formatShare,
  formatSigned,
  shorten,
  totalTokens,
} from '@/lib/format'

describe('unknown', () => {
  it.each([formatCount, formatCompact, formatCost, formatSeconds, formatProbability])(
    'is a dash, never 0',
    (format) => {
      for (const value of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY])
        expect(format(value)).toBe('—')
    },
  )

  it('spreads: a sum with an unknown part is unknown', () => {
    expect(totalTokens({ prompt_tokens: 12, completion_tokens: null })).toBeNull()
    expect(totalTokens({ prompt_tokens: 12, completion_tokens: 0 })).toBe(12)
  })
})

describe('formatCost', () => {
  it.each([
    [0, '$0'],
    [12.3, '$12.30'],
    [0.5, '$0.50'],
    [0.0137, '$0.014'],
    [0.00042, '$0.00042'],
    [0.0000012, '$0.0000012'],
  ])('%s dollars are %s', (value, expected) => expect(formatCost(value)).toBe(expected))

  it('never shows a cost as zero', () => {
    for (let exponent = 0; exponent > -10; exponent--)
      expect(Number(formatCost(3 * 10 ** exponent).slice(1))).toBeGreaterThan(0)
  })
})

describe('formatSeconds', () => {
  it.each([
    [0, '0 ms'],
    [0.43, '430 ms'],
    [0.9996, '1.0 s'],
    [4.26, '4.3 s'],
    [9.96, '10 s'],
    [59.7, '1 min 00 s'],
    [185, '3 min 05 s'],
    [7_450, '2 h 04 min'],
  ])('%s s are %s', (value, expected) => expect(formatSeconds(value)).toBe(expected))
})

describe('formatProbability', () => {
  it.each([
    [0, '0 %'],
    [0.0002, '<0.1 %'],
    [0.073, '7.3 %'],
    [0.42, '42 %'],
    [0.996, '99.6 %'],
    [0.9999, '>99.9 %'],
    [1, '100 %'],
  ])('%s is %s', (value, expected) => expect(formatProbability(value)).toBe(expected))
})

describe('formatAgo', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  it.each([
    ['2026-11-21T11:59:40Z', 'just now'],
    ['2026-11-21T11:56:00Z', '4 min ago'],
    ['2026-11-21T09:00:00Z', '3 h ago'],
    [null, '—'],
    ['nonsense', '—'],
  ])('%s is %s', (time, expected) => expect(formatAgo(time, now)).toBe(expected))

  it('turns into a date after a day', () => {
    expect(formatAgo('2026-11-18T12:00:00Z', now)).toContain('18 Nov')
  })
})

describe('shorten', () => {
  it('joins lines and marks the cut', () => {
    expect(shorten('one\n two   three', 20)).toBe('one two three')
    expect(shorten('one two three', 8)).toBe('one two…')
  })

  it('never cuts inside a character', () => {
    expect(shorten('𝔸𝔹ℂ𝔻', 3)).toBe('𝔸𝔹…')
  })
})

describe('shares, differences and p-values', () => {
  it('have their unit and their sign', () => {
    expect([0, 0.8236, 1, null].map(formatShare)).toEqual(['0.0 %', '82.4 %', '100.0 %', '—'])
    expect([0.031, -0.02, 0.0001, null].map(formatPoints)).toEqual([
      '+3.1 pp',
      '−2.0 pp',
      '0.0 pp',
      '—',
    ])
  })

  it('are never rounded to an impossible certainty', () => {
    expect([0.00004, 0.0321, 0.5, 1, null].map(formatP)).toEqual([
      '<0.001',
      '0.032',
      '0.50',
      '1.00',
      '—',
    ])
  })
})

describe('metrics and sizes', () => {
  it('keep three digits', () => {
    expect([0, 0.12345, 12.3456, 123456, 0.000012, Number.NaN].map(formatMetric)).toEqual([
      '0',
      '0.123',
      '12.3',
      '123,456',
      '1.2e-5',
      '—',
    ])
    expect([-1, -0.0004, -12_345, -0].map(formatMetric)).toEqual(['−1', '−4.0e-4', '−12,345', '0'])
    expect([0.12, -0.3, 0, null].map(formatSigned)).toEqual(['+0.12', '−0.3', '0', '—'])
    expect([0, 820, 3_400_000, 150_000_000].map(formatBytes)).toEqual([
      '0 B',
      '820 B',
      '3.4 MB',
      '150 MB',
    ])
  })
})

describe('a moment on an axis', () => {
  it.each([
    ['seconds of a short one', 60_000, /^\d\d:\d\d:12$/],
    ['minutes of a day', 24 * 3_600_000, /^\d\d:\d\d$/],
    ['days of a long one', 30 * 24 * 3_600_000, /^2[34] Nov$/],
  ])('tells %s', (_, span, told) =>
    expect(formatMoment('2026-11-24T10:04:12Z', span)).toMatch(told),
  )
})
