import { act, renderHook } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { useSelection } from '@/features/runs/selection'
import type { RunSummary } from '@/lib/api/queries'

const rowsOf = (ids: string): RunSummary[] => Array.from(ids, (id) => ({ id }) as RunSummary)

function chosenBy(...steps: readonly [id: string, chosen: boolean, through?: boolean][]): string {
  const { result } = renderHook(() => useSelection(rows))
  for (const [id, chosen, through] of steps) act(() => result.current.toggle(id, chosen, through))
  return result.current.chosen.map(({ id }) => id).join('')
}

const rows = rowsOf('abcdef')

describe('rows chosen through another one', () => {
  it('are all between them, up and down', () => {
    expect(chosenBy(['b', true], ['e', true, true])).toBe('bcde')
    expect(chosenBy(['e', true], ['b', true, true])).toBe('bcde')
  })

  it('go on from the last one that was touched', () => {
    expect(chosenBy(['a', true], ['c', true, true], ['e', true, true])).toBe('abcde')
    expect(chosenBy(['a', true], ['f', true, true], ['e', false], ['c', false, true])).toBe('abf')
  })

  it('are the row alone where there is none before', () => {
    expect(chosenBy(['c', true, true])).toBe('c')
  })
})
