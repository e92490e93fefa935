import { describe, expect, it } from 'vitest'

import { curveAddressOf } from '@/features/training/use-curve-address'

const of = (text: string) => curveAddressOf(new URLSearchParams(text))

describe('the timeline in the address', () => {
  it('shows the reward first when nothing is said', () => {
    expect(of('')).toMatchObject({ others: [], step: null, sample: null, agent: null })
    expect(of('').metrics[0]).toBe('reward')
  })

  it('reads what a link says', () => {
    expect(
      of('metrics=loss,depth&with=a,b&smooth=0&step=12&sample=3&agent=a1&view=agents&subtask=s2'),
    ).toEqual({
      metrics: ['loss', 'depth'],
      isDefault: false,
      others: ['a', 'b'],
      smoothing: 0,
      step: 12,
      sample: 3,
      agent: 'a1',
      view: 'agents',
      chosen: { subtask: 's2', turn: null, stage: null, block: null },
    })
  })

  it('passes over what is no number, and keeps the smoothing inside its bounds', () => {
    expect(of('step=x&sample=').step).toBeNull()
    expect(of('smooth=7').smoothing).toBeLessThan(1)
    expect(of('smooth=-1').smoothing).toBe(0)
  })
})
