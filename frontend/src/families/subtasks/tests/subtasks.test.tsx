import { act, cleanup, fireEvent, screen, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { describe, expect, it, vi } from 'vitest'

import { AgentPanel } from '@/components/run/agent-panel'
import { show, showFrames } from '@/components/run/tests/show'
import { family as subtasks } from '@/families/subtasks/family'
import { SubtaskList } from '@/families/subtasks/subtask-list'
import { SubtaskPanel } from '@/families/subtasks/subtask-panel'
import { SubtaskView } from '@/families/subtasks/subtask-view'
import type { TraceFrame } from '@/graph/frames'
import { trace } from '@/graph/tests/frames'

describe('the panel of a subtask', () => {
  it('says who was found, why, what was voted, and leads to messages and other subtasks', () => {
    const [onSelect, onAgent] = [vi.fn(), vi.fn()]
    show('subtasks-voted', <SubtaskPanel id="s7" onSelect={onSelect} onAgent={onAgent} />)
    expect(screen.getByRole('heading', { name: 'Subtask 7' })).toBeTruthy()
    expect(screen.getByText(/Picked because: it suits the subtask \(0\.75 ≥ 0\.40\)/)).toBeTruthy()
    expect(screen.getByText(/counts: 2 of 3 agents gave it/)).toBeTruthy()
    const table = within(screen.getByRole('table'))
    expect(table.getByRole('row', { name: /^Similarity 0\.75 ≥ 0\.40/ })).toBeTruthy()
    expect(table.getByRole('row', { name: /^Performance \S+ R\s\S+, C\s\S+/ })).toBeTruthy()
    expect(table.getByRole('row', { name: /^Exploration \S+ \d+ of \d+/ })).toBeTruthy()
    expect(table.getByRole('row', { name: /^UCB score 0\.96 0\.62 0\.33$/ })).toBeTruthy()
    expect(table.getByRole('row', { name: /^Answer 30 30 7$/ })).toBeTruthy()
    expect(table.queryByRole('row', { name: /^Reward/ })).toBeNull()
    expect(screen.getByText('30 · 2 agents')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Message of Poet on stub' }))
    expect(onAgent).toHaveBeenCalledWith('s7-3')
    fireEvent.click(screen.getByRole('button', { name: 'Subtask 5: 72' }))
    expect(onSelect).toHaveBeenCalledWith('s5')
    expect(screen.queryByText('No agent suits this subtask')).toBeNull()
  })

  it('warns where nobody reaches the threshold', () => {
    show('subtasks-voted', <SubtaskPanel id="s6" onSelect={vi.fn()} onAgent={vi.fn()} />)
    expect(screen.getByText('No agent suits this subtask')).toBeTruthy()
    expect(screen.getByText(/similarity of 0\.15, below the threshold of 0\.40/)).toBeTruthy()
    expect(screen.getByText('Wrong')).toBeTruthy()
  })

  it('shows rewards with their reasons while the method learns', () => {
    show('subtasks-learned', <SubtaskPanel id="s5" onSelect={vi.fn()} onAgent={vi.fn()} />)
    const table = within(screen.getByRole('table'))
    expect(table.getByRole('row', { name: /^Reward 0\.00 0\.00 0\.00$/ })).toBeTruthy()
    expect(screen.getByText('It gave no answer.')).toBeTruthy()
    expect(screen.getByText('No answer was good enough.')).toBeTruthy()
    expect(screen.queryByRole('heading', { name: 'Votes' })).toBeNull()
  })
})

describe('the list of subtasks', () => {
  it('reads like the graph, at any moment', () => {
    const onSelect = vi.fn()
    const { store } = show('subtasks-voted', <SubtaskList selected={null} onSelect={onSelect} />)
    const rows = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent)
    expect(rows()).toHaveLength(8)
    expect(rows()[5]).toMatch(/answered7Wrong.*Poet on large · counts0\.34/)
    act(() => store.getState().seek(1))
    expect(rows()[0]).toContain('searching agents')
    expect(rows()[7]).toContain('waiting')
    fireEvent.click(screen.getByRole('button', { name: /540 minutes/ }))
    expect(onSelect).toHaveBeenCalledWith('s3')
    act(() => store.getState().seek(0))
    expect(screen.queryAllByRole('listitem')).toHaveLength(0)
  })
})

describe('a planner’s replies that are no task graph', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 3, cost: null }
  const remedy = 'Let a larger model plan.'
  const prose = Array.from({ length: 20 }, (_, step) => `Step ${step}: <b>I</b> add.`).join('\n')
  const call = (ordinal: number, reply: string, problem: string): TraceFrame[] => {
    const by = { endpoint: 'stub', ordinal }
    const truncated = false
    const seq = 2 * ordinal
    return [
      trace(seq - 1, { event: 'planner_asked', at: seq - 1, model: 'small', ...by }),
      trace(seq, {
        event: 'plan_rejected',
        at: seq,
        reply,
        problem,
        remedy,
        usage,
        truncated,
        ...by,
      }),
    ]
  }
  const failed = trace(5, {
    event: 'run_failed',
    at: 5,
    failure: { code: 'no_task_graph', message: 'No graph.', remedy },
    usage,
    seconds: 1,
  })
  const both = [...call(1, prose, 'it is not a JSON object.'), ...call(2, '', 'it is empty.')]

  function view(
    frames: readonly TraceFrame[],
    page: ReactNode = <SubtaskView selected={null} onSelect={vi.fn()} />,
  ) {
    return showFrames(frames, page).store
  }

  it('stand where the graph would, with what is wrong, the way out, and long texts folded', () => {
    view([...both, failed])
    expect(screen.getByText('The question was not divided into subtasks')).toBeTruthy()
    expect(screen.getAllByText(remedy)).toHaveLength(1)
    expect(screen.getAllByRole('listitem')).toHaveLength(2)
    const first = within(screen.getByRole('listitem', { name: 'Reply 1 of the planner on stub' }))
    expect(first.getByText(/it is not a JSON object\./)).toBeTruthy()
    const said = first.getByText(/Step 0: <b>I<\/b> add\./)
    expect(said.className).toContain('line-clamp')
    fireEvent.click(first.getByRole('button', { name: 'Show all' }))
    expect(said.className).not.toContain('line-clamp')
    expect(screen.getByText('The reply is empty.')).toBeTruthy()
  })

  it('are told while the planner may still mend them', () => {
    view(both.slice(0, 3))
    expect(screen.getByText(/division is not valid/)).toBeTruthy()
    expect(screen.getByRole('status').textContent).toBe('The planner on stub tries again')
  })

  it('are told in the list, too, and that nothing was divided once the run is over', () => {
    const list = <SubtaskList selected={null} onSelect={vi.fn()} />
    view([], list)
    expect(screen.getByText('The question has not been divided into subtasks yet.')).toBeTruthy()
    cleanup()
    view(both.slice(0, 2), list)
    expect(screen.getByText(/is not valid. The planner tries again/)).toBeTruthy()
    cleanup()
    view([...both, failed], list)
    expect(screen.getByText(/no division of the planner was valid/)).toBeTruthy()
    cleanup()
    view([...both.slice(0, 1), failed], list)
    expect(screen.getByText(/the run ended before the planner divided the question/)).toBeTruthy()
  })

  it('are waited for as long as it was then, where one looks back', () => {
    const store = view([...both, failed])
    act(() => store.getState().seek(0))
    expect(screen.getByText('0 ms')).toBeTruthy()
  })

  it('are awaited with a word on whose they are, until the run stops', () => {
    view(both.slice(0, 1))
    expect(screen.getByRole('status').textContent).toBe('The planner on stub divides the question')
    cleanup()
    view([...both.slice(0, 1), failed])
    expect(screen.getByRole('status').textContent).toBe('')
  })
})

describe('an agent that was asked a subtask', () => {
  it('names it and leads back', () => {
    const onOwn = vi.fn()
    show('subtasks-voted', <AgentPanel id="s6-1" onSelect={vi.fn()} onOwn={onOwn} />)
    expect(screen.getByText('Its answer to the subtask counts.')).toBeTruthy()
    expect(screen.getByText(/^Picked because: it does not suit the subtask/)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: /^6\. Which duty/ }))
    expect(onOwn).toHaveBeenCalledWith(subtasks.tab, 's6')
  })
})
