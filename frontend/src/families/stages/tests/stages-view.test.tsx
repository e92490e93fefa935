import { act, fireEvent, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'

import { AgentPanel } from '@/components/run/agent-panel'
import { show, showFrames } from '@/components/run/tests/show'
import { family } from '@/families/stages/family'
import { StageSide } from '@/families/stages/stage-side'
import { StagesView } from '@/families/stages/stages-view'
import type { Frame, RunEvent } from '@/graph/frames'
import { recording, takenUpAfter } from '@/graph/tests/frames'

const onAgent = vi.fn()

function Page() {
  const [stage, setStage] = useState<string | null>(null)
  return (
    <>
      <StagesView selected={stage} onSelect={setStage} />
      <StageSide selected={stage} onSelect={setStage} onAgent={onAgent} />
    </>
  )
}

const strip = () => within(screen.getByRole('list', { name: 'Stages of the run' }))
const card = (stage: number) =>
  strip().getByRole('button', { name: new RegExp(`^Stage ${stage} ?Subtask`) })
const plan = () => within(screen.getByRole('region', { name: 'Plan' }))
const detail = (stage: number) =>
  within(
    within(screen.getByRole('region', { name: 'Plan and stage' })).getByRole('region', {
      name: `Stage ${stage}`,
    }),
  )
const row = (name: RegExp) => screen.getByRole('row', { name })

/** The recorded run with some of its events changed. */
const changed = (change: (event: RunEvent) => Partial<RunEvent>): Frame[] =>
  recording('stages').map((frame) =>
    frame.type === 'trace'
      ? { ...frame, event: { ...frame.event, ...change(frame.event) } as RunEvent }
      : frame,
  )

it('opens at the end: the plan with results, why it ended, and safe links to the sources', () => {
  show('stages', <Page />)
  expect(card(3).getAttribute('aria-current')).toBe('step')
  expect(card(1).textContent).toBe(
    'Stage 1Subtask 1: Find the length of the Elbe. ' +
      'Workflow: Web search + Web browser, then Multi-generate, then Ensemble. refine70 % sure',
  )
  expect(plan().getByText('2 of 2 done')).toBeTruthy()
  expect(screen.getByText('The evaluator has accepted every subtask.')).toBeTruthy()
  const [elbe, rhine] = screen.getAllByRole('link')
  expect(elbe?.textContent).toBe('Elbe, a river in Central Europe')
  expect(rhine?.getAttribute('href')).toBe('https://rivers.example/wiki/Rhine')
  expect(rhine?.getAttribute('rel')).toContain('noopener noreferrer')
  expect(screen.getAllByText('rivers.example')).toHaveLength(2)

  const first = within(plan().getByText('2 attempts').closest('li') as HTMLElement)
  fireEvent.click(first.getByRole('button', { name: 'Result of subtask 1' }))
  expect(first.getByRole('region', { name: 'Result of subtask 1' }).textContent).toContain('1,094')
  fireEvent.click(first.getByRole('button', { name: 'Details of Ensemble, round 2' }))
  expect(onAgent).toHaveBeenCalledWith('s2l2a1')
})

it('shows a chosen stage: every agent’s probability, the chosen ones, and how they were taken', () => {
  show('stages', <Page />)
  fireEvent.click(card(1))
  expect(row(/^Web search 46 % ?number 1/)).toBeTruthy()
  expect(row(/^Multi-generate 5.2 % 52 % ?number 1/)).toBeTruthy()
  expect(row(/^Chosen together 67 % 52 % 61 %$/)).toBeTruthy()
  expect(screen.getByText(/^In each layer the likeliest agents were taken/).textContent).toContain(
    'until they had 50 % together.',
  )
  expect(screen.getByRole('img', { name: /^3 rings, the innermost for layer 1/ })).toBeTruthy()

  const told = detail(1)
  expect(told.getByText(/first reply of the planner was no plan/)).toBeTruthy()
  expect(told.getByText(/^Problem: no line begins with a number/)).toBeTruthy()
  expect(told.getByText(/^2 subtasks were left out/)).toBeTruthy()
  expect(told.getAllByText('2 tool calls')).toHaveLength(2)
  expect(told.getByText('70 % sure')).toBeTruthy()
  expect(told.getAllByText('The unit is missing.').length).toBeGreaterThan(0)
})

it('shows what changed, by the planner and after the stage', () => {
  show('stages', <Page />)
  fireEvent.click(card(2))
  const told = detail(2)
  expect(told.getByText('dropped')).toBeTruthy()
  expect(told.getByText('Find the length of the Rhine in kilometres.')).toBeTruthy()
  expect(told.getByText('needs refinement')).toBeTruthy()
  expect(told.getByText(/first reply of the evaluator had no verdict/)).toBeTruthy()
  const added = told.getAllByRole('insertion').map(({ textContent }) => textContent)
  expect(added.at(-1)).toContain('Stage 2: Web browser + Web search > Ensemble; success')
})

it('follows the replay, and leaves it when a stage is chosen', () => {
  const { store } = show('stages', <Page />)
  act(() => store.getState().seek(0))
  expect(screen.getByText('There is no stage yet.')).toBeTruthy()
  act(() => store.getState().seek(30))
  expect(strip().getAllByRole('button').length).toBeLessThan(3)
  fireEvent.click(card(1))
  expect(store.getState().moment).toBeNull()
  expect(strip().getAllByRole('button')).toHaveLength(3)
})

it('is watched as it grows', () => {
  const frames = recording('stages')
  const at = (kind: string) =>
    frames.findIndex((frame) => frame.type === 'trace' && frame.event.event === kind) + 1
  const { store } = showFrames(frames.slice(0, at('stage_planned')), <Page />)
  const status = () => screen.getByRole('status').textContent
  expect(status()).toBe('Stage 1: choosing')
  expect(screen.getAllByText('The workflow of this stage has not been chosen yet.').length).toBe(2)
  act(() => store.getState().applyFrames(frames.slice(at('stage_planned'), at('stage_ended'))))
  expect(status()).toBe('Stage 2 is being planned')
  expect(plan().getByText('now')).toBeTruthy()
})

it('moves from stage to stage with the arrow keys', () => {
  show('stages', <Page />)
  card(1).focus()
  fireEvent.keyDown(card(1), { key: 'ArrowRight' })
  expect(document.activeElement).toBe(card(2))
})

it('says that agents were drawn', () => {
  showFrames(
    changed(({ event }) => (event === 'layer_sampled' ? { greedy: false } : {})),
    <StagesView selected="1" onSelect={vi.fn()} />,
  )
  expect(screen.getByText(/^In each layer agents were drawn by these/)).toBeTruthy()
})

it('says that the settings fix a workflow', () => {
  showFrames(
    changed(({ event }) => (event === 'layer_sampled' ? { fixed: true } : {})),
    <StagesView selected="1" onSelect={vi.fn()} />,
  )
  expect(screen.getByText(/^The settings name this workflow/)).toBeTruthy()
  expect(screen.queryByRole('table')).toBeNull()
})

it.each([
  ['early_exit', 'Ended early', /no further agents were needed/],
  ['out_of_stages', 'No stage is left', /allow no further stage/],
  ['out_of_time', 'No time for another stage', /raise the seconds/],
  ['unassessed', 'Ended after one stage', /no evaluator/],
] as const)('says why it ended: %s', (ending, title, why) => {
  showFrames(
    changed((event) => (event.event === 'stage_ended' && event.ending !== null ? { ending } : {})),
    <Page />,
  )
  expect(screen.getAllByText(title).length).toBe(2)
  expect(screen.getByText(why)).toBeTruthy()
})

it('leads from an agent to its stage, and tells why it was chosen and what its tools read', () => {
  const onOwn = vi.fn()
  show('stages', <AgentPanel id="s1l1a1" onSelect={vi.fn()} onOwn={onOwn} />)
  expect(screen.getByText('It works in layer 1.')).toBeTruthy()
  expect(
    screen.getByText(/^Chosen as number 1 of layer 1, with a probability of 46 %/),
  ).toBeTruthy()
  const found = within(screen.getByRole('list', { name: 'Sources of web_search' }))
  expect(found.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Elbe, a river in Central Europerivers.example',
    'Win a boat',
    'rivers.csv',
  ])
  expect(found.getAllByRole('link')).toHaveLength(1)
  expect(screen.getByText('asked before in this run')).toBeTruthy()
  expect(screen.getByText('shortened, there was more')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Show stage 1' }))
  expect(onOwn).toHaveBeenCalledWith(family.tab, '1')
})

it('shows where another worker took the run up again, between the stages', () => {
  showFrames(takenUpAfter(1), <Page />)
  const items = strip().getAllByRole('listitem')
  expect(items.map(({ textContent }) => textContent.slice(0, 25))).toEqual([
    'Stage 1Subtask 1: Find th',
    'Taken up again at stage 2',
    'Stage 2Subtask 1: Find th',
    'Stage 3Subtask 2: Say whi',
  ])
})
