import { describe, expect, it } from 'vitest'

import { axisFormat, isShare, metricFormat, metricName } from '@/features/training/metric-name'

describe('metrics', () => {
  it('are named in words, also those that only a method knows', () => {
    expect(['tokens', 'role/critic', 'some_new_metric'].map(metricName)).toEqual([
      'Tokens per system',
      'Share of critic',
      'Some new metric',
    ])
  })

  it('that are shares are told in per cent, the others as numbers', () => {
    expect(['accuracy', 'role/critic', 'reward'].map(isShare)).toEqual([true, true, false])
    expect([metricFormat('cache_hits')(0.5), metricFormat('reward')(-0.5)]).toEqual([
      '50.0 %',
      '−0.5',
    ])
  })

  it('that are money or time say so, also on an axis', () => {
    expect(['cost', 'cost_total', 'seconds'].map((key) => metricFormat(key)(2))).toEqual([
      '$2.00',
      '$2.00',
      '2.0 s',
    ])
    expect([axisFormat('seconds')(90), axisFormat('accuracy')(0.4)]).toEqual(['1 min 30 s', '40 %'])
  })
})
