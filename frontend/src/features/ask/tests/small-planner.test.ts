import { expect, it } from 'vitest'

import { smallPlanner } from '@/features/ask/small-planner'
import type { Choices } from '@/features/ask/use-ask'
import type { Endpoint, Method } from '@/lib/api/queries'
import { configFields } from '@/lib/config-schema'

it('tells of a model that would have to plan and is too small', () => {
  const [small, large] = [
    // Its name says otherwise: what its server or a person says of its size counts.
    { key: 'embedded', model: 'chat-70b', is_small: true },
    { key: 'big', model: 'smollm2-135m-instruct', is_small: false },
  ] as unknown as [Endpoint, Endpoint]
  const fields = configFields({ properties: { planner_endpoint: { type: 'string' } } })
  const reso = { key: 'reso' } as Method
  const draft = { task: null, config: {} }
  const ask = (part: Partial<typeof draft>, choices: Partial<Choices> = {}) =>
    smallPlanner(
      { ...draft, ...part },
      { method: reso, fields, endpoint: small, pool: undefined, ...choices },
      [small, large],
    )
  expect(ask({})).toBe(small)
  expect(ask({}, { endpoint: large })).toBeNull()
  expect(ask({ config: { reso: { planner_endpoint: 'big' } } })).toBeNull()
  expect(ask({ config: { reso: { planner_endpoint: 'embedded' } } }, { endpoint: large })).toBe(
    small,
  )
  expect(ask({}, { fields: [] })).toBeNull()
  expect(ask({ task: 7 as never })).toBeNull()
})
