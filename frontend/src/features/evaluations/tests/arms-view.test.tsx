import { screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { ArmsView } from '@/features/evaluations/arms-view'
import { arm, evaluation, showAt } from '@/features/evaluations/tests/support'
import type { ArmSummary } from '@/features/evaluations/use-evaluations'
import type { components } from '@/generated/api'
import { playApi } from '@/lib/tests/play-api'

const summary = (label: string, failures: number, out_of_time: number): ArmSummary => ({
  label,
  n: 4,
  tasks: 4,
  correct: 0,
  accuracy: 0,
  interval: null,
  reward_mean: null,
  tokens_mean: null,
  tokens_interval: null,
  cost_mean: null,
  seconds_mean: null,
  seconds_median: null,
  seconds_p95: null,
  timed: 0,
  cached: 0,
  failures,
  out_of_time,
  unjudged: 0,
  unknown_usage: 0,
  replies: 0,
  cut_replies: 0,
  cut_share: null,
  finals: 0,
  cut_finals: 0,
  cut_final_share: null,
  cuts_unknown: 0,
  own_temperature: 0,
})

let arms: ArmSummary[] = []
let domains: components['schemas']['DomainShare'][] = []
let cuts: components['schemas']['CutWarning'][] = []

beforeEach(() => {
  playApi(({ path }) => {
    if (path.endsWith('/methods')) return { body: [] }
    if (path.endsWith('/summary'))
      return {
        body: {
          arms,
          pairs: [],
          at_equal_tokens: [],
          unjudged_tasks: 0,
          domains,
          domains_left_out: 3,
          cut_warnings: cuts,
        },
      }
    return { body: { status: 'ready', answers: 0, looked_at: 0, arms: [], structure: null } }
  })
})

afterEach(() => {
  domains = []
  cuts = []
})

const shown = evaluation({ arms: [arm(), arm({ label: 'team' })] })

const cut = (label: string, suggested_limit: number | null) => ({
  label,
  share: 0.12,
  of: 'replies' as const,
  limit: 192,
  suggested_limit,
  message: '',
})

describe('answers that were cut', () => {
  it('are warned of per arm, with the way to an evaluation that has room', async () => {
    arms = [summary('direct', 0, 0), { ...summary('team', 0, 0), cut_share: 0.12 }]
    cuts = [cut('direct', null), cut('team', 1_024)]
    showAt('/', <ArmsView evaluation={shown} />)
    const list = await screen.findByText('team', { selector: 'em' })
    expect(list.closest('li')?.textContent.trim()).toBe(
      '12 % of the replies of team were cut at 192 tokens.',
    )
    expect(screen.getByText('The comparison favours short answers.')).toBeTruthy()
    expect(screen.getByText(/Enter a longer one there/)).toBeTruthy()
    const again = screen.getByRole('link', { name: 'Evaluate again with 1,024 tokens per reply' })
    expect(again.getAttribute('href')).toBe('/evaluations/new?from=e1&room=1:1024')
  })

  it('are unknown of an older evaluation, and never 0', async () => {
    arms = [summary('direct', 0, 0), { ...summary('team', 0, 0), cut_share: 0, replies: 4 }]
    showAt('/', <ArmsView evaluation={shown} />)
    const [, direct, team] = await screen.findAllByRole('row')
    const of = (row: HTMLElement | undefined) =>
      row
        ? within(row)
            .getAllByRole('cell')
            .map(({ textContent }) => textContent)
        : []
    expect(of(direct)).toContain('unknown')
    expect(of(team)).toContain('0.0 %0 / 4')
    expect(screen.queryByText(/were cut at/)).toBeNull()
  })

  it('are coloured as a warning only where there are some', async () => {
    const counted = { replies: 6, cut_share: 0, finals: 6 }
    arms = [
      { ...summary('direct', 0, 0), ...counted, cached: 2 },
      { ...summary('team', 0, 0), ...counted, cut_finals: 2, cuts_unknown: 1 },
    ]
    showAt('/', <ArmsView evaluation={shown} />)
    const isWarning = (name: string) =>
      screen.getByText(name).className.split(' ').includes('text-warn')
    expect(await screen.findByText('0 of 6 final answers')).toBeTruthy()
    expect(isWarning('0 of 6 final answers')).toBe(false)
    expect(isWarning('2 from the cache')).toBe(false)
    expect(isWarning('2 of 6 final answers, 1 unknown')).toBe(true)
  })
})

describe('what an evaluation found', () => {
  it('warns of answers that ran out of time, per arm and with the way out', async () => {
    arms = [summary('direct', 1, 0), summary('team', 3, 2)]
    showAt('/', <ArmsView evaluation={shown} />)
    expect(await screen.findByText('2 out of time')).toBeTruthy()
    expect(screen.getByText(/^2 answers ran out of time.*fewer answers at once/)).toBeTruthy()
    expect(screen.queryByText('0 out of time')).toBeNull()
  })

  it('says of which arm a server used its own temperature', async () => {
    arms = [summary('direct', 0, 0), { ...summary('team', 0, 0), own_temperature: 2 }]
    showAt('/', <ArmsView evaluation={shown} />)
    expect(await screen.findByText(/^team: for 2 answers a server used its own/)).toBeTruthy()
    expect(screen.getAllByText(/own temperature/)).toHaveLength(1)
  })

  it('says nothing of time where every failure has another cause', async () => {
    arms = [summary('direct', 1, 0)]
    showAt('/', <ArmsView evaluation={shown} />)
    expect(await screen.findByText('Failed')).toBeTruthy()
    expect(screen.queryByText(/out of (time|seconds)/)).toBeNull()
  })

  it('tells every arm by domain, and which domains it leaves out', async () => {
    const share = { tasks: 8, interval: [0.25, 0.75], tokens_mean: 812 }
    domains = [
      { ...share, domain: 'easy', label: 'direct', accuracy: 0.5 },
      { ...share, domain: 'easy', label: 'team', accuracy: 0.75 },
      { ...share, domain: '', label: 'team', accuracy: 0.25, tokens_mean: null },
    ]
    arms = [summary('direct', 0, 0), summary('team', 0, 0)]
    showAt('/', <ArmsView evaluation={shown} />)
    const row = within(await screen.findByRole('row', { name: /^easy/ }))
    expect(row.getByText('8 tasks')).toBeTruthy()
    expect(row.getByText('75.0 %')).toBeTruthy()
    expect(row.getAllByText('25.0 % to 75.0 %')).toHaveLength(2)
    expect(row.getAllByText('812 tokens')).toHaveLength(2)
    const cells = within(screen.getByRole('row', { name: /^Without a domain/ })).getAllByRole(
      'cell',
    )
    expect(cells.map(({ textContent }) => textContent)).toEqual(['—', '25.0 %25.0 % to 75.0 %'])
    expect(screen.getByText('3 domains with fewer tasks are not shown.')).toBeTruthy()
  })

  it('has no table where all tasks are of one domain', async () => {
    arms = [summary('direct', 0, 0)]
    showAt('/', <ArmsView evaluation={shown} />)
    expect(await screen.findByText('Failed')).toBeTruthy()
    expect(screen.queryByText('Accuracy by domain')).toBeNull()
  })
})
