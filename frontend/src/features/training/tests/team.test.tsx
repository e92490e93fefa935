import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import type { components } from '@/generated/api'
import {
  configOf,
  datasetKey,
  HUB,
  isFitting,
  isForNano,
  levelsOf,
  newTeam,
  ofDataset,
  ofGame,
  ofModel,
  presetOf,
  takesOf,
  type Dataset,
  type Model,
} from '@/features/training/team/team'
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
    language: { ...PRESET, cold_steps: 5, rank: 16, level: 'shared' },
    math: { ...PRESET, max_tokens: 512, cold_steps: 0, level: 'shared', model: 'Qwen/words' },
    code: { ...PRESET, max_tokens: 512, cold_steps: 0, level: 'adapters', model: 'Qwen/words' },
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
const dataset = (
  key: string,
  environment: string,
  preset: string,
  agents: string[] = [],
): Dataset => ({
  key,
  name: key.toUpperCase(),
  tasks: 100,
  team: { environment, name: environment, agents, preset },
  problem: null,
})
const SUMS = dataset('sums', 'math', 'math', ['Reasoner', 'Tool user'])
const PROGRAMS = dataset('programs', 'code', 'code', ['Coder', 'Tester'])
const BOARDS = dataset('boards', 'plan_path', 'language')
const CHOICES: Dataset = {
  ...dataset('choices', '', ''),
  team: null,
  problem: { code: 'no_environment', message: 'Its answers are letters.', remedy: 'Use others.' },
}
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

it('does not know it of a model on the hub, whatever model was chosen before', async () => {
  open([])
  await screen.findByText('up to about 2.8 GB')
  fireEvent.click(screen.getByRole('button', { name: /Language model/ }))
  fireEvent.click(screen.getByRole('option', { name: /Another model on the hub/ }))
  expect(await screen.findByText('known when it starts')).toBeTruthy()
  expect(screen.queryByText('up to about 2.8 GB')).toBeNull()
})

it('adapts no model that has learned nothing', () => {
  expect(levelsOf('nano')).not.toContain('adapters')
  const small = { ...newTeam('plan_path'), model: 'small', level: 'adapters' as const }
  expect(ofModel(small, 'nano').level).toBe('shared')
  expect(ofModel(small, 'other').level).toBe('adapters')
})

describe('a dataset', () => {
  const known = { games: [GAME], models: MODELS, method: METHOD }
  const draftOf = (chosen: Dataset, models = MODELS) => {
    if (!isFitting(chosen)) throw new Error('it fits no team')
    return ofDataset(newTeam('plan_path'), chosen, { ...known, models })
  }

  it('is learned under the preset of its team, by a model that reads words', () => {
    const [math, code] = [draftOf(SUMS), draftOf(PROGRAMS)]
    expect([presetOf(math), math.level, math.model]).toEqual(['math', 'shared', 'small'])
    expect([presetOf(code), code.level, code.model]).toEqual(['code', 'adapters', 'small'])
    expect(draftOf(SUMS, [...MODELS, { name: 'words', parameters: 9 }]).model).toBe('words')
    expect(draftOf(SUMS, MODELS.slice(0, 1))).toMatchObject({ model: HUB, hubName: 'Qwen/words' })
    expect(datasetKey(math, GAME)).toBe('sums')
    expect(configOf(math)).toMatchObject({ held_out: 20, model: 'small' })
    expect(takesOf(math, METHOD)).toMatchObject({ coldSteps: 0, tokens: 655_360 })
    expect(presetOf(ofGame(code, 'plan_path'))).toBe('language')
  })

  it('of boards can be read by nano', () => {
    const boards = draftOf(BOARDS)
    expect([isForNano(boards, [GAME]), isForNano(draftOf(SUMS), [GAME])]).toEqual([true, false])
    expect([boards.model, presetOf(boards)]).toEqual(['nano', 'studio'])
  })
})

it('makes a dataset for each choice of options', () => {
  const properties = {
    size: { default: 6, type: 'integer' },
    boxes: { default: 1, type: 'integer' },
    walls: { default: 0.1, type: 'number' },
  }
  const game = { ...GAME, key: 'sokoban', options_schema: { properties } }
  const keyOf = (options: Record<string, number>) =>
    datasetKey({ ...newTeam('sokoban'), options }, game)
  expect(keyOf({})).toBe('sokoban-size-6')
  expect(keyOf({ size: 7, boxes: 1 })).toBe('sokoban-size-7')
  expect(keyOf({ boxes: 2, walls: 0.3 })).toBe('sokoban-size-6-boxes-2-walls-0_3')
})

function open(datasets: unknown[], curate = true, game = GAME) {
  const requests = playApi(({ method, path }) => {
    if (method === 'POST' && path === '/api/games/plan_path/episodes') return { body: {} }
    if (method === 'POST' && path === '/api/training-jobs') return { body: training() }
    if (path === '/api/training-jobs/memory') return { body: { memory: MEMORY } }
    const known: Record<string, unknown> = {
      '/api/games': [game],
      '/api/training/methods': [METHOD],
      '/api/training/models': MODELS,
      '/api/datasets': { results: datasets },
      '/api/training/methods/at_grpo/datasets': [SUMS, PROGRAMS, BOARDS, CHOICES],
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

it('trains on a dataset of programs, and says which datasets fit no team', async () => {
  const { posted, router } = open([], false)
  fireEvent.click(await screen.findByRole('button', { name: '1 dataset fits no team' }))
  expect(screen.getByText('Its answers are letters. Use others.')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: /Game or dataset/ }))
  const choices = screen.getAllByRole('option').map(({ textContent }) => textContent)
  expect(choices.map((each) => each.split(' ')[0])).toEqual([
    'Plan-PathFind',
    'SUMSReasoner',
    'PROGRAMSCoder',
    'BOARDS',
  ])
  fireEvent.click(screen.getByRole('option', { name: /PROGRAMS/ }))
  expect(await screen.findByText('100 tasks, 20 of them only to measure')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Train the team' }))
  await expect.poll(() => router.state.location.pathname).toBe('/training/j1')
  expect(posted().map(({ body }) => body)).toMatchObject([
    {
      preset: 'code',
      dataset: 'programs',
      split: 'train',
      config: { model: 'small', level: 'adapters', held_out: 20 },
    },
  ])
})

it('offers all options of a game', async () => {
  const game = {
    ...GAME,
    options_schema: {
      properties: {
        size: { default: 6, type: 'integer', title: 'Size' },
        boxes: { default: 1, type: 'integer', title: 'Boxes' },
      },
    },
  }
  const { posted } = open([], true, game)
  fireEvent.change(await screen.findByLabelText('Boxes'), { target: { value: '2' } })
  fireEvent.blur(screen.getByLabelText('Boxes'))
  fireEvent.click(screen.getByRole('button', { name: 'Train the team' }))
  await expect.poll(() => posted().length).toBe(2)
  expect(posted()[0]?.body).toMatchObject({
    key: 'plan-path-size-5-boxes-2',
    options: { size: 5, boxes: 2 },
  })
})
