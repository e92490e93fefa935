import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { ArmAbout } from '@/features/evaluations/arm-about'
import { arm, method, showAt } from '@/features/evaluations/tests/support'
import { changedText, settingsOf } from '@/lib/run-settings'

const schema = {
  properties: {
    rounds: { type: 'integer', default: 2 },
    share: { type: 'number', default: 0.5 },
    words: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
    order: { type: 'array', default: ['a', 'b'] },
  },
}
const config = { rounds: 5, share: 0.5, words: null, order: ['b', 'a'] }
const learner = method('mashost', { learns: true, config_schema: schema })

describe('the settings of an arm', () => {
  it('are changed where they are not the method’s own, lists too', () => {
    const settings = settingsOf(arm({ method_config: config }), learner)
    expect(changedText(settings)).toBe('rounds=5, order=b, a')
    expect(settings).toHaveLength(4)
  })

  it('all count as changed when the method is gone', () => {
    expect(changedText(settingsOf(arm({ method_config: { rounds: 2 } }), undefined))).toBe(
      'rounds=2',
    )
  })

  it('stand under its name with checkpoint and version of the pool', () => {
    const ours = arm({
      method: 'mashost',
      method_config: config,
      checkpoint: 'best',
      pool: 'general',
      pool_version: 3,
    })
    showAt('/', <ArmAbout arm={ours} method={learner} name="ours" />)
    expect(screen.getByText('mashost · best · small / small-1b · general@3')).toBeTruthy()
    expect(screen.getByText('rounds=5, order=b, a')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Settings' })).toBeTruthy()
    expect(screen.getByText('share').nextSibling?.textContent).toBe('0.5')
  })

  it('call a learning method without a checkpoint untrained', () => {
    showAt('/', <ArmAbout arm={arm({ method: 'mashost' })} method={learner} name="mashost" />)
    expect(screen.getByText('untrained · small / small-1b')).toBeTruthy()
  })
})
