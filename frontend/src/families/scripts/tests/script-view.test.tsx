import { act, fireEvent, screen, within } from '@testing-library/react'
import type { DetachedWindowAPI } from 'happy-dom'
import { useState } from 'react'
import { afterEach, expect, it, vi } from 'vitest'

import { AgentPanel } from '@/components/run/agent-panel'
import { show, showFrames } from '@/components/run/tests/show'
import { family } from '@/families/scripts/family'
import { ScriptSide } from '@/families/scripts/script-side'
import { ScriptView } from '@/families/scripts/script-view'
import type { Frame, RunEvent } from '@/graph/frames'
import { delta, recording } from '@/graph/tests/frames'

const onAgent = vi.fn()
const onWidth = (width: number) =>
  (globalThis as unknown as { happyDOM: DetachedWindowAPI }).happyDOM.setViewport({ width })
afterEach(() => onWidth(1024))

function Page({ first = null }: Readonly<{ first?: string | null }>) {
  const [block, setBlock] = useState(first)
  return (
    <>
      <ScriptView selected={block} onSelect={setBlock} />
      <ScriptSide selected={block} onSelect={setBlock} onAgent={onAgent} />
    </>
  )
}

const FRAMES = recording('script')
const upTo = (kind: string, nth = 1): Frame[] => {
  let seen = 0
  const end = FRAMES.findIndex(
    (frame) => frame.type === 'trace' && frame.event.event === kind && ++seen === nth,
  )
  return FRAMES.slice(0, end + 1)
}
const script = (number: number) =>
  within(screen.getByRole('region', { name: `Script ${number}, line by line` }))
const line = (number: number) =>
  script(2).getByRole('button', { name: new RegExp(`^${number}\\D`) })
const drawing = () => within(screen.getByRole('region', { name: 'Drawing of the team' }))
const card = (name: string) =>
  drawing().getByRole('button', { name: new RegExp(`^${name}, Agent`) })
const side = () => within(screen.getByRole('region', { name: 'Calls and end' }))
const status = () => screen.getByRole('status').textContent
const changed = (change: (event: RunEvent) => Partial<RunEvent>): Frame[] =>
  FRAMES.map((frame) =>
    frame.type === 'trace'
      ? { ...frame, event: { ...frame.event, ...change(frame.event) } as RunEvent }
      : frame,
  )

it('shows at the end script, drawing, calls, and what was delivered and printed', () => {
  show('script', <Page />)
  expect(status()).toBe('Delivered an answer')
  expect(line(9).textContent).toContain('makes Critic')
  expect(card('Solver 1').getAttribute('aria-label')).toBe(
    'Solver 1, Agent, Line 5, done · 1 call · 240 tokens, in Ensemble',
  )
  expect(card('Expert').getAttribute('aria-label')).toContain('not asked')
  expect(drawing().getByText('decided while it runs')).toBeTruthy()
  expect(drawing().getByText('incorrect')).toBeTruthy()
  expect(side().getByText('The team says 48')).toBeTruthy()
  expect(side().getByText(/ensemble:majority/)).toBeTruthy()
  fireEvent.click(side().getByRole('button', { name: 'Details of Critic' }))
  expect(onAgent).toHaveBeenCalledWith('a4')
})

it('chooses by a line all agents that it makes, and by an agent its line', () => {
  show('script', <Page />)
  fireEvent.click(line(5))
  for (const n of [1, 2, 3]) expect(card(`Solver ${n}`).getAttribute('aria-pressed')).toBe('true')
  expect(card('Critic').getAttribute('aria-pressed')).toBe('false')
  expect(side().getByRole('heading', { name: 'Line 5' })).toBeTruthy()
  expect(side().getAllByText(/^Each basket holds 12 eggs/)).toHaveLength(3)

  fireEvent.click(card('Critic'))
  expect(line(9).getAttribute('aria-pressed')).toBe('true')
  expect(line(5).getAttribute('aria-pressed')).toBe('false')
  expect(side().getByText(/^Look for a mistake in the solution/)).toBeTruthy()
  expect(side().getByText(/Verdict: correct/)).toBeTruthy()
  fireEvent.click(side().getByRole('button', { name: 'Close' }))
  expect(side().getByText('The team says 48')).toBeTruthy()
})

it('shows the first script with its problems beside the second', () => {
  show('script', <Page />)
  fireEvent.click(screen.getByRole('button', { name: 'Script 1 · 3 problems' }))
  expect(script(1).getByText(/imports nothing but workflow/)).toBeTruthy()
  expect(script(1).getAllByRole('listitem').length).toBeGreaterThan(6)
  expect(script(2).getAllByText(/changed/).length).toBeGreaterThan(0)
  fireEvent.click(screen.getByRole('button', { name: 'Script 2 · used' }))
  expect(screen.queryByRole('region', { name: 'Script 1, line by line' })).toBeNull()
  expect(drawing()).toBeTruthy()
})

