import { describe, expect, it } from 'vitest'

import {
  copyOf,
  draftOf,
  emptyDraft,
  endpointsOf,
  firstArms,
  newArm,
  onDataset,
  replyTokensOf,
  requestOf,
  roomOf,
  roomText,
  tasksOf,
  whyNot,
  type ArmDraft,
} from '@/features/evaluations/form-draft'
import { arm, evaluation, method } from '@/features/evaluations/tests/support'
import type { Endpoint } from '@/lib/api/queries'
import type { FieldsOf } from '@/lib/api/fields-of'
import { configFields } from '@/lib/config-schema'
import type { Split } from '@/lib/splits'

const methods = [
  method('direct'),
  method('design', { needs_design: true }),
  method('mashost', { learns: true, needs_pool: true, is_default: true }),
]
const fieldsOf: FieldsOf = (of) => configFields(of?.config_schema)

describe('the form of an evaluation', () => {
  it('begins with the studio’s method against the simplest', () => {
    expect(firstArms(methods).map((arm) => arm.method)).toEqual(['mashost', 'direct'])
    const many = ['a', 'b', 'c', 'd'].map((key) => method(key, { is_default: key === 'd' }))
    expect(firstArms(many).map((arm) => arm.method)).toEqual(['d', 'a', 'b'])
  })

  it('takes a split that holds tasks, the chosen one first', () => {
    const on = (train: number, dev: number, test: number, split: Split) =>
      onDataset({ key: 'd', splits: { train, dev, test } }, split).split
    expect(on(0, 0, 8, 'dev')).toBe('test')
    expect(on(5, 0, 0, 'dev')).toBe('train')
    expect(on(5, 3, 8, 'test')).toBe('test')
    expect(on(5, 0, 8, 'dev')).toBe('test')
    expect(on(0, 0, 0, 'dev')).toBe('dev')
  })

  it('says why it cannot be started', () => {
    const draft = { ...emptyDraft(), dataset: 'd' }
    expect(whyNot(draft, 20, { mayRun: true })).toBeNull()
    expect(whyNot(draft, null, { mayRun: true })).toBeNull()
    expect(whyNot(draft, 20, { mayRun: false })).toContain('operator')
    expect(whyNot(emptyDraft(), null, { mayRun: true })).toBe('Choose a dataset.')
    expect(whyNot(draft, null, { mayRun: true, isGone: true })).toBe('Choose a dataset.')
    expect(whyNot(draft, Number.NaN, { mayRun: true })).toContain('marked in red')
    expect(whyNot(draft, 0, { mayRun: true })).toBe(
      'The split “dev” has no tasks. Choose another split.',
    )
    expect(whyNot(draft, 100_001, { mayRun: true })).toContain('at most 100,000 answers')
  })

  it('counts the tasks that there are', () => {
    expect(tasksOf({ ...emptyDraft(), limit: 20 }, 8)).toBe(8)
    expect(tasksOf({ ...emptyDraft(), limit: 20 }, 200)).toBe(20)
    expect(tasksOf({ ...emptyDraft(), limit: null }, 200)).toBe(200)
    expect(tasksOf(emptyDraft(), undefined)).toBeNull()
  })

  it('sends only what was chosen, and nothing that its method has no use for', () => {
    const learner = { ...newArm('mashost'), checkpoint: 'best', pool: 'general', label: ' ours ' }
    const plain = { ...learner, method: 'direct', label: '', config: { rounds: 2 } }
    const body = requestOf(
      { ...emptyDraft(), dataset: 'gsm8k', arms: [learner, plain] },
      methods,
      fieldsOf,
    )
    expect(body.arms).toEqual([
      { method: 'mashost', label: 'ours', checkpoint: 'best', pool: 'general' },
      { method: 'direct' },
    ])
    expect(body).not.toHaveProperty('name')
    expect(body).not.toHaveProperty('budget')
  })

  it('names a design, and nothing of one that is gone', () => {
    const drawn = { ...method('design'), needs_design: true }
    const arm = { ...newArm('design'), design: 'd1', design_version: 2 }
    const gone = { ...newArm('design'), config: { summary: true } }
    const body = requestOf({ ...emptyDraft(), arms: [arm, gone] }, [drawn], fieldsOf)
    expect(body.arms).toEqual([
      { method: 'design', design: 'd1', design_version: 2 },
      { method: 'design' },
    ])
  })

  it('sends a setting that differs from its default', () => {
    const arm = { ...newArm('direct'), config: { rounds: 5 } }
    const { arms } = requestOf({ ...emptyDraft(), arms: [arm] }, methods, fieldsOf)
    expect(arms[0]?.method_config).toEqual({ rounds: 5 })
  })

  it('gives arms the room that the address names, and what is none is left out', () => {
    const room = roomOf('0:1024,1:2048')
    expect(roomText(room)).toBe('0:1024,1:2048')
    for (const none of [null, '', 'x', '0:', ':5', '0:1e9', '-1:5', '0:99999999'])
      expect(roomOf(none).size).toBe(0)
    const again = draftOf(
      evaluation({ arms: [arm(), arm({ label: 'b', max_completion_tokens_per_call: 64 })] }),
      methods,
      roomOf('0:1024'),
    )
    expect(again.arms.map(({ reply_tokens }) => reply_tokens)).toEqual([1_024, 64])
    const { arms } = requestOf(again, methods, fieldsOf)
    expect(arms.map((each) => each.max_completion_tokens_per_call)).toEqual([1_024, 64])
  })

  it('asks untrained again what was asked so, whatever is the default by now', () => {
    const arms = [arm({ method: 'mashost', checkpoint: null }), arm({ method: 'direct' })]
    const again = requestOf(draftOf(evaluation({ arms }), methods), methods, fieldsOf)
    expect(again.arms.map(({ checkpoint }) => checkpoint)).toEqual(['untrained', undefined])
  })

  it('has a limit of an arm that could not be read, so that the request is refused', () => {
    const arm = { ...newArm('direct'), reply_tokens: Number.NaN }
    const { arms } = requestOf({ ...emptyDraft(), arms: [arm] }, methods, fieldsOf)
    expect(arms[0]?.max_completion_tokens_per_call).toBeNaN()
  })

  it('copies an arm without its label, since two cannot share one', () => {
    const arm = { ...newArm('direct'), label: 'ours' }
    expect(copyOf(arm)).toMatchObject({ method: 'direct', label: '' })
    expect(copyOf(arm).id).not.toBe(arm.id)
  })
})

