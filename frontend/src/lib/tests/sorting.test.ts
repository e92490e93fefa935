import { describe, expect, it } from 'vitest'

import { nextSort, sortOf, sortRows, sortText } from '@/lib/sorting'

describe('sorted rows', () => {
  const rows = [{ n: 2 }, { n: null }, { n: 10 }, { n: 1 }]
  const value = ({ n }: { n: number | null }) => n

  it('are in order, with the unknown last both ways', () => {
    expect(sortRows(rows, value, 'ascending').map(value)).toEqual([1, 2, 10, null])
    expect(sortRows(rows, value, 'descending').map(value)).toEqual([10, 2, 1, null])
  })

  it('leave the given rows as they are, and equals in their order', () => {
    const before = [...rows]
    sortRows(rows, value, 'descending')
    expect(rows).toEqual(before)
    const equals = [{ id: 'b' }, { id: 'a' }]
    expect(sortRows(equals, () => 1, 'descending')).toEqual(equals)
  })

  it('read numbers inside of words', () => {
    const labels = ['mashost 10', 'mashost 2']
    expect(sortRows(labels, (label) => label, 'ascending')).toEqual(['mashost 2', 'mashost 10'])
  })
})

describe('a sort in the address', () => {
  it('survives the way there and back', () => {
    for (const text of ['accuracy', '-tokens']) {
      const sort = sortOf(text)
      expect(sort && sortText(sort)).toBe(text)
    }
    expect(sortOf(null)).toBeNull()
  })

  it('turns around at the second press, and starts anew in another column', () => {
    const first = nextSort(null, 'tokens', 'descending')
    const second = nextSort(first, 'tokens', 'descending')
    expect([first.direction, second.direction]).toEqual(['descending', 'ascending'])
    expect(nextSort(second, 'label', 'ascending').direction).toBe('ascending')
  })
})
