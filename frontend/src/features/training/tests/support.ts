import { vi } from 'vitest'

import type { Training } from '@/features/training/use-training'

export const training = (part: Partial<Training> = {}): Training => ({
  id: 'j1',
  name: 'Run one',
  method: 'mashost',
  status: 'running',
  attempt: 1,
  preset: 'studio',
  config: {},
  seed: 1,
  code_version: '',
  pool: null,
  pool_version: null,
  dataset: 'sums',
  dataset_digest: '',
  split: 'train',
  limit: null,
  endpoint: 'e',
  model: 'm',
  start_from: null,
  budget: { max_tokens: null, max_cost: null },
  per_system: {
    max_tokens: 60_000,
    max_cost: null,
    max_seconds: 300,
    max_completion_tokens_per_call: 512,
  },
  keep_checkpoints: 5,
  step: 3,
  step_share: 0,
  total_steps: 9,
  eta_seconds: null,
  tokens: 1_000,
  cost: 0.5,
  charged_tokens: 1_200,
  charged_cost: 0.6,
  latest: {},
  notices: [],
  end_reason: null,
  failure: null,
  checkpoints: [],
  created_by: 'ada',
  created_at: '2026-01-01T00:00:00Z',
  started_at: '2026-01-01T00:00:00Z',
  finished_at: null,
  cancel_requested_at: null,
  ...part,
})

export interface Sent {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/** Plays the API: every request is kept, and answered by what `answer` returns for it. */
export function playApi(
  answer: (sent: Sent) => { status?: number; body: unknown } | undefined,
): Sent[] {
  const requests: Sent[] = []
  vi.stubGlobal('fetch', async (input: Request | string) => {
    const request = new Request(input)
    const { pathname, search } = new URL(request.url)
    const said = await request.text()
    const sent = {
      method: request.method,
      path: `${pathname}${search}`,
      body: said ? (JSON.parse(said) as unknown) : null,
    }
    if (pathname === '/api/auth/csrf') return Response.json({ token: 't' })
    requests.push(sent)
    const { status = 200, body = null } = answer(sent) ?? { status: 404 }
    return Response.json(body, { status })
  })
  return requests
}

export const me = {
  username: 'ada',
  permissions: { run: true, curate: true, admin: false },
}