describe('the endpoints of an arm', () => {
  const fields = configFields({
    properties: {
      planner: { type: 'string', format: 'endpoint', default: null },
      endpoints: { type: 'array', items: { type: 'string', format: 'endpoint' }, default: [] },
    },
  })

  it('are also those that its settings name', () => {
    const arm = newArm('reso')
    expect(endpointsOf(arm, fields, 'small')).toBe('small')
    expect(endpointsOf({ ...arm, endpoint: 'big' }, fields, 'small')).toBe('big')
    const config = { planner: 'big', endpoints: ['small', 'third'] }
    expect(endpointsOf({ ...arm, config }, fields, 'small')).toBe('big small third')
  })

  it('are not known of a design', () => {
    expect(endpointsOf({ ...newArm('design'), design: 'd1' }, [], 'small')).toBeNull()
  })
})

describe('the limit of one reply of an arm', () => {
  const endpoints = [
    { key: 'small', enabled: true, is_small: true, is_default: true },
    { key: 'big', enabled: true, is_small: false, is_default: false },
  ] as Endpoint[]
  const short = method('evomas', { small_reply_tokens: 256 })
  const limit = (part: Partial<ArmDraft>, forAll: number | null = null, of = short) =>
    replyTokensOf({ ...newArm(of.key), ...part }, of, endpoints, forAll)

  it('is its method’s own on a small model, unless somebody sets one', () => {
    expect(limit({})).toBe(256)
    expect(limit({ endpoint: 'big' })).toBeNull()
    expect(limit({ reply_tokens: 90 })).toBe(90)
    expect(limit({}, 700)).toBe(700)
    expect(limit({}, null, method('direct'))).toBeNull()
  })
})
