import { act, fireEvent, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'

import { AgentPanel } from '@/components/run/agent-panel'
import { showFrames } from '@/components/run/tests/show'

import { family as episodes } from '@/families/episodes/family'
import { EpisodeView } from '@/families/episodes/episode-view'
import { TurnList } from '@/families/episodes/turn-list'
import {
  CODE_PARTS,
  CODE_START,
  MATH_PARTS,
  MATH_START,
  MAZE_PARTS,
  MAZE_START,
  played,
} from './frames'

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
const state = () => within(screen.getByRole('region', { name: 'State of the episode' }))
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
    expect(told()).toBe('Start Before the first turn.')
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

  it('shows two answers side by side, and whether they agree', () => {
    showFrames(played(MATH_START, MATH_PARTS.slice(0, 3), false), <Page />)
    expect(told()).toBe('Turn 2 ')
    expect(state().getByText('The answers differ.')).toBeTruthy()
    const [worded, computed] = state().getAllByRole('listitem')
    expect(worded?.textContent).toMatch(/^Reasoner, in wordsRight42Half of 84/)
    expect(computed?.textContent).toMatch(/^Tool user, by a programWrong168.*It printed168/)
    fireEvent.click(screen.getByRole('button', { name: 'Previous turn' }))
    fireEvent.click(screen.getByRole('button', { name: 'Previous turn' }))
    expect(screen.getByText('No agent has answered yet.')).toBeTruthy()
  })

  it('says how agents that agree have ended it', () => {
    showFrames(played(MATH_START, MATH_PARTS), <Page />)
    expect(screen.getByText('Ended in turn 2: both agreed')).toBeTruthy()
    expect(screen.getByText('The answers agree.')).toBeTruthy()
    expect(screen.queryByText('decides')).toBeNull()
  })

  it('shows a program with the result of each test', () => {
    showFrames(played(CODE_START, CODE_PARTS.slice(0, 2)), <Page />)
    expect(screen.getByText(/^1 of the tester’s 2 tests passed/)).toBeTruthy()
    expect(state().getByText('1 of 4 hidden tests passed.')).toBeTruthy()
    expect(state().getByText('On this program.')).toBeTruthy()
    const results = state()
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent)
    expect(results.slice(0, 2)).toEqual([
      'passedassert double(2) == 4',
      'failedassert double(3) == 6AssertionError',
    ])
  })

  it('says why a program does not run', () => {
    showFrames(played(CODE_START, CODE_PARTS), <Page />)
    expect(screen.getByText(/^The program does not run: the message had no/)).toBeTruthy()
    expect(screen.getByText('No turn left after turn 2')).toBeTruthy()
    expect(screen.getByText(/^On the program of the turn before/)).toBeTruthy()
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
  fireEvent.click(screen.getByRole('button', { name: 'Show turn 1' }))
  expect(onOwn).toHaveBeenCalledWith(episodes.tab, '1')
})
