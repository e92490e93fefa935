import { describe, expect, it } from 'vitest'

import { boardParts, hasBoard } from '@/lib/board-parts'

const boardsIn = (text: string) =>
  boardParts(text)
    .filter(({ isBoard }) => isBoard)
    .map((part) => part.text)

describe('boards inside a text', () => {
  it('are lines of one length, of marks or of single numbers', () => {
    const text = 'Find the way from S to G.\n\n#..G\nS..#\n\nThen solve:\n1 _ 3\n_ 2 _'
    expect(boardsIn(text)).toEqual(['#..G\nS..#\n', '1 _ 3\n_ 2 _'])
    const whole = boardParts(text).map((part) => part.text)
    expect(whole.join('')).toBe(text)
  })

  it.each([
    ['prose', 'How many?\nTell me.'],
    ['one line', '####'],
    ['lines of unequal length', '##\n###'],
    ['a table', '| 1 | 2 |\n|---|---|\n| 3 | 4 |'],
    ['code', '```\n#..G\nS..#\n```'],
    ['words below each other', 'left\ndown'],
    ['nothing', ''],
  ])('are not %s', (_, text) => {
    expect(hasBoard(text)).toBe(false)
  })
})
