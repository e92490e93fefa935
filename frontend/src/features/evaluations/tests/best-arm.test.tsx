import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { BestArm } from '@/features/evaluations/evaluations-page'
import { evaluation, showAt } from '@/features/evaluations/tests/support'
import { playApi } from '@/lib/tests/play-api'

const best = { label: 'team', accuracy: 0.75, interval: [0.5, 0.9] }

describe('the best arm of a row', () => {
  it('comes with the list: nothing is asked for', async () => {
    const sent = playApi(() => undefined)
    showAt('/', <BestArm evaluation={{ ...evaluation({ status: 'running' }), best }} />)
    expect(screen.getByText('team')).toBeTruthy()
    expect(screen.getByRole('img', { name: /75.* 95 % interval 50.* to 90/ })).toBeTruthy()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sent).toEqual([])
  })

  it('is none before an answer was judged', () => {
    playApi(() => undefined)
    showAt('/', <BestArm evaluation={{ ...evaluation(), best: null }} />)
    expect(screen.getByText('No answer judged yet')).toBeTruthy()
  })
})
