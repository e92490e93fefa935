import { describe, expect, it } from 'vitest'

import { askedRows } from '@/features/compare/asked-rows'
import type { RunDetail } from '@/graph/frames'
import { detailOf, recording } from '@/graph/tests/frames'
import { emptyRun, type RunView } from '@/graph/run-view'
import { method } from '@/lib/tests/method'

const properties = {
  edge_mode: { type: 'string', enum: ['threshold', 'sample'], default: 'threshold' },
  max_agents: { type: 'integer', default: 8 },
  greedy: { type: 'boolean', default: true },
}
const METHODS = [
  method('mashost', { name: 'MasHost', learns: true, config_schema: { properties } }),
  method('direct'),
  method('design', { needs_design: true }),
]

const run = (part: Partial<RunDetail>): RunView => ({
  ...emptyRun('r'),
  detail: {
    ...detailOf(recording('mashost')),
    method: 'mashost',
    method_config: { greedy: true, max_agents: 8, edge_mode: 'threshold' },
    endpoint: 'small',
    pool: 'general',
    pool_version: 3,
    checkpoint: null,
    seed: 1,
    evaluation: null,
    design_name: null,
    design_version: null,
    ...part,
  },
})
const told = (left: Partial<RunDetail>, right: Partial<RunDetail>) =>
  askedRows([run(left), run(right)], METHODS).map(({ name, values }) => [name, ...values])

describe('with what two runs were asked', () => {
  it('names every setting that differs as the form does, in its order, and none that is the same', () => {
    const other = { greedy: true, max_agents: 9, edge_mode: 'sample' }
    expect(told({}, { seed: 2, method_config: other })).toEqual([
      ['Method', 'MasHost', 'MasHost'],
      ['Checkpoint', 'untrained', 'untrained'],
      ['Endpoint', 'small', 'small'],
      ['Role pool', 'general@3', 'general@3'],
      ['Seed', '1', '2'],
      ['Edge mode', 'threshold', 'sample'],
      ['Max agents', '8', '9'],
    ])
  })

  it('tells checkpoints, versions of pools, endpoints, budgets and evaluations apart', () => {
    const { budget } = detailOf(recording('mashost'))
    const right = {
      checkpoint: 'best',
      pool_version: 4,
      endpoint: 'large',
      budget: { ...budget, max_cost: 2, max_tokens: budget.max_tokens + 1 },
      evaluation: 'e1',
      evaluation_name: 'Two ways',
      task_index: 2,
    }
    const rows = told({ budget: { ...budget, max_cost: null } }, right)
    expect(rows).toContainEqual(['Checkpoint', 'untrained', 'best'])
    expect(rows).toContainEqual(['Role pool', 'general@3', 'general@4'])
    expect(rows).toContainEqual(['Endpoint', 'small', 'large'])
    expect(rows).toContainEqual(['Budget: Cost in US dollars', 'no limit', '2'])
    expect(rows.map(([name]) => name)).toContain('Budget: Tokens in all')
    expect(rows.map(([name]) => name)).not.toContain('Budget: Seconds')
    expect(rows).toContainEqual(['Evaluation', '—', 'Two ways, task 3'])
  })

  it('has settings of one method alone, and never a drawn graph as a value', () => {
    expect(told({}, { method: 'direct', method_config: {} })).toContainEqual([
      'Edge mode',
      'threshold',
      '—',
    ])
    const drawn = { method: 'design', design: 'd', design_name: 'Mine', design_version: 2 }
    const rows = told(
      { ...drawn, method_config: { graph: { nodes: [1] } } },
      { ...drawn, design_version: null, method_config: { graph: { nodes: [] } } },
    )
    expect(rows).toContainEqual(['Design', 'Mine v2', 'Mine current draft'])
    expect(rows.map(([name]) => name)).not.toContain('Graph')
  })
})
