import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'

import { gridOf } from '@/features/training/selections/grid'
import { SelectionsView } from '@/features/training/selections/selections-view'
import { coarse, type Cell, type Selections } from '@/features/training/selections/use-selections'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

import { me, training } from './support'

afterEach(cleanup)

const ROLES = [
  { key: 'io', name: 'I/O', family: 'knowledge' },
  { key: 'web_search', name: 'Web search', family: 'data' },
  { key: 'early_exit', name: 'Early exit', family: 'planning' },
  { key: 'ensemble', name: 'Ensemble', family: 'synthesis' },
]
const cell = (period: number, place: Cell['place'], layer: number, chances: number[]): Cell => ({
  period,
  place,
  layer,
  count: 10 * layer + period,
  probabilities: Object.fromEntries(ROLES.map(({ key }, index) => [key, chances[index] ?? 0])),
})
const TOLD: Selections = {
  roles: ROLES,
  periods: [
    { first_step: 1, last_step: 1 },
    { first_step: 2, last_step: 3_333 },
    { first_step: 3_334, last_step: 10_000 },
  ],
  cells: [
    cell(0, 'first', 1, [0.25, 0.25, 0.25, 0.25]),
    cell(2, 'first', 1, [0.1, 0.7, 0.05, 0.15]),
    cell(2, 'first', 2, [0.2, 0.1, 0.1, 0.6]),
    cell(1, 'last', 1, [0.9, 0.05, 0.05, 0]),
  ],
}

describe('the grid', () => {
  const [first, last, ...others] = gridOf(TOLD)

  it('has a row for each place that a task has, in order, and a cell for each third', () => {
    expect([first?.place, last?.place, others.length]).toEqual(['first', 'last', 0])
    expect(first?.cells.map(({ stages }) => stages)).toEqual([10, 0, 12])
  })

  it('keeps all layers in every cell, so that a ring means the same layer', () => {
    const layers = first?.cells.map((each) =>
      each.layers.map(({ candidates }) => candidates.length),
    )
    expect(layers).toEqual([
      [4, 0],
      [0, 0],
      [4, 4],
    ])
  })

  it('marks one likeliest agent of each layer, of equals the first of the pool', () => {
    const tops = [first?.cells[0], first?.cells[2]].map((each) =>
      each?.layers.map(({ candidates }) => candidates.find(({ isTop }) => isTop)?.role.key),
    )
    expect(tops).toEqual([
      ['io', undefined],
      ['web_search', 'ensemble'],
    ])
  })

  it('is empty where nothing was stored', () => {
    expect(gridOf({ ...TOLD, cells: [] })).toEqual([])
  })
})

it.each([
  [7, 7],
  [99, 99],
  [101, 100],
  [9_876, 9_800],
])('step %i is asked for as %i', (step, asked) => {
  expect(coarse(step)).toBe(asked)
})

function withoutPicture(cell: HTMLElement): string {
  const copy = cell.cloneNode(true) as HTMLElement
  for (const picture of copy.querySelectorAll('svg')) picture.remove()
  return copy.textContent
}

function open(told: Selections) {
  const job = training({ method: 'evomas', step: 10_000 })
  playApi(({ path }) =>
    path.endsWith('/selections') ? { body: told } : { status: 404, body: null },
  )
  show(<SelectionsView job={job} />, { known: [[['me'], me]] })
}

describe('the page', () => {
  it('says of every cell how many stages it holds and who was likeliest', async () => {
    open(TOLD)
    const grid = within(await screen.findByRole('table', { name: /^Probabilities by stage/ }))
    expect(grid.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      'Earlystep 1',
      'Middlesteps 2–3,333',
      'Latesteps 3,334–10,000',
    ])
    expect(grid.getAllByRole('cell').map(withoutPicture)).toEqual([
      '10 stagesLikeliest: layer 1 I/O 25 %.',
      'no stage',
      '12 stagesLikeliest: layer 1 Web search 70 %; layer 2 Ensemble 60 %.',
      'no stage',
      '11 stagesLikeliest: layer 1 I/O 90 %.',
      'no stage',
    ])
  })

  it('has every number in a table, with how often agents were drawn', async () => {
    open(TOLD)
    const numbers = within(await screen.findByRole('table', { name: 'First stage: all numbers' }))
    expect(numbers.getAllByRole('row', { name: /^Web search/ }).map((r) => r.textContent)).toEqual([
      'Web search25 %—70 %',
      'Web search——10 %',
    ])
    expect(numbers.getByRole('row', { name: /^Layer 2/ }).textContent).toBe(
      'Layer 2Times drawn0022',
    )
    const legend = within(screen.getByRole('list', { name: 'Agents' }))
    expect(legend.getAllByRole('listitem')).toHaveLength(4)
  })

  it('says so where the training has stored nothing', async () => {
    open({ ...TOLD, cells: [] })
    expect(await screen.findByText(/has stored no choices yet/)).toBeTruthy()
  })
})
