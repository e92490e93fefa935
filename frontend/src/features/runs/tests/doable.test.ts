import { describe, expect, it } from 'vitest'

import { doableWith } from '@/features/runs/doable'
import type { RunSummary } from '@/lib/api/queries'

const run = (id: string, status: RunSummary['status'], part: Partial<RunSummary> = {}) =>
  ({ id, status, created_by: 'ada', evaluation: null, ...part }) as RunSummary

const runs = [
  run('a', 'succeeded'),
  run('b', 'running'),
  run('c', 'failed', { created_by: 'bob' }),
  run('d', 'waiting', { created_by: 'bob' }),
  run('e', 'cancelled', { evaluation: 'sums' }),
]
const who = (username: string, admin: boolean) => ({ username, permissions: { admin } })

describe('what can be done with the chosen runs', () => {
  it('is cancelling those under way, and the rest with those that have ended', () => {
    expect(doableWith(runs, who('root', true))).toEqual({
      cancel: ['b', 'd'],
      retry: ['a', 'c', 'e'],
      delete: ['a', 'c'],
      underWay: 2,
      ofOthers: 0,
      ofEvaluations: 1,
    })
  })

  it('leaves what is of others to them, but for asking again', () => {
    const { cancel, retry, delete: deleted, ofOthers } = doableWith(runs, who('ada', false))
    expect([cancel, retry, deleted, ofOthers]).toEqual([['b'], ['a', 'c', 'e'], ['a'], 2])
  })
})
