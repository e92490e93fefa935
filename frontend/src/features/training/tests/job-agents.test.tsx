import { screen, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'

import { agent } from '@/components/agents/tests/support'
import { JobAgents } from '@/features/training/training-page'
import { curvesQuery, type AgentCurve, type AgentPoint } from '@/lib/api/agents'
import { show } from '@/lib/tests/show'
import { measureNothing } from '@/lib/tests/unmeasured'

import { training } from './support'

const job = training({ method: 'reso', step: 4 })

const point = (step: number, count: number, mean: number, cost: number): AgentPoint => ({
  at: '2026-11-24T10:00:00Z',
  step,
  number: count,
  count,
  mean_reward: mean,
  mean_cost: cost,
  interval: [mean - 0.1, mean + 0.1],
  restored_from: '',
})

function curve(id: number, role: string, ...points: AgentPoint[]): AgentCurve {
  return {
    agent: agent({ id, endpoint_name: 'Mine', role_name: role }),
    rewarded: points.at(-1)?.count ?? 0,
    points,
  }
}

const drawn = (...curves: AgentCurve[]) =>
  show(<JobAgents job={job} />, {
    known: [[curvesQuery({ job: job.id }, job.step).queryKey, curves]],
    isFresh: true,
  })

beforeEach(measureNothing)

it('draws what each agent has earned, cost, and how often it was rewarded, over the steps', () => {
  drawn(
    curve(1, 'Adder', point(1, 2, 0.5, 0.01), point(4, 9, 0.75, 0.02)),
    curve(2, 'Poet', point(2, 3, 0.25, 0.04)),
  )
  const told = (chart: string): string | null =>
    screen.getByRole('slider', { name: `${chart} of each agent` }).getAttribute('aria-valuetext')
  expect(told('Mean reward')).toBe(
    'step 4: Adder on Mine 0.75 (0.65 to 0.85), Poet on Mine 0.25 (0.15 to 0.35)',
  )
  expect(told('Rewards')).toBe('step 4: Adder on Mine 9, Poet on Mine 3')
  expect(told('Mean cost')).toBe('step 4: Adder on Mine 0.02, Poet on Mine 0.04')
  const table = within(screen.getByRole('table'))
  expect(table.getByRole('row', { name: /^Adder on Mine 9 0\.75 .* 0\.02$/ })).toBeTruthy()
  expect(table.getByRole('link', { name: 'Poet on Mine' }).getAttribute('href')).toBe('/agents/2')
})

it('says so where nobody has been rewarded', () => {
  drawn()
  expect(screen.getByText('This training has not rewarded an agent yet.')).toBeTruthy()
})
