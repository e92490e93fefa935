import { describe, expect, it } from 'vitest'

import {
  bestOf,
  countsOf,
  differingSettings,
  metricsOf,
  recipeOf,
} from '@/features/training/checkpoint-values'
import type { Checkpoint } from '@/lib/api/checkpoints'

const checkpoint = (recipe: unknown, metrics: unknown = {}): Checkpoint => ({
  name: 'c',
  method: 'mashost',
  label: 'c',
  trained: true,
  is_default: false,
  promoted: false,
  job: null,
  job_name: '',
  step: 1,
  digest: '',
  size_bytes: 1,
  recipe,
  run_config: null,
  metrics,
  created_at: '',
})

describe('a checkpoint', () => {
  it('tells its metrics, whatever else stands there', () => {
    const odd = { reward: 0.5, note: 'x', nothing: null }
    expect(metricsOf(checkpoint({}, odd))).toEqual({ reward: 0.5 })
    expect(metricsOf(checkpoint({}, null))).toEqual({})
  })

  it('tells its recipe flat, and the repeated config once', () => {
    const recipe = { seed: 1, limit: null, config: { beta: 0.1 }, training: { beta: 0.1 } }
    expect([...recipeOf(checkpoint(recipe))]).toEqual([
      ['seed', '1'],
      ['limit', '—'],
      ['config.beta', '0.1'],
    ])
  })
})

describe('two checkpoints', () => {
  it('differ in what was set, not in where they were saved', () => {
    const left = checkpoint({ seed: 1, step: 10, config: { beta: 0.1, gamma: 0.9 } })
    const right = checkpoint({ seed: 2, step: 20, config: { beta: 0.1 } })
    expect(differingSettings(left, right)).toEqual([
      { name: 'config.gamma', left: '0.9', right: '—' },
      { name: 'seed', left: '1', right: '2' },
    ])
    expect(differingSettings(left, left)).toEqual([])
  })
})

describe('the best of several', () => {
  const saved = (name: string, step: number, metrics: Record<string, number>): Checkpoint => ({
    ...checkpoint({}, metrics),
    name,
    step,
  })

  it('is best on tasks held out, however high the reward of its step', () => {
    const lucky = saved('lucky', 1, { reward: 0.9, held_out_reward: 0.2 })
    const good = saved('good', 2, { reward: 0.1, held_out_reward: 0.4 })
    expect(bestOf([lucky, good])).toBe('good')
  })

  it('is the later of equals, and none where there is no choice', () => {
    const same = { held_out_reward: 1 }
    expect(bestOf([saved('a', 1, same), saved('b', 2, same)])).toBe('b')
    expect(bestOf([saved('a', 1, same)])).toBeNull()
    expect(bestOf([saved('a', 1, { reward: 1 }), saved('b', 2, {})])).toBeNull()
  })

  it('rests on as many systems as the recipe says', () => {
    const config = { held_out: 32, queries_per_step: 4, systems_per_query: 6 }
    expect(countsOf(checkpoint({ config }))).toEqual({ heldOut: 32, queries: 4, systems: 6 })
    expect(countsOf(checkpoint({}))).toEqual({ heldOut: null, queries: null, systems: 1 })
  })
})
