import { act, fireEvent, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'

import { AgentPanel } from '@/components/run/agent-panel'
import { showFrames } from '@/components/run/tests/show'

import { episodes } from '@/families/episodes'
import { EpisodeView } from '@/families/episodes/episode-view'
import { TurnList } from '@/families/episodes/turn-list'
import { MAZE_PARTS, MAZE_START, played } from './frames'

const onAgent = vi.fn()

function Page() {
  const [turn, setTurn] = useState<string | null>(null)
  return (
    <>
      <EpisodeView selected={turn} onSelect={setTurn} />
      <TurnList selected={turn} onSelect={setTurn} onAgent={onAgent} />
    </>
  )
}

const show = (parts = 4, isOver = true) =>
  showFrames(played(MAZE_START, MAZE_PARTS.slice(0, parts), isOver), <Page />).store

const board = () =>
  screen.getByRole('img', { name: /^Board with 2 rows/ }).getAttribute('aria-label')
const told = () => screen.getByRole('status').textContent

describe('the board of an episode', () => {
  it('opens at its end, with what both agents said, and what that earned', () => {
    show()
    expect(board()).toContain('The player is at row 1, column 3')
    expect(screen.getByText('Solved in turn 2')).toBeTruthy()
    const turn = within(
      screen.getByRole('button', { name: /^Turn 2/ }).closest('li') as HTMLElement,
    )
    expect(turn.getByText('I say R')).toBeTruthy()
    expect(turn.getByText('I say right, left')).toBeTruthy()
    expect(turn.getByText('goal')).toBeTruthy()
    fireEvent.click(turn.getByRole('button', { name: 'Details of Planner, round 2' }))
    expect(onAgent).toHaveBeenCalledWith('planner-2')
  })

  it('goes to any turn, and the replay takes it along', () => {
    const store = show()
    fireEvent.change(screen.getByRole('slider', { name: 'Turn' }), { target: { value: '0' } })
    expect(told()).toBe('Start The board before the first turn.')
    expect(board()).toContain('row 1, column 1')
    fireEvent.click(screen.getByRole('button', { name: 'Next turn' }))
    expect(told()).toMatch(/^Turn 1 Move 2 \(down\) was blocked/)
    act(() => store.getState().seek(5))
    expect(told()).toMatch(/^Turn 1 Proposal: Move 1 of 1/)
    fireEvent.click(screen.getByRole('button', { name: 'Next turn' }))
    expect(store.getState().moment).toBeNull()
    expect(told()).toMatch(/^Turn 2 Solved/)
  })

  it('plays a turn’s moves one by one', () => {
    vi.useFakeTimers()
    try {
      show()
      fireEvent.click(screen.getByRole('button', { name: 'Play turn by turn' }))
      expect(told()).toMatch(/^Start/)
      act(() => void vi.advanceTimersByTime(1_000))
      expect(told()).toMatch(/^Turn 1/)
      expect(board()).toContain('row 1, column 1')
      act(() => void vi.advanceTimersByTime(220))
      expect(board()).toContain('row 1, column 2')
    } finally {
      vi.useRealTimers()
    }
  })

  it('follows a run that goes on', () => {
    const store = show(1, false)
    expect(screen.getByText('In progress')).toBeTruthy()
    expect(told()).toMatch(/^Turn 1 Proposal/)
    act(() => store.getState().applyFrames(played(MAZE_START, MAZE_PARTS, false)))
    expect(told()).toMatch(/^Turn 2 Solved/)
  })

  it('tells a state that it cannot draw by its parts', () => {
    showFrames(played({ problem: 'Add 2 and 3.', tests: [1, 2] }, []), <Page />)
    expect(screen.getByText('Add 2 and 3.')).toBeTruthy()
    expect(screen.getByRole('slider', { name: 'Turn' })).toHaveProperty('disabled', true)
  })
})

it('leads from an agent to its turn', () => {
  const onOwn = vi.fn()
  const frames = played(MAZE_START, MAZE_PARTS)
  showFrames(frames, <AgentPanel id="planner-1" onSelect={vi.fn()} onOwn={onOwn} />)
  expect(screen.getByText(/^Move 2 \(down\) was blocked/)).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Show turn 1 on the board' }))
  expect(onOwn).toHaveBeenCalledWith(episodes.tab, '1')
})
