import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { beforeEach, expect, it, vi } from 'vitest'

import { agent } from '@/components/agents/tests/support'
import { JobAgents } from '@/features/training/job-agents'
import { curvesQuery, type AgentCurve, type AgentPoint } from '@/lib/api/agents'

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

function show(curves: AgentCurve[]): void {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(curvesQuery({ job: job.id }, job.step).queryKey, curves)
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <JobAgents job={job} />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = vi.fn()
      disconnect = vi.fn()
    },
  )
})
it('draws what each agent has earned, cost, and how often it was rewarded, over the steps', () => {
  show([
    curve(1, 'Adder', point(1, 2, 0.5, 0.01), point(4, 9, 0.75, 0.02)),
    curve(2, 'Poet', point(2, 3, 0.25, 0.04)),
  ])
  const told = (chart: string): string | null =>
    screen.getByRole('slider', { name: `${chart} of each agent` }).getAttribute('aria-valuetext')
  expect(told('Average reward R')).toBe(
    'step 4: Adder on Mine 0.75 (0.65 to 0.85), Poet on Mine 0.25 (0.15 to 0.35)',
  )
  expect(told('Rewards n')).toBe('step 4: Adder on Mine 9, Poet on Mine 3')
  expect(told('Average cost C')).toBe('step 4: Adder on Mine 0.02, Poet on Mine 0.04')
  const table = within(screen.getByRole('table'))
  expect(table.getByRole('row', { name: /^Adder on Mine 9 0\.75 .* 0\.02$/ })).toBeTruthy()
  expect(table.getByRole('link', { name: 'Poet on Mine' }).getAttribute('href')).toBe('/agents/2')
})

it('says so where nobody has been rewarded', () => {
  show([])
  expect(screen.getByText('No agent has been rewarded by this training yet.')).toBeTruthy()
})
