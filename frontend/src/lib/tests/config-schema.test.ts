import { describe, expect, it } from 'vitest'

import {
  changedConfig,
  configFields,
  configGroups,
  fieldsFrom,
  valueText,
} from '@/lib/config-schema'

const schema = {
  $defs: { Mode: { enum: ['joint', 'relative'], type: 'string' } },
  properties: {
    k: { type: 'integer', default: 5, minimum: 1, exclusiveMaximum: 33, description: 'Samples.' },
    threshold: { type: 'number', default: 0.5, exclusiveMinimum: 0 },
    limit: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
    greedy: { type: 'boolean', default: true },
    mode: { $ref: '#/$defs/Mode', default: 'joint' },
    wrapped: { allOf: [{ $ref: '#/$defs/Mode' }], default: 'relative' },
    note: { type: 'string', default: '' },
    script: { type: 'string', default: '', format: 'code' },
    nested: { type: 'object' },
  },
}

describe('configFields', () => {
  const fields = configFields(schema)

  it('reads every kind it can show and leaves out the rest', () => {
    expect(fields.map(({ key, kind }) => [key, kind])).toEqual([
      ['k', 'number'],
      ['threshold', 'number'],
      ['limit', 'number'],
      ['greedy', 'boolean'],
      ['mode', 'choice'],
      ['wrapped', 'choice'],
      ['note', 'text'],
      ['script', 'code'],
    ])
  })

  it('names a setting by its key, abbreviations in capitals', () => {
    const properties = { jpss: { type: 'string' }, kl_weight: { type: 'number' } }
    expect(configFields({ properties }).map(({ label }) => label)).toEqual(['JPSS', 'KL weight'])
  })

  it('keeps bounds, defaults and help', () => {
    expect(fields[0]).toMatchObject({ minimum: 1, maximum: 32, initial: 5, help: 'Samples.' })
    expect(fields[1]).toMatchObject({ minimum: 0, integer: false })
    expect(fields[2]).toMatchObject({ nullable: true, initial: null })
    expect(fields[4]).toMatchObject({ options: ['joint', 'relative'], initial: 'joint' })
    expect(fields[5]).toMatchObject({ options: ['joint', 'relative'], initial: 'relative' })
  })

  it('keeps the first example of code, and what an endpoint’s model writes', () => {
    const properties = {
      script: { type: 'string', format: 'code', examples: ['a', 'b'] },
      odd: { type: 'string', format: 'code', examples: [1] },
      designer: { type: 'string', format: 'endpoint', writes: 'script' },
      judge: { type: 'string', format: 'endpoint' },
    }
    expect(configFields({ properties })).toMatchObject([
      { kind: 'code', example: 'a' },
      { kind: 'code', example: null },
      { kind: 'endpoint', writes: 'script' },
      { kind: 'endpoint', writes: null },
    ])
  })

  it.each([null, [], 'x', {}, { properties: [] }])('is empty for %j', (odd) =>
    expect(configFields(odd)).toEqual([]),
  )

  it('sends only what was changed', () => {
    expect(changedConfig(fields, {})).toEqual({})
    expect(changedConfig(fields, { k: 5, greedy: false, gone: 1 })).toEqual({ greedy: false })
    expect(changedConfig(fields, { limit: 3, note: null })).toEqual({ limit: 3 })
  })
})

describe('groups of fields', () => {
  const properties = { a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'boolean' } }
  const grouped = (groups: unknown) =>
    configGroups({ properties, groups }, configFields({ properties })).map(({ title, fields }) => [
      title,
      fields.map(({ key }) => key),
    ])

  it('begin where the schema says', () => {
    expect(grouped({ a: 'What', c: 'How' })).toEqual([
      ['What', ['a', 'b']],
      ['How', ['c']],
    ])
  })

  it('hold what comes before the first title, and everything where there is none', () => {
    expect(grouped({ b: 'Rest' })).toEqual([
      ['', ['a']],
      ['Rest', ['b', 'c']],
    ])
    expect(grouped(undefined)).toEqual([['', ['a', 'b', 'c']]])
  })
})

describe('endpoints', () => {
  const key = { type: 'string', format: 'endpoint' }
  const fields = configFields({
    properties: {
      judge: { anyOf: [key, { type: 'null' }], default: null },
      endpoints: { type: 'array', items: key, maxItems: 50, default: [] },
      words: { type: 'array', items: { type: 'string' }, default: [] },
    },
  })

  it('are chosen of those that there are; other lists keep their defaults', () =>
    expect(fields).toMatchObject([
      { key: 'judge', kind: 'endpoint', initial: null },
      { key: 'endpoints', kind: 'endpoints', maximum: 50, initial: [] },
    ]))

  it('are sent where they differ from the preset’s', () => {
    const preset = fieldsFrom(fields, { endpoints: ['a', 'b'] })
    expect(changedConfig(preset, { endpoints: ['a', 'b'] })).toEqual({})
    expect(changedConfig(preset, { endpoints: [] })).toEqual({ endpoints: [] })
    expect(changedConfig(fields, { judge: 'a' })).toEqual({ judge: 'a' })
  })

  it('are told as names', () => {
    expect([['a', 'b'], [], 'a', null, 2].map(valueText)).toEqual(['a, b', '[]', 'a', 'null', '2'])
    expect(valueText('import x\ndeliver(x)\n')).toBe('import x … (2 lines, 20 characters)')
  })
})
