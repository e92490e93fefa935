import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'

import type { components } from '@/generated/api'
import { levelsOf, newTeam, ofModel, takesOf, type Model } from '@/features/training/team/team'
import { TeamPage } from '@/features/training/team/team-page'
import type { TrainableMethod } from '@/features/training/use-training'
import { queries, type Game } from '@/lib/api/queries'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

import { training } from './support'

const GAME: Game = {
  key: 'plan_path',
  name: 'Plan-Path',
  description: 'Find the way.',
  options_schema: {
    properties: { size: { default: 10, type: 'integer', title: 'Size', description: 'Rows.' } },
  },
}
const PRESET = { steps: 10, episodes_per_step: 4, turns: 2, branches: 8, max_tokens: 32 }
const METHOD: TrainableMethod = {
  method: 'at_grpo',
  name: 'AT-GRPO',
  config_schema: {},
  presets: {
    studio: { ...PRESET, cold_steps: 3, rank: 0 },
    language: { ...PRESET, cold_steps: 5, rank: 16 },
  },
  needs_pool: false,
  asks_endpoint: false,
  metrics: [],
  selects_roles: false,
}
const MODELS: Model[] = [
  { name: 'nano', parameters: 10 },
  { name: 'small', parameters: 100 },
]
const MEMORY: components['schemas']['Memory'] = {
  total: 2_800_000_000,
  weights: 5_000_000,
  moments: 10_000_000,
  reference: 5_000_000,
  sampling: 150_000_000,
  updating: 2_780_000_000,
  saving: 15_000_000,
}

it('says before the start what a team will take', () => {
  const draft = newTeam('plan_path')
  const takes = (part: Partial<typeof draft>) => takesOf({ ...draft, ...part }, METHOD)
  expect(takes({})).toEqual({ coldSteps: 3, steps: 10, tokens: 40_960 })
  expect(takes({ model: 'small' })).toMatchObject({ coldSteps: 5 })
})

it('says what memory it will take', async () => {
  open([])
  expect(await screen.findByText('up to about 2.8 GB')).toBeTruthy()
})

it('adapts no model that has learned nothing', () => {
  expect(levelsOf('nano')).not.toContain('adapters')
  const small = { ...newTeam('plan_path'), model: 'small', level: 'adapters' as const }
  expect(ofModel(small, 'nano').level).toBe('shared')
  expect(ofModel(small, 'other').level).toBe('adapters')
})

function open(datasets: unknown[], curate = true) {
  const requests = playApi(({ method, path }) => {
    if (method === 'POST' && path === '/api/games/plan_path/episodes') return { body: {} }
    if (method === 'POST' && path === '/api/training-jobs') return { body: training() }
    if (path === '/api/training-jobs/memory') return { body: { memory: MEMORY } }
    const known: Record<string, unknown> = {
      '/api/games': [GAME],
      '/api/training/methods': [METHOD],
      '/api/training/models': MODELS,
      '/api/datasets': { results: datasets },
    }
    return path in known ? { body: known[path] } : undefined
  })
  const permissions = { run: true, curate, admin: false, share: false }
  const view = show(<TeamPage />, {
    at: '/training/team',
    path: '/training/team',
    beside: [{ path: '/training/:id', element: null }],
    known: [[queries.me.queryKey, { username: 'ada', permissions }]],
  })
  const made = ['/api/training-jobs', '/api/games/plan_path/episodes']
  return {
    ...view,
    posted: () => requests.filter(({ path, method }) => method === 'POST' && made.includes(path)),
  }
}

it('makes the episodes, then starts the training and shows it', async () => {
  const { posted, router } = open([])
  expect(await screen.findByText('1,300 episodes will be made')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Train the team' }))
  await expect.poll(() => router.state.location.pathname).toBe('/training/j1')
  const [made, started] = posted().map(({ body }) => body)
  expect(made).toMatchObject({ key: 'plan-path-size-5', options: { size: 5 } })
  expect(started).toMatchObject({
    method: 'at_grpo',
    preset: 'studio',
    dataset: 'plan-path-size-5',
    config: { model: 'nano', level: 'shared' },
  })
})

it('takes episodes that are there, also for who may make none', async () => {
  const there = { key: 'plan-path-size-5', splits: { train: 40, dev: 0, test: 0 } }
  const { posted, router } = open([there], false)
  expect(await screen.findByText('40 episodes already made')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Train the team' }))
  await expect.poll(() => router.state.location.pathname).toBe('/training/j1')
  expect(posted()).toHaveLength(1)
})

it('says why it cannot start without episodes or the right to make them', async () => {
  open([], false)
  expect(await screen.findByText(/These episodes do not exist yet/)).toBeTruthy()
})
