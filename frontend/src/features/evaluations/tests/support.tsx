import type { ReactNode } from 'react'

import type { Compared, Evaluation, Result } from '@/features/evaluations/use-evaluations'
import type { Method } from '@/lib/api/queries'
import { method as methodOf } from '@/lib/tests/method'
import { show } from '@/lib/tests/show'

type Arm = Evaluation['arms'][number]

export const arm = (part: Partial<Arm> = {}): Arm => ({
  label: 'direct',
  method: 'direct',
  method_config: {},
  checkpoint: null,
  endpoint: 'small',
  model: 'small-1b',
  pool: null,
  pool_version: null,
  design: null,
  design_version: null,
  further_endpoints: [],
  max_completion_tokens_per_call: null,
  reply_tokens: 512,
  tools: [],
  ...part,
})

export const evaluation = (part: Partial<Evaluation> = {}): Evaluation => ({
  id: 'e1',
  name: 'Two ways',
  status: 'succeeded',
  dataset: 'sums',
  split: 'dev',
  limit: null,
  task_count: 4,
  repeats: 1,
  seed: 0,
  budget: {
    max_tokens: 60_000,
    max_cost: null,
    max_seconds: 300,
    max_completion_tokens_per_call: 512,
  },
  concurrency: 4,
  arms: [arm(), arm({ label: 'team', method: 'mashost' })],
  differences: [],
  done: 8,
  total: 8,
  eta_seconds: null,
  warnings: [],
  failure: null,
  created_by: 'ada',
  created_at: '2026-01-01T00:00:00Z',
  started_at: '2026-01-01T00:00:00Z',
  finished_at: '2026-01-01T00:10:00Z',
  ...part,
})

export const method = (key: string, part: Partial<Method> = {}): Method =>
  methodOf(key, {
    config_schema: { properties: { rounds: { type: 'integer', default: 2 } } },
    ...part,
  })

export const result = (id: number, part: Partial<Result> = {}): Result => ({
  id,
  task: { id, index: id, query: `Question ${id}`, reference: null },
  repeat: 0,
  arm: 'direct',
  correct: true,
  reward: 1,
  explanation: '',
  answer: `answer ${id}`,
  failed: false,
  failure: null,
  tokens: 10,
  prompt_tokens: 5,
  completion_tokens: 5,
  cost: null,
  seconds: 1,
  cached_share: null,
  replies: null,
  cut_replies: null,
  final_cut: null,
  own_temperature: null,
  run: `run-${id}`,
  why: null,
  ...part,
})

export const compared = (id: number, part: Partial<Compared> = {}): Compared => ({
  task: result(id).task,
  repeat: 0,
  outcome: 'both',
  left: result(id),
  right: result(id + 100, { arm: 'team', task: result(id).task }),
  ...part,
})

export const pageOf = (results: readonly unknown[], cursor: string | null = null) => ({
  body: {
    results,
    next: cursor === null ? null : `http://localhost/api?cursor=${cursor}`,
    previous: null,
  },
})

export const me = {
  username: 'ada',
  permissions: { read: true, run: true, curate: true, admin: false },
}

/** One page of evaluations. */
export const showAt = (at: string, page: ReactNode, path = '/') =>
  show(page, {
    at,
    path,
    known: [
      [['me'], me],
      [['methods'], [method('direct'), method('mashost', { learns: true })]],
    ],
  })
