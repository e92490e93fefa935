import { expect, it } from 'vitest'

import { smallWriter } from '@/features/ask/small-writer'
import type { Choices } from '@/features/ask/use-ask'
import type { Endpoint } from '@/lib/api/queries'
import { configFields, fieldsFrom } from '@/lib/config-schema'
import { method } from '@/lib/tests/method'

const [small, large] = [
  // Its name says otherwise: what its server or a person says of its size counts.
  { key: 'embedded', model: 'chat-70b', is_small: true },
  { key: 'big', model: 'smollm2-135m-instruct', is_small: false },
] as unknown as [Endpoint, Endpoint]
const endpoint = { type: 'string', format: 'endpoint' }
const draft = { task: null, config: {}, checkpoint: null }

const asker =
  (usual: Partial<Choices>) =>
  (part: Partial<typeof draft>, choices: Partial<Choices> = {}) =>
    smallWriter(
      { ...draft, ...part },
      { method: undefined, fields: [], endpoint: small, pool: undefined, ...usual, ...choices },
      [small, large],
    )

it('tells of a model that would have to plan and is too small', () => {
  const ask = asker({
    method: method('reso'),
    fields: configFields({ properties: { planner_endpoint: { ...endpoint, writes: 'plan' } } }),
  })
  const plan = { endpoint: small, writes: 'plan', instead: null }
  expect(ask({})).toEqual(plan)
  expect(ask({}, { endpoint: large })).toBeNull()
  expect(ask({ config: { reso: { planner_endpoint: 'big' } } })).toBeNull()
  expect(ask({ config: { reso: { planner_endpoint: 'embedded' } } }, { endpoint: large })).toEqual(
    plan,
  )
  expect(ask({}, { fields: [] })).toBeNull()
  expect(ask({ task: 7 as never })).toBeNull()
})

it('tells of nothing where an endpoint’s model does not write, or what the page has no words for', () => {
  const judged = (more: object) =>
    asker({
      method: method('other'),
      fields: configFields({ properties: { judge: { ...endpoint, ...more } } }),
    })({})
  expect(judged({})).toBeNull()
  expect(judged({ writes: 'poem' })).toBeNull()
})

const fields = configFields({
  properties: {
    script: { type: 'string', format: 'code', default: '', examples: ['deliver(1)'] },
    designer: { anyOf: [endpoint, { type: 'null' }], default: null, writes: 'script' },
  },
})
const designs = asker({
  method: method('metaagent_x', { learns: true, own_endpoint: 'trained' }),
  fields,
})

it('offers an example of what a small model would have to write', () => {
  const script = {
    endpoint: small,
    writes: 'script',
    instead: { setting: 'script', example: 'deliver(1)' },
  }
  expect(designs({})).toEqual(script)
  expect(designs({ config: { metaagent_x: { script: ' \n' } } })).toEqual(script)
  // No dataset brings a script along.
  expect(designs({ task: 7 as never })).toEqual(script)
})

it('says nothing of a script that is given', () => {
  expect(designs({ config: { metaagent_x: { script: 'deliver(2)' } } })).toBeNull()
  expect(designs({}, { fields: fieldsFrom(fields, { script: 'deliver(2)' }) })).toBeNull()
})

it('says nothing of a checkpoint’s own designer, but of one that is chosen in its place', () => {
  expect(designs({ checkpoint: 'best' as never })).toBeNull()
  const byDefault = method('metaagent_x', { own_endpoint: 'trained', has_default_checkpoint: true })
  expect(designs({}, { method: byDefault })).toBeNull()
  const config = { metaagent_x: { designer: 'embedded' } }
  expect(designs({ checkpoint: 'best' as never, config })).toMatchObject({ writes: 'script' })
  expect(designs({ config: { metaagent_x: { designer: 'big' } } })).toBeNull()
})
