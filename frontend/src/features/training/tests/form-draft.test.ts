import { describe, expect, it } from 'vitest'

import { draftOf, emptyDraft, requestOf } from '@/features/training/form-draft'
import type { TrainableMethod, Training } from '@/features/training/use-training'
import { changedConfig, configFields, fieldsFrom } from '@/lib/config-schema'

import { training } from './support'

const method: TrainableMethod = {
  method: 'mashost',
  name: 'MasHost',
  needs_pool: true,
  asks_endpoint: true,
  metrics: [],
  selects_roles: false,
  config_schema: {
    properties: {
      steps: { type: 'integer', default: 100 },
      beta: { type: 'number', default: 0.1 },
    },
  },
  presets: { studio: { steps: 100, beta: 0.2 }, paper: { steps: 50, beta: 0.1 } },
}
const fields = fieldsFrom(configFields(method.config_schema), method.presets.studio ?? {})

describe('the settings of a training', () => {
  it('begin with the preset’s values', () => {
    expect(fields.map(({ key, initial }) => [key, initial])).toEqual([
      ['steps', 100],
      ['beta', 0.2],
    ])
  })

  it('are sent only where they differ from the preset', () => {
    expect(changedConfig(fields, { steps: 100, beta: 0.1 })).toEqual({ beta: 0.1 })
    const body = requestOf({ ...emptyDraft(), dataset: 'd', config: { steps: 7 } }, method, fields)
    expect(body.config).toEqual({ steps: 7 })
    expect(requestOf({ ...emptyDraft(), dataset: 'd' }, method, fields)).not.toHaveProperty(
      'config',
    )
  })

  it('of a training that there is are told as differences from its preset', () => {
    const job = {
      method: 'mashost',
      preset: 'studio',
      split: 'train',
      config: { steps: 30, beta: 0.2 },
      budget: {},
      keep_checkpoints: 5,
      seed: 3,
    } as unknown as Training
    expect(draftOf(job, method)).toMatchObject({ config: { steps: 30 }, seed: 3, preset: 'studio' })
  })

  it('name no endpoint and no budget where the method asks none, whatever was chosen before', () => {
    const draft = { ...emptyDraft(), dataset: 'd', endpoint: 'e', maxTokens: 5, maxCost: 1 }
    const limited = { ...draft, perSystem: { ...draft.perSystem, max_tokens: 9 } }
    expect(requestOf(limited, method, fields)).toMatchObject({
      endpoint: 'e',
      budget: { max_tokens: 5, max_cost: 1 },
      per_system: { max_tokens: 9 },
    })
    const sent = Object.keys(requestOf(limited, { ...method, asks_endpoint: false }, fields))
    expect(sent).toEqual(['method', 'dataset', 'split', 'seed', 'keep_checkpoints'])
  })

  it('keeps the limits of one system, and sends only those that are set', () => {
    const limits = {
      max_tokens: 8_000,
      max_completion_tokens_per_call: 64,
      max_seconds: 20,
      max_cost: null,
    }
    const draft = draftOf(training({ per_system: limits }), method)
    expect(requestOf(draft, method, fields).per_system).toEqual({
      max_tokens: 8_000,
      max_completion_tokens_per_call: 64,
      max_seconds: 20,
    })
    expect(requestOf({ ...emptyDraft(), dataset: 'd' }, method, fields)).not.toHaveProperty(
      'per_system',
    )
  })
})
