import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { Curve } from '@/features/training/curve'
import { DesignsOffer } from '@/features/training/designs/designs-offer'
import { DesignsPage } from '@/features/training/designs/designs-page'
import { ExecutionPage } from '@/features/training/designs/execution-page'
import { cellTold, columnsOf, rowsOf } from '@/features/training/designs/matrix'
import type {
  Design,
  Designs,
  Execution,
  ExecutionTrace,
  Question,
} from '@/features/training/designs/use-designs'
import { rolesOf, stageAreas } from '@/features/training/stages'
import { jobQuery } from '@/features/training/use-training'
import { recording } from '@/graph/tests/frames'
import { queries } from '@/lib/api/queries'
import { playApi, type Sent } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

import { me, training } from './support'

const execution = (number: number, part: Partial<Execution> = {}): Execution => ({
  execution: number,
  ending: 'delivered',
  reward: 1,
  parts: { correct: 1 },
  advantage: 0.5,
  correct: true,
  answer: '48',
  learned: true,
  tokens: 30,
  calls: 2,
  ...part,
})
const design = (number: number, part: Partial<Design> = {}): Design => ({
  design: number,
  script: 'from workflow import agent, deliver\ndeliver(agent("Solver", "Solve it."))',
  shape: 'agent',
  problems: [],
  tokens: 40,
  finish: 'stop',
  reward: 0.5,
  advantage: 0.7,
  executions: [
    execution(1),
    execution(2, { correct: false, reward: 0, advantage: -1, answer: null, ending: 'failed' }),
  ],
  ...part,
})
const UNUSABLE = design(2, {
  script: 'import os',
  shape: '',
  problems: [
    {
      code: 'bad_import',
      message: 'A script imports nothing else.',
      remedy: 'Remove it.',
      line: 1,
    },
  ],
  reward: 0,
  advantage: -1.2,
  executions: [],
})
const question = (number: number, designs: Design[]): Question => ({
  question: number,
  task: number + 3,
  query: 'How many eggs are left?',
  reference: '48',
  designs,
})
const VOTE = 'ensemble:majority(agent×3)'
const DESIGNS: Designs = {
  step: 9,
  count: 2,
  shapes: [
    { shape: 'agent', designs: 2, reward: 0.5 },
    { shape: VOTE, designs: 1, reward: 1 },
    { shape: '', designs: 1, reward: 0 },
  ],
  results: [
    question(0, [
      design(1),
      UNUSABLE,
      design(3, { shape: VOTE, reward: 1, script: '' }),
      design(4),
    ]),
    question(1, [design(1)]),
  ],
}
const TRACE: ExecutionTrace = {
  ...{ step: 9, question: 0, task: 3, query: 'How many eggs are left?', reference: '48' },
  ...{ design: 1, execution: 1, reward: 1, parts: {}, advantage: 0.5, correct: true, answer: '48' },
  ...{ learned: false, design_reward: 0.5, design_advantage: 0.7, graph: { nodes: [], edges: [] } },
  events: recording('script').flatMap((frame) =>
    frame.type === 'trace' && !frame.event.event.startsWith('run_')
      ? [frame.event as unknown as Record<string, unknown>]
      : [],
  ),
}
const at = '/api/training-jobs/j1/designs'
const serve = () =>
  playApi(({ path, query }) => {
    if (path === `${at}/steps`) return { body: { steps: [7, 9] } }
    if (path === `${at}/execution`) return { body: TRACE }
    if (path === '/api/designs') return { status: 201, body: { id: 'd1' } }
    if (path !== at) return undefined
    const one = query.get('page_size') === '1'
    return { body: one ? { ...DESIGNS, results: DESIGNS.results.slice(0, 1) } : DESIGNS }
  })
const options = (path: string, place: string, mayRun = true) => ({
  ...{ path, at: place, isFresh: true },
  beside: [{ path: '/designs/:id', element: <p>The designer</p> }],
  known: [
    [jobQuery('j1').queryKey, training({ step: 12, method: 'metaagent_x' })],
    [queries.me.queryKey, { ...me, permissions: { ...me.permissions, run: mayRun } }],
    [['methods'], []],
    [['pool', 'general'], { roles: [] }],
  ] as (readonly [readonly unknown[], unknown])[],
})
const open = (mayRun = true) => {
  const sent = serve()
  show(<DesignsPage />, options('/training/:id/designs/:step', '/training/j1/designs/9', mayRun))
  return sent
}
const openExecution = () => {
  const sent = serve()
  const path = '/training/:id/designs/:step/:question/:design/:execution'
  show(<ExecutionPage />, options(path, '/training/j1/designs/9/0/1/1'))
  return sent
}
const begun = (sent: readonly Sent[]) => sent.find(({ path }) => path === '/api/designs')?.body
const INTO_DESIGN = { name: 'Open in the designer' }
const matrix = async (number: number) =>
  within(await screen.findByRole('region', { name: `Rewards of question ${number}` }))

