import { expect, it } from 'vitest'

import { parametersOf, smallPlanner } from '@/features/ask/small-planner'
import type { Choices } from '@/features/ask/use-ask'
import type { Endpoint, Method } from '@/lib/api/queries'
import { configFields } from '@/lib/config-schema'

it.each([
  ['smollm2-135m-instruct', 135e6],
  ['Qwen/Qwen2.5-0.5B-Instruct', 0.5e9],
  ['llama-3.1-8b', 8e9],
  ['mixtral-8x22b', null],
  ['gpt-4o-mini', null],
])('reads the size of %s from its name', (model, size) => {
  expect(parametersOf(model)).toBe(size)
})

it('tells of a model that would have to plan and is too small', () => {
  const [small, large] = [
    { key: 'embedded', model: 'smollm2-135m-instruct' },
    { key: 'big', model: 'llama-3.1-8b' },
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
