import { fireEvent, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'

import { agent as agentOf } from '@/components/agents/tests/support'
import { LearningCard } from '@/features/agents/learning-card'
import { UsageCard } from '@/features/agents/usage-card'
import {
  curveQuery,
  runsOf,
  usageQuery,
  type Agent,
  type Figures,
  type Reward,
} from '@/features/agents/use-agents'
import { show } from '@/lib/tests/show'
import { measureNothing } from '@/lib/tests/unmeasured'

const agent: Agent = {
  ...agentOf({ id: 7, endpoint: 'mine', pool: 'general', reward: 0.5, cost: 2 }),
  role_key: 'planner',
  role_name: 'Planner',
  count: 3,
  recorded: 3,
  prompt: 'Plan.',
  has_own_prompt: false,
  role_prompt: 'Plan.',
  memory: '',
  edited_at: null,
  edited_by: '',
  description: '',
  capabilities: [],
  output_form: '',
  refuse_condition: '',
  role_version: 1,
  role_removed: false,
  endpoint_enabled: true,
  prompt_price: null,
  completion_price: null,
  embedded: true,
}
const none: Figures = {
  runs: 0,
  agents: 0,
  refused: 0,
  refusal_share: null,
  failed: 0,
  judged: 0,
  correct: 0,
  accuracy: null,
  interval: null,
  tokens: null,
  cost: null,
  seconds: null,
}
const some: Figures = {
  ...none,
  runs: 4,
  agents: 5,
  refused: 1,
  refusal_share: 0.2,
  judged: 2,
  correct: 1,
  accuracy: 0.5,
  interval: [0.1, 0.9],
  tokens: 15,
}

beforeEach(measureNothing)

const cells = (): string[] => screen.getAllByRole('row').map((row) => row.textContent)

describe('what an agent did', () => {
  const used = (total: Figures) => {
    const over_time = [
      { start: '2026-11-23', figures: none },
      { start: '2026-11-24', figures: total },
    ]
    const usage = { days: 30, step: 'day', total, over_time }
    show(<UsageCard agent={agent} />, {
      known: [[usageQuery(7, '30').queryKey, usage]],
      isFresh: true,
    })
  }

  it('is told in figures with an interval, and day by day in a table, the newest first', () => {
    used(some)
    expect(
      screen.getByRole('img', { name: 'Planner: 50.0 % right, between 10.0 % and 90.0 %' }),
    ).toBeTruthy()
    expect(screen.getByText('1 (20 %)')).toBeTruthy()
    expect(screen.getAllByRole('slider')).toHaveLength(3)
    fireEvent.click(screen.getByRole('button', { name: 'As table' }))
    expect(cells()).toEqual([
      'DayRunsRight answersTokensCostTime',
      '24 Nov 2026450.0 % (10.0 % to 90.0 %)15——',
      '23 Nov 20260————',
    ])
  })

  it('is nothing where no run used it', () => {
    used(none)
    expect(screen.getByText(/No run that ended/)).toBeTruthy()
    expect(screen.queryByRole('slider')).toBeNull()
  })
})

describe('what was learned about it', () => {
  const reward = (count: number, run: string | null): Reward => ({
    number: count,
    count,
    at: '2026-11-24T10:00:00Z',
    run,
    job: null,
    step: null,
    restored_from: '',
    restored_by: '',
    reward: 1,
    cost: 2,
    mean_reward: 0.5,
    mean_cost: 2,
    interval: [0.1, 0.9],
  })

  const learned = (...rewards: Reward[]) =>
    show(<LearningCard agent={agent} />, {
      known: [[curveQuery(7, 3).queryKey, rewards]],
      isFresh: true,
    })

  it('has a row for each reward, with the way to its run', () => {
    learned(reward(1, null), reward(3, 'r3'))
    expect(screen.getByText('2 of 3 rewards, evenly spread.')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'As table' }))
    expect(cells()[1]).toMatch(/^reward 30\.5 \(0\.1 to 0\.9\)123/)
    expect(screen.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe('/runs/r3')
  })

  it('names the training of a reward, and the checkpoint that was restored', () => {
    const restored = { ...reward(2, null), reward: null, cost: null, restored_from: 'monday' }
    learned({ ...reward(1, null), job: 'j1', step: 4 }, { ...restored, restored_by: 'ada' })
    fireEvent.click(screen.getByRole('button', { name: 'As table' }))
    expect(screen.getByRole('link', { name: 'Step 4' }).getAttribute('href')).toBe('/training/j1')
    expect(screen.getByText('restored from monday by ada')).toBeTruthy()
  })

  it('says what will stand there before the first one', () => {
    show(<LearningCard agent={{ ...agent, count: 0, recorded: 0 }} />)
    expect(screen.getByText(/This agent has no reward yet/)).toBeTruthy()
  })
})

it('its runs are those of its pool, endpoint and role', () => {
  expect(runsOf(agent)).toBe('/runs?pool=general&endpoint=mine&role=planner&answers=true')
})