describe('the matrix', () => {
  const [first] = DESIGNS.results
  if (!first) throw new Error('no question')

  it('has designs of one shape beside each other, and unusable ones last', () => {
    expect(rowsOf(first, DESIGNS.shapes).map(({ design: number }) => number)).toEqual([1, 4, 3, 2])
    expect(columnsOf(first)).toBe(2)
    expect(columnsOf(question(0, [UNUSABLE]))).toBe(0)
  })

  it('tells a cell in words', () => {
    expect(cellTold(execution(1))).toBe('right, reward 1, advantage +0.5, answer 48')
    expect(cellTold(execution(1, { correct: false, ending: 'limit', answer: null }))).toBe(
      'wrong, ended by a limit, reward 1, advantage +0.5, no answer',
    )
    expect(cellTold(execution(1, { advantage: null }))).toContain('advantage frozen')
  })

  it('leads from a reward to its execution, and shows what the designer earned', async () => {
    open()
    const table = await matrix(1)
    const cell = table.getByRole('link', {
      name: /^Design 1, execution 2: wrong, the script failed/,
    })
    expect(cell.getAttribute('href')).toBe('/training/j1/designs/9/0/1/2')
    const row = table.getByRole('row', { name: /Design 3/ })
    expect(within(row).getAllByRole('cell').at(-2)?.textContent).toBe('1')
    expect(within(row).getAllByRole('cell').at(-1)?.textContent).toBe('+0.7')
    const heads = table.getAllByRole('columnheader').map(({ textContent }) => textContent)
    expect(heads.slice(0, 5)).toEqual([
      'Design',
      '1Execution 1',
      '2Execution 2',
      'Mean',
      'Advantage',
    ])
  })

  it('says why a design can’t be used, with its line beside the script', async () => {
    open()
    const table = await matrix(1)
    expect(
      table
        .getByRole('link', { name: /^Design 2, which can’t be used: A script imports/ })
        .getAttribute('href'),
    ).toBe('/training/j1/designs/9/0/2/0')
    fireEvent.click(table.getByRole('button', { name: 'Design 2 script' }))
    const script = within(await screen.findByRole('region', { name: 'Design 2, line by line' }))
    expect(script.getByText('Remove it.')).toBeTruthy()
    fireEvent.click(table.getByRole('button', { name: 'Design 2 script' }))
    expect(screen.queryByRole('region', { name: 'Design 2, line by line' })).toBeNull()
  })

  it('opens a script in the designer, also one that can’t be used', async () => {
    const sent = open()
    const table = await matrix(1)
    expect(table.queryByRole('button', INTO_DESIGN)).toBeNull()
    fireEvent.click(table.getByRole('button', { name: 'Design 2 script' }))
    fireEvent.click(table.getByRole('button', INTO_DESIGN))
    expect(await screen.findByText('The designer')).toBeTruthy()
    const place = { job: 'j1', step: 9, question: 0, design: 2 }
    expect(begun(sent)).toEqual({ from_sampled_design: place })
  })

  it('has nothing to open for a reply without a script, and for who may not ask', async () => {
    open()
    const first = await matrix(1)
    fireEvent.click(first.getByRole('button', { name: 'Design 3 script' }))
    expect(first.queryByRole('button', INTO_DESIGN)).toBeNull()
    cleanup()
    open(false)
    const again = await matrix(1)
    fireEvent.click(again.getByRole('button', { name: 'Design 1 script' }))
    expect(await again.findByRole('region', { name: 'Design 1, line by line' })).toBeTruthy()
    expect(again.queryByRole('button', INTO_DESIGN)).toBeNull()
  })

  it('is left out where no design has the chosen shape', async () => {
    open()
    await matrix(2)
    fireEvent.click(screen.getByRole('button', { name: /^ensemble:majority.*1 design.*reward 1$/ }))
    await waitFor(() =>
      expect(screen.queryByRole('region', { name: 'Rewards of question 2' })).toBeNull(),
    )
    expect(await matrix(1)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Show all shapes' }))
    expect(await matrix(2)).toBeTruthy()
  })
})

it('opens an execution as a run, with the ways to the others of its question', async () => {
  const sent = openExecution()
  expect(await screen.findByRole('heading', { name: /Design 1, execution 1/ })).toBeTruthy()
  const others = within(
    await screen.findByRole('navigation', { name: 'Executions of the question' }),
  )
  const here = await others.findByRole('link', { current: 'page' })
  expect(here.getAttribute('aria-label')).toMatch(/^Design 1, execution 1: right/)
  expect(screen.getByText('The executor does not learn from it.')).toBeTruthy()
  expect(await screen.findByRole('region', { name: 'Drawing of the team' })).toBeTruthy()
  expect(screen.getByText('The team says 48')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', INTO_DESIGN))
  expect(await screen.findByText('The designer')).toBeTruthy()
  const place = { job: 'j1', step: 9, question: 0, design: 1 }
  expect(begun(sent)).toEqual({ from_sampled_design: place })
})

it('is offered at a step of the curve, if the training keeps designs', async () => {
  serve()
  show(<DesignsOffer job={training({ step: 12 })} step={8} />, { isFresh: true })
  const link = await screen.findByRole('link', { name: 'See every design of step 7' })
  expect(link.getAttribute('href')).toBe('/training/j1/designs/7')
  expect(screen.getByText(/designs of step 8 are not kept/)).toBeTruthy()
})

describe('the stages of a training', () => {
  const curveOf = (...stages: (number | null)[]) => {
    const curve = new Curve()
    curve.add(
      stages.map((stage, place) => ({
        step: place + 1,
        values: { reward: 1, ...(stage === null ? {} : { stage }) },
      })),
    )
    return curve
  }

  it('are an area for each run of equal steps', () => {
    const areas = stageAreas(curveOf(1, 1, 0, 1, 2))
    expect(areas.map(({ from, to, name }) => `${name} ${from} ${to}`)).toEqual([
      'Executor 1 2',
      'Designer 3 3',
      'Executor 4 4',
      'Both 5 5',
    ])
    expect(rolesOf(areas).map(({ name }) => name)).toEqual([
      'Designer learns',
      'Executor learns',
      'Both learn',
    ])
  })

  it('are none where a training has none, and grow with it', () => {
    expect(stageAreas(curveOf(null, null))).toEqual([])
    const curve = curveOf(null, 1)
    expect(stageAreas(curve)).toHaveLength(1)
    curve.add([{ step: 3, values: { stage: 0 } }])
    expect(stageAreas(curve)).toHaveLength(2)
  })
})
