import { describe, expect, it } from 'vitest'

import { text } from '@/strings/evaluations'

describe('the sentences of an evaluation', () => {
  it('give every number its unit', () => {
    expect(text.form.estimate({ arms: 3, tasks: 4, repeats: 1 }, 12)).toBe(
      '3 arms × 4 tasks × 1 repeat = 12 answers',
    )
    expect(text.form.estimate({ arms: 1, tasks: 1, repeats: 1 }, 1)).toBe(
      '1 arm × 1 task × 1 repeat = 1 answer',
    )
  })

  it('count further refusals', () => {
    expect(text.form.refused('Too few.', 0)).toBe('Not started: Too few.')
    expect(text.form.refused('Too few.', 2)).toBe('Not started: Too few. And 2 more fields.')
  })
})
