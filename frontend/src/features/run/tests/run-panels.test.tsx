import { act, cleanup, fireEvent, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'

import { AgentPanel } from '@/components/run/agent-panel'
import { useRun } from '@/components/run/run-context'
import { show, showFrames } from '@/components/run/tests/show'
import { TraceTree } from '@/components/run/trace-tree'
import { TeamPanel } from '@/features/run/team-panel'
import { WaitingPanel } from '@/features/run/waiting-panel'
import type { Frame, RunEvent } from '@/graph/frames'
import { agentFinished, agentStarted, detailOf, recording, trace } from '@/graph/tests/frames'

describe('the panel of an agent', () => {
  it('shows prompt, tools, numbers and why it was chosen', async () => {
    show('mashost', <AgentPanel id="a4" onSelect={vi.fn()} />)
    expect(screen.getByRole('heading', { name: 'Python programmer' })).toBeTruthy()
    expect(screen.getByText(/You are the Python programmer/)).toBeTruthy()
    expect(screen.getByRole('region', { name: 'Output: python' }).textContent).toContain('90.0')
    expect(screen.getByText('402')).toBeTruthy()
    expect(await screen.findByText(/Chosen at step 5/)).toBeTruthy()
  })

  it('links the pages that a tool read, and names no page where the address is none', () => {
    const call = { agent_id: 'a1', call_id: 'c1', tool: 'read_page', at: 2 } as const
    const called = { ...call, event: 'tool_called', arguments: {}, truncated: null } as const
    const sources = [
      { title: 'Rhine', address: 'https://rivers.example/rhine' },
      { title: 'Elbe', address: '/corpus/wiki/Elbe' },
      { title: 'Click here', address: 'javascript:alert(1)' },
      { title: 'Elsewhere', address: '//evil.example/corpus/' },
      { title: 'lengths.xlsx', address: '' },
    ]
    const said = { ok: true, output: 'text', seconds: 1, sources }
    const end = { ...said, cached: true, cut: true, fetched: 0 }
    const returned = { ...call, ...end, event: 'tool_returned', picture: null } as const
    const events: RunEvent[] = [agentStarted('a1', 1), called, returned]
    showFrames(
      events.map((event, place) => trace(place + 1, event)),
      <AgentPanel id="a1" onSelect={vi.fn()} />,
    )
    const list = screen.getByRole('list', { name: 'Sources of read_page' })
    expect(list.textContent).toContain('Rhinerivers.example')
    expect(list.textContent).toContain('lengths.xlsx')
    expect(list.textContent).toContain('Elbethis studio')
    const links = within(list).getAllByRole<HTMLAnchorElement>('link')
    expect(links.map(({ href }) => href)).toEqual([
      'https://rivers.example/rhine',
      new URL('/corpus/wiki/Elbe', globalThis.location.href).href,
    ])
    expect(screen.getByText('asked before in this run')).toBeTruthy()
    expect(screen.getByText('shortened, there was more')).toBeTruthy()
  })

  it('shows a page as a picture that opens large, and says when it is gone', () => {
    const call = { agent_id: 'a1', call_id: 'c1', tool: 'browser', at: 2 } as const
    const called = { ...call, event: 'tool_called', arguments: {}, truncated: null } as const
    const sources = [{ title: 'Rhine', address: 'https://rivers.example/rhine' }]
    const said = { ok: true, output: 'text', seconds: 1, sources }
    const end = { ...said, cached: false, cut: false, fetched: 0 }
    const returned = { ...call, ...end, event: 'tool_returned', picture: 'p1' } as const
    const events: RunEvent[] = [agentStarted('a1', 1), called, returned]
    showFrames(
      events.map((event, place) => trace(place + 1, event)),
      <AgentPanel id="a1" onSelect={vi.fn()} />,
    )
    const name = 'Picture of the page Rhine, https://rivers.example/rhine'
    const image = screen.getByRole('img', { name })
    expect(image.getAttribute('src')).toMatch(/^\/api\/runs\/.+\/pictures\/p1$/)
    expect(image.getAttribute('loading')).toBe('lazy')
    fireEvent.click(screen.getByRole('button', { name }))
    const dialog = within(screen.getByRole('dialog', { name: 'Rhine' }))
    expect(dialog.getByRole('img', { name })).toBeTruthy()
    fireEvent.click(dialog.getByRole('button', { name: 'Close' }))
    fireEvent.error(screen.getByRole('img', { name }))
    expect(screen.getByText('The picture of the page could not be loaded.')).toBeTruthy()
  })

  it('shows calls that were stored before sources were told', () => {
    const call = { agent_id: 'a1', call_id: 'c1', tool: 'calculator', at: 2 } as const
    const old = { ...call, event: 'tool_returned', ok: true, output: '42', seconds: 1 }
    const called = { ...call, event: 'tool_called', arguments: {}, truncated: null } as const
    const events = [agentStarted('a1', 1), called, old as unknown as RunEvent]
    showFrames(
      events.map((event, place) => trace(place + 1, event)),
      <AgentPanel id="a1" onSelect={vi.fn()} />,
    )
    expect(screen.getByRole('region', { name: 'Output: calculator' }).textContent).toContain('42')
    expect(screen.queryByRole('list', { name: 'Sources' })).toBeNull()
  })

  it('names cause and remedy of a failure, and leaves unknown numbers unknown', () => {
    show('mashost', <AgentPanel id="a5" onSelect={vi.fn()} />)
    const alert = screen.getByRole('alert')
    expect(alert.textContent).toContain('closed the connection')
    expect(alert.textContent).toContain('test its connection')
    expect(screen.getAllByText('—').length).toBeGreaterThanOrEqual(3)
    expect(screen.queryByText('0')).toBeNull()
  })

  it('says that the server sampled at a temperature of its own', () => {
    const told = { ...agentFinished('a1', 2), own_temperature: true }
    showFrames([trace(1, told)], <AgentPanel id="a1" onSelect={vi.fn()} />)
    expect(screen.getByText(/did not use the requested temperature/)).toBeTruthy()
  })

  it('opens the agents that it read', () => {
    const onSelect = vi.fn()
    show('mashost', <AgentPanel id="a2" onSelect={onSelect} />)
    fireEvent.click(screen.getByRole('button', { name: 'Planner' }))
    expect(onSelect).toHaveBeenCalledWith('a1')
  })
})

describe('the team of a method without construction', () => {
  it('counts the answers', () => {
    show('self-consistency', <TeamPanel selected={null} onSelect={vi.fn()} />)
    expect(screen.getByText(/3\/7 · 4 agents/)).toBeTruthy()
    expect(screen.getByText(/5\/12 · 1 agent/)).toBeTruthy()
  })

  it('counts spellings of one answer as the vote did, and marks its winner', () => {
    const said = (id: string, answer: string | null, at: number) => ({
      ...agentFinished(id, at),
      answer,
    })
    const vote = {
      event: 'intermediate_answer',
      at: 6,
      step: 1,
      answer: '18',
      agent_id: 'a1',
      groups: [
        { answer: '18', agent_ids: ['a1', 'a4'] },
        { answer: '20', agent_ids: ['a3'] },
      ],
    }
    const events = [
      ...[said('a1', '18', 1), said('a2', null, 2), said('a3', '20', 3), said('a4', '$18.00', 4)],
      ...[said('a5', null, 5), said('a6', null, 5)],
    ]
    const told = [...events, vote].map((event, index) => trace(index + 1, event as RunEvent))
    showFrames(told, <TeamPanel selected={null} onSelect={vi.fn()} />)
    expect(screen.getByText(/^18 · 2 agents/)).toBeTruthy()
    expect(screen.getByText(/no answer · 3 agents/)).toBeTruthy()
    expect(screen.queryByText(/\$18\.00 · /)).toBeNull()
    expect(screen.getByText(/^18 · 2 agents/).className).toContain('font-semibold')
    expect(screen.getByText(/no answer · 3 agents/).className).not.toContain('font-semibold')
  })

  it('counts no agent that has not spoken: not one that is held, not one that is to come', () => {
    const detail = { ...detailOf(recording('self-consistency')), status: 'waiting' as const }
    const graph = {
      nodes: ['a1', 'a2', 'a3', 'a4'].map((id) => ({
        id,
        round: null,
        endpoint: null,
        role: { key: 'r', name: 'Reasoner', family: 'baseline' },
      })),
      edges: [],
    }
    const usage = { prompt_tokens: 0, completion_tokens: 0, cost: null }
    const told = (...events: object[]): Frame[] => [
      { type: 'status', run: 'r', detail },
      ...[{ event: 'graph_planned', at: 0, graph }, ...events].map((event, index) =>
        trace(index + 1, event as RunEvent),
      ),
    ]
    const pause = {
      event: 'run_paused',
      at: 3,
      waiting_for: ['a1'],
      asked: [],
      graph,
      usage,
      seconds: 1,
    }
    const page = (
      <>
        <WaitingPanel />
        <TeamPanel selected={null} onSelect={vi.fn()} />
      </>
    )
    showFrames(told(pause), page)
    expect(screen.getByText(/No agent has spoken so far/)).toBeTruthy()
    expect(screen.queryByText(/no answer/)).toBeNull()
    cleanup()
    const said = { ...agentFinished('a2', 2), answer: '18' }
    showFrames(told(said, pause), page)
    expect(screen.getByText(/1 agent has spoken so far/)).toBeTruthy()
    expect(screen.getByText(/18 · 1 agent/)).toBeTruthy()
    expect(screen.queryByText(/no answer/)).toBeNull()
  })

  it('counts no answers of agents that were asked different subtasks', () => {
    show('subtasks-voted', <TeamPanel selected={null} onSelect={vi.fn()} />)
    expect(screen.queryByText('Answers of the agents')).toBeNull()
    expect(screen.getAllByText(/^Subtask 4 · 15 tokens/)).toHaveLength(3)
  })
})

describe('the trace', () => {
  it('is walked with the keyboard', () => {
    const onSelect = vi.fn()
    show('lost-attempt', <TraceTree selected={null} onSelect={onSelect} />)
    const tree = screen.getByRole('tree', { name: 'Trace' })
    const items = () => within(tree).getAllByRole('treeitem')
    const focused = () => document.activeElement?.textContent ?? ''
    items()[0]?.focus()
    expect(focused()).toContain('Attempt 1')
    const press = (key: string) =>
      fireEvent.keyDown(document.activeElement ?? document.body, { key })
    press('ArrowDown')
    expect(focused()).toContain('Step 1')
    press('End')
    expect(focused()).toContain('527040')
    press('Home')
    const before = items().length
    press('ArrowLeft')
    expect(items().length).toBeLessThan(before)
    expect(items()[0]?.getAttribute('aria-expanded')).toBe('false')
    press('ArrowRight')
    press('ArrowDown')
    press('Enter')
    expect(onSelect).toHaveBeenCalledWith('a1')
  })

  it('opens the agent of the attempt whose row was chosen', () => {
    const { store } = show('lost-attempt', <Chosen />)
    const tree = screen.getByRole('tree', { name: 'Trace' })
    fireEvent.click(screen.getByRole('button', { name: 'Expand all' }))
    const prompts = () =>
      within(tree)
        .getAllByRole('treeitem')
        .filter((row) => row.textContent.startsWith('Prompt'))
    const selected = () => within(tree).getAllByRole('treeitem', { selected: true })
    const [lost, ...others] = prompts()
    if (!lost) throw new Error('nobody was asked')
    fireEvent.click(lost)
    expect(store.getState().attempt?.attempt).toBe(1)
    expect(screen.getByRole('status', { name: 'Chosen' }).textContent).toBe('stopped')
    expect(selected()).toContain(lost)
    const again = others.find((row) => !selected().includes(row))
    if (!again) throw new Error('nobody was asked again')
    fireEvent.click(again)
    expect(store.getState().attempt?.attempt).toBe(2)
    expect(screen.getByRole('status', { name: 'Chosen' }).textContent).toBe('done')
    expect(selected()).toContain(again)
    expect(selected()).not.toContain(lost)
  })

  it('marks the row of the moment, dims what comes later, and goes to the moment of a row', () => {
    const { store } = show('mashost', <Chosen />)
    act(() => store.getState().seek(3))
    const tree = screen.getByRole('tree', { name: 'Trace' })
    const rows = () => within(tree).getAllByRole('treeitem')
    const now = () => rows().findIndex((row) => row.getAttribute('aria-current') === 'step')
    const isLater = (row: HTMLElement | undefined) => row?.hasAttribute('data-later')
    expect(now()).toBeGreaterThan(0)
    expect(isLater(rows()[now()])).toBe(false)
    expect(isLater(rows().at(-1))).toBe(true)
    const last = rows()
      .filter((row) => row.textContent.startsWith('Step'))
      .at(-2)
    if (!last) throw new Error('no step')
    fireEvent.click(last)
    expect(store.getState().moment).toBeGreaterThan(3)
    expect(isLater(last)).toBe(false)
    expect(last.getAttribute('aria-current')).toBe('step')
  })
})

/** The trace, and how the chosen agent stands in the attempt that is shown. */
function Chosen() {
  const [agent, setAgent] = useState<string | null>(null)
  const status = useRun((state) => state.attempt?.agents.get(agent ?? '')?.status)
  return (
    <>
      <TraceTree selected={agent} onSelect={setAgent} />
      <p role="status" aria-label="Chosen">
        {status}
      </p>
    </>
  )
}
