import { describe, expect, it } from 'vitest'

import { metricsBy } from '@/features/training/metrics'

import { METRICS } from './support'

const { order, of } = metricsBy(METRICS)

describe('metrics', () => {
  it('are named by their method, in its order, with what a title leaves open', () => {
    expect(order.slice(0, 3)).toEqual(['reward', 'accuracy', 'held_out_reward'])
    expect(of('held_out_reward')).toMatchObject({
      title: 'Reward on held-out tasks',
      help: 'Of unseen tasks.',
    })
  })

  it('that their method does not name have their own names', () => {
    expect(['role/critic_two', 'some_new_metric'].map((key) => of(key).title)).toEqual([
      'Share of critic two',
      'Some new metric',
    ])
  })

  it('that are shares are told in per cent, the others as numbers', () => {
    expect(['accuracy', 'role/critic', 'reward'].map((key) => of(key).format(0.5))).toEqual([
      '50.0 %',
      '50.0 %',
      '0.5',
    ])
  })

  it('that are money or time say so, also on an axis', () => {
    expect([of('cost').format(2), of('seconds').format(2)]).toEqual(['$2.00', '2.0 s'])
    expect([of('seconds').axisFormat(90), of('accuracy').axisFormat(0.4)]).toEqual([
      '1 min 30 s',
      '40 %',
    ])
  })
})
