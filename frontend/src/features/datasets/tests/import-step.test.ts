import { describe, expect, it } from 'vitest'

import { stepLeft, stepText, stepTitle, type ImportStep } from '@/features/datasets/use-under-way'

const step = (change: Partial<ImportStep>): ImportStep => ({
  phase: 'uploading',
  done: 16_000_000,
  total: 64_000_000,
  seconds: 4,
  ...change,
})

describe('how far an import is', () => {
  it('is told in bytes while a file is sent, downloaded and read, with the time left', () => {
    expect(stepText(step({}))).toBe('Sending the file: 16.0 MB of 64.0 MB, about 12 s left')
    expect(stepText(step({ phase: 'downloading', done: 500_000, seconds: 2 }))).toBe(
      'Downloading from the hub: 500 kB of 64.0 MB, about 4 min 14 s left',
    )
    expect(stepText(step({ phase: 'reading' }))).toContain('16.0 MB of 64.0 MB')
  })

  it('is told in tasks afterwards', () => {
    const storing = step({ phase: 'storing', done: 50_000, total: 200_000, seconds: 5 })
    expect(stepText(storing)).toBe('Storing the tasks: 50,000 of 200,000 tasks, about 15 s left')
  })

  it('tells no time that nobody can know yet', () => {
    expect(stepLeft(step({ seconds: 0.4 }))).toBeNull()
    expect(stepLeft(step({ done: 0 }))).toBeNull()
    expect(stepLeft(step({ done: 64_000_000 }))).toBeNull()
    expect(stepText(step({ done: 0 }))).toBe('Sending the file: 0 B of 64.0 MB')
  })

  it('never promises that it is over', () => {
    expect(stepText(step({ done: 63_900_000, seconds: 20 }))).toContain('about 1 s left')
  })

  it('stands in the tab in short, and 100 % only when all is done', () => {
    expect(stepTitle(step({}))).toBe('Sending 25 %')
    expect(stepTitle(step({ phase: 'storing', done: 999, total: 1_000 }))).toBe('Storing 99 %')
  })
})
