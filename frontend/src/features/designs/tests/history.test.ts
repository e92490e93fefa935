import { describe, expect, it } from 'vitest'

import { begin, commit, redo, undo } from '@/features/designs/history'

const typed = (letters: string, about?: string, pause = 100) =>
  letters
    .split('')
    .reduce(
      (history, letter, index) =>
        commit(history, history.present + letter, { about, now: index * pause }),
      begin(''),
    )

describe('history', () => {
  it('goes back and forth one edit at a time', () => {
    const three = typed('abc')
    const two = undo(three)
    expect([three.present, two.present, undo(undo(two)).present]).toEqual(['abc', 'ab', ''])
    expect(redo(two).present).toBe('abc')
    expect(undo(begin('x'))).toEqual(begin('x'))
    expect(redo(three)).toBe(three)
  })

  it('takes what is typed without a pause as one', () => {
    expect(undo(typed('abc', 'name')).present).toBe('')
    expect(undo(typed('abc', 'name', 2_000)).present).toBe('ab')
  })

  it('does not join what is about something else, or what was undone', () => {
    const named = typed('abc', 'name')
    const prompted = commit(named, 'abc!', { about: 'prompt', now: 250 })
    expect(undo(prompted).present).toBe('abc')
    const again = commit(undo(prompted), 'abc?', { about: 'name', now: 260 })
    expect(undo(again).present).toBe('abc')
  })

  it('forgets the future with a new edit, and the oldest of many', () => {
    const branched = commit(undo(typed('abc')), 'x', { now: 0 })
    expect(branched.future).toEqual([])
    expect(typed('a'.repeat(300)).past).toHaveLength(200)
  })

  it('does not hold what changes nothing', () => {
    const history = begin('same')
    expect(commit(history, 'same', { now: 0 })).toBe(history)
  })
})