it('is watched while the script is written', () => {
  const { store } = showFrames(upTo('agent_started'), <Page />)
  expect(status()).toBe('The designer reads the question')
  expect(screen.getByText(/^The designer reads the question\. Its script/)).toBeTruthy()
  expect(screen.getByText('The team is drawn when the script is complete.')).toBeTruthy()
  const says = (offset: number, text: string) =>
    act(() =>
      store.getState().applyFrames([{ ...delta('designer', offset, text), run: 'delivered' }]),
    )
  says(0, 'I think ')
  expect(screen.getByText('I think')).toBeTruthy()
  says(8, '\n```python\nfrom workflow import agent\na = ag')
  expect(status()).toBe('The designer writes script 1')
  expect(script(1).getByText(/^a = ag/)).toBeTruthy()
  act(() => store.getState().applyFrames(upTo('script_read').slice(-1)))
})

it('waits for the second script beside the first', () => {
  showFrames(upTo('agent_started', 2), <Page />)
  expect(screen.getByRole('button', { name: 'Script 2 · being written' })).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: /^Script 1/ }))
  expect(script(1).getByText(/imports nothing but workflow/)).toBeTruthy()
  expect(screen.getByText(/^The designer reads the question\. Its script/)).toBeTruthy()
})

it('lights who speaks, and says so', () => {
  showFrames(upTo('agent_started', 3), <Page />)
  expect(status()).toBe('Solver 1 at work')
  expect(line(5).textContent).toContain('speaks now')
  expect(line(10).textContent).toContain('around the agent that speaks')
  expect(line(9).textContent).not.toContain('speaks')
})

it('follows the replay', () => {
  const { store } = show('script', <Page />)
  act(() => store.getState().seek(0))
  expect(screen.getByText('No script was written.')).toBeTruthy()
  act(() => store.getState().seek(9))
  expect(status()).toContain('at work')
})

it('tells of a given script without a designer, with the line that failed', () => {
  show('script-given', <Page />)
  expect(status()).toBe('The script failed')
  expect(screen.getByText('The settings give this script, so no designer was asked.')).toBeTruthy()
  const failed = within(screen.getByRole('region', { name: 'Script 1, line by line' }))
  expect(failed.getByText('Check the length of the list first.')).toBeTruthy()
  expect(side().getByText(/^Line 10: The script failed/)).toBeTruthy()
  expect(card('Solver 1').getAttribute('aria-label')).toContain('failed')
})

it.each([
  ['limit', 'A limit ended the script'],
  ['broken', 'The script’s process broke off'],
] as const)('says how it ended: %s', (ending, told) => {
  showFrames(
    changed((event) => (event.event === 'script_ended' ? { ending } : {})),
    <Page />,
  )
  expect(status()).toBe(told)
})

it('says that no script could be used', () => {
  const end = recording('script-given').slice(-1)
  showFrames(
    [...upTo('script_read'), ...end.map((frame) => ({ ...frame, run: 'delivered', seq: 99 }))],
    <Page />,
  )
  expect(status()).toBe('No usable script')
  expect(screen.getByText('This script can’t be used, so there is nothing to draw.')).toBeTruthy()
})

it('has on a phone the drawing above and the scripts below', async () => {
  onWidth(390)
  show('script', <Page />)
  const view = within(screen.getByRole('region', { name: 'Script' }))
  expect(view.queryByRole('region', { name: /line by line/ })).toBeNull()
  expect(view.getByRole('region', { name: 'Drawing of the team' })).toBeTruthy()
  expect(side().getByRole('region', { name: 'Script 2, line by line' })).toBeTruthy()
  fireEvent.click(await side().findByRole('button', { name: /^Script 1/ }))
  expect(await side().findByText(/imports nothing but workflow/)).toBeTruthy()
})

it('walks the lines with the arrow keys', () => {
  show('script', <Page />)
  line(5).focus()
  fireEvent.keyDown(line(5), { key: 'ArrowDown' })
  expect(document.activeElement).toBe(line(8))
})

it('leads from an agent to its line', () => {
  const onOwn = vi.fn()
  show('script', <AgentPanel id="a4" onSelect={vi.fn()} onOwn={onOwn} />)
  expect(screen.getByText('Call 4 of the script.')).toBeTruthy()
  expect(screen.getByText('The script asks it: it is made in line 9.')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Show line 9' }))
  expect(onOwn).toHaveBeenCalledWith(family.tab, 'b6')
})

it('tells what a designer is for', () => {
  show('script', <AgentPanel id="designer" onSelect={vi.fn()} />)
  expect(screen.getByText(/^The method asks it for a team/)).toBeTruthy()
})
