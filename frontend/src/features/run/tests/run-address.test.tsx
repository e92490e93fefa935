import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter, useLocation } from 'react-router'
import { describe, expect, it } from 'vitest'

import { RunContext } from '@/components/run/run-context'
import { createRunStore } from '@/components/run/run-store'
import { FAMILIES } from '@/families/all'
import { useRunAddress, useSelected } from '@/features/run/run-address'
import { recording, type Recording } from '@/graph/tests/frames'

function at(search: string, name: Recording) {
  const frames = recording(name)
  const store = createRunStore(frames[0]?.run ?? '', FAMILIES)
  store.getState().applyFrames(frames)
  const wrapper = ({ children }: { children: ReactNode }) => (
    <MemoryRouter initialEntries={[`/runs/r${search}`]}>
      <RunContext value={store}>{children}</RunContext>
    </MemoryRouter>
  )
  const { result } = renderHook(
    () => ({ ...useRunAddress(), selected: useSelected(), search: useLocation().search }),
    { wrapper },
  )
  return { result, store }
}

describe('the address of a run', () => {
  it('opens with what a family tells of the run, else with the graph', () => {
    expect(at('', 'subtasks-voted').result.current.tab).toBe('subtasks')
    expect(at('?tab=graph', 'subtasks-voted').result.current.tab).toBe('graph')
    expect(at('', 'mashost').result.current.tab).toBe('graph')
    expect(at('?tab=subtasks', 'mashost').result.current.tab).toBe('graph')
    expect(at('?tab=trace', 'mashost').result.current.tab).toBe('trace')
  })

  it('names what is chosen in a family’s tab, and leads there', () => {
    const { result, store } = at('?tab=graph&agent=s4-2', 'subtasks-voted')
    expect(result.current.selected).toEqual({ agent: 's4-2', chosen: null, chosenName: null })
    const [tab] = result.current.tabs
    if (!tab) throw new Error('no tab')
    act(() => result.current.openOwn(tab, 's4'))
    expect(result.current.search).toBe('?subtask=s4')
    const chosen = { agent: null, chosen: 's4', chosenName: 'Subtask 4' }
    expect(result.current.selected).toEqual(chosen)
    act(() => store.getState().seek(0))
    expect(result.current.selected.chosen).toBeNull()
    act(() => store.getState().seek(null))
    act(() => result.current.openTab('trace'))
    expect(result.current.search).toBe('?subtask=s4&tab=trace')
    act(() => result.current.openTab('subtasks'))
    expect(result.current.search).toBe('?subtask=s4')
    act(() => result.current.openOwn(tab, null))
    expect(result.current.search).toBe('')
  })

  it('names nothing that there is not', () => {
    expect(at('?subtask=s99&agent=nobody', 'subtasks-voted').result.current.selected).toEqual({
      agent: null,
      chosen: null,
      chosenName: null,
    })
    expect(at('?subtask=s4', 'mashost').result.current.selected.chosen).toBeNull()
  })
})
