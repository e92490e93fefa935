import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { BranchesPage } from '@/features/training/branches/branches-page'
import { GroupPage } from '@/features/training/branches/group-page'
import { MOST_TOKENS, shownTo, spreadOf } from '@/features/training/branches/group'
import { legendOf, levelOf, scaleOf, shadeOf, tokenTold } from '@/features/training/branches/heat'
import type { Branch, Branches, Group } from '@/features/training/branches/use-branches'
import { filtersOf } from '@/features/training/branches/use-branch-filters'
import { jobQuery } from '@/features/training/use-training'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

import { training } from './support'

afterEach(() => {
  vi.restoreAllMocks()
})

const branch = (part: Partial<Branch> = {}): Branch => ({
  branch: 1,
  policy: 'shared',
  version: 4,
  prompt_hash: 'ab',
  tokens: [1, 2],
  pieces: ['L', 'D'],
  logprobs: [Math.log(0.5), Math.log(0.25)],
  after: [Math.log(0.6), Math.log(0.2)],
  message: 'LD',
  read: 'LD',
  finish: 'stop',
  reward: 1,
  team: { goal: 1 },
  local: { steps: 0 },
  advantage: 1,
  taken: false,
  picture: {},
  ...part,
})

it('tells no rounding error of the kept rewards as a mean', () => {
  const kept = [0.3, -0.1, -0.2].map(Math.fround)
  expect(kept.reduce((sum, reward) => sum + reward)).not.toBe(0)
  expect(spreadOf(kept).mean).toBe(0)
  expect(spreadOf([...kept, 2]).mean).toBe(0.5)
})

describe('the shade of a token', () => {
  const known = branch({ advantage: 2 })
  const other = branch({ advantage: -1, after: [] })

  it('is its ratio on a logarithmic scale, as much above as below', () => {
    const scale = scaleOf('ratio', [known, other])
    expect([0, 1].map((at) => levelOf(scale, known, at).toFixed(3))).toEqual(['0.817', '-1.000'])
    expect(legendOf(scale)).toEqual(['0.8', '1', '1.25'])
    expect(levelOf(scale, other, 0)).toBe(0)
    expect(tokenTold(scale, known, 0)).toBe('ratio 1.2, probability 50 % → 60 %, advantage +2')
    expect(tokenTold(scale, other, 0)).toBe('probability 50 %, advantage −1')
    const frozen = branch({ advantage: null, after: [] })
    expect(tokenTold(scale, frozen, 0)).toBe('probability 50 %, advantage frozen')
    expect(levelOf(scaleOf('advantage', [frozen, other]), frozen, 0)).toBe(0)
  })

  it('is the advantage of its answer, beside the largest of those shown', () => {
    const scale = scaleOf('advantage', [known, other])
    expect([known, other].map((each) => levelOf(scale, each, 0))).toEqual([1, -0.5])
    expect(
      levelOf(scaleOf('advantage', [branch({ advantage: 0 })]), branch({ advantage: 0 }), 0),
    ).toBe(0)
  })

  it('can be told without colour', () => {
    expect([1, 0, -1].map((level) => shadeOf(level).className)).toEqual([
      'border-solid',
      'border-transparent',
      'border-dotted',
    ])
  })
})

it('reads filters of the address, and leaves out what they cannot mean', () => {
  const read = (address: string) => filtersOf(new URLSearchParams(address))
  expect(read('agent=planner&turn=2&rewards=equal&least=-0.5&most=1&task=3&ended=turns')).toEqual({
    agent: 'planner',
    turn: 2,
    mixed: false,
    least: -0.5,
    most: 1,
    task: 3,
    ended: 'turns',
  })
  expect(read('turn=x&task=-1&least=&rewards=many')).toEqual({})
})

const GROUP: Branches = {
  episode: 1,
  task: 3,
  agent: 'planner',
  turn: 2,
  ended: 'turns',
  solved: false,
  prompt: [{ role: 'user', content: 'S.G' }],
  branches: [
    branch({ branch: 1, reward: -0.1, advantage: -1, finish: 'length', read: '' }),
    branch({
      branch: 2,
      reward: 1.5,
      taken: true,
      picture: { game: 'plan_path', start: 'S.G', board: '.SG', moves: ['right'] },
    }),
  ],
}
const place = ({ episode, task, agent, turn }: Branches, rewards = [1]): Group => ({
  episode,
  task,
  agent,
  turn,
  policy: 'shared',
  version: 4,
  rewards,
  cut: 0,
  ended: 'turns',
  solved: false,
})

it('shows a limited number of tokens of a group at once', () => {
  const long = (count: number, tokens: number) =>
    Array.from({ length: count }, () =>
      branch({ pieces: Array.from({ length: tokens }, () => 'a') }),
    )
  expect(shownTo(long(256, 512), 0)).toBe(15)
  expect(shownTo(long(256, 512), 15)).toBe(30)
  expect(shownTo(long(8, 64), 0)).toBe(8)
  expect(shownTo(long(2, MOST_TOKENS + 1), 1)).toBe(2)
})

describe('a step with 10,000 branches', () => {
  const at = '/api/training-jobs/j1/branches'
  const groups = Array.from({ length: 1_250 }, (_, episode) =>
    place({ ...GROUP, episode }, [0, 0, 0, 1, 1, 1, 1, 2]),
  )

  function openStep(search: string) {
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(45)
    const requests = playApi(({ path, query }) => {
      if (path === at) return { body: { steps: [9] } }
      if (path !== `${at}/9`) return undefined
      const offset = Number(query.get('offset'))
      const results = groups.slice(offset, offset + Number(query.get('page_size')))
      const known = { agents: ['planner'], turns: [2], endings: ['turns'], rewards: [0, 2] }
      return { body: { count: groups.length, results, ...known } }
    })
    show(<BranchesPage />, {
      at: `/training/j1/branches/9${search}`,
      path: '/training/:id/branches/:step',
      known: [[jobQuery('j1').queryKey, training({ step: 12 })]],
      isFresh: true,
    })
    return () => requests.filter(({ path }) => path === `${at}/9`).map(({ query }) => query)
  }

  it('reads a page of groups, and has only the rows near the window', async () => {
    const asked = openStep('')
    const table = within(await screen.findByRole('table'))
    expect(table.getAllByRole('row').length).toBeLessThan(100)
    expect(asked().map((query) => query.get('offset'))).toEqual(['0'])
    expect(Number(asked()[0]?.get('page_size'))).toBeLessThan(groups.length)
  })

  it('lets the API filter', async () => {
    const asked = openStep('?agent=planner&rewards=mixed&least=0.5')
    await screen.findByRole('table')
    const [query] = asked()
    expect([query?.get('agent'), query?.get('mixed'), query?.get('least')]).toEqual([
      'planner',
      'true',
      '0.5',
    ])
  })
})

function open(search = '') {
  const at = '/api/training-jobs/j1/branches'
  playApi(({ path, query }) => {
    const answers: Record<string, unknown> = {
      [at]: { steps: query.has('task') ? [7, 9, 11] : [7, 8, 9, 11] },
      [`${at}/9/1/planner/2`]: GROUP,
      [`${at}/9`]: { results: [place({ ...GROUP, agent: 'proposer' }), place(GROUP)] },
      [`${at}/7`]: { results: [place({ ...GROUP, episode: 4 })] },
      [`${at}/7/4/planner/2`]: { ...GROUP, episode: 4 },
      [`${at}/11`]: { results: [place({ ...GROUP, turn: 1 })] },
    }
    return path in answers ? { body: answers[path] } : undefined
  })
  return show(<GroupPage />, {
    at: `/training/j1/branches/9/1/planner/2${search}`,
    path: '/training/:id/branches/:step/:episode/:agent/:turn',
    known: [[jobQuery('j1').queryKey, training({ step: 12 })]],
    isFresh: true,
  })
}

describe('a group', () => {
  it('shows its branches side by side, the played one first', async () => {
    open()
    const cards = await screen.findAllByRole('heading', { level: 3 })
    expect(cards.map(({ textContent }) => textContent)).toEqual([
      'Promptthe same for all branches',
      'Branch 2',
      'Branch 1',
    ])
    const list = within(screen.getByRole('list', { name: '2 branches' }))
    const [played, other] = list.getAllByText(/^Branch/).map((title) => title.closest('li'))
    expect(played?.textContent).toMatch(/played.*1\.5.*goal \+1 team.*After this answer/)
    expect(
      await within(played as HTMLElement).findByRole('img', {
        name: /player is at row 1, column 2/,
      }),
    ).toBeTruthy()
    expect(played?.textContent).not.toContain('steps')
    expect(other?.textContent).toMatch(/cut at the limit.*−0\.1.*No answer could be read/)
    expect(other?.textContent).not.toContain('played')
    const path = await screen.findByRole('navigation', { name: /answer by answer/ })
    await waitFor(() => expect(within(path).getAllByRole('link')).toHaveLength(2))
  })

  it.each([
    ['', 'All branches as', '?format='],
    [
      '?agent=planner&rewards=equal&least=-0.5',
      'Filtered branches as',
      '?agent=planner&mixed=false&least=-0.5&format=',
    ],
  ])('is exported with the step’s other groups that the filters leave', async (at, name, query) => {
    open(at)
    fireEvent.click(await screen.findByRole('button', { name: 'Export' }))
    const files = screen.getAllByRole('menuitem')
    expect(files.map((file) => file.textContent)).toEqual([`${name} Parquet`, `${name} JSON Lines`])
    expect(files.map((file) => file.getAttribute('href'))).toEqual(
      ['parquet', 'jsonl'].map((form) => `/api/training-jobs/j1/branches/9/file${query}${form}`),
    )
  })

  it('tells the numbers of a token to the keyboard', async () => {
    open()
    const tokens = await screen.findByRole('slider', { name: 'Tokens of Branch 2' })
    expect(tokens.getAttribute('aria-valuetext')).toMatch(/^L: token 1 of 2, ratio 1\.2/)
    fireEvent.keyDown(tokens, { key: 'End' })
    expect(tokens.getAttribute('aria-valuetext')).toMatch(/^D: token 2 of 2, ratio 0\.8/)
    fireEvent.click(screen.getByRole('button', { name: 'Advantage' }))
    expect(tokens.getAttribute('aria-valuetext')).toMatch(/^D: token 2 of 2, advantage \+1/)
  })

  it('stands beside that of the same task at another step', async () => {
    open('?with=7')
    const other = within(await screen.findByRole('region', { name: 'Step 7' }))
    expect(other.getByText('Same prompt as at the other step')).toBeTruthy()
    expect(
      other.getByRole('link', { name: 'See the episode at step 7' }).getAttribute('href'),
    ).toBe('/training/j1/branches/7/4/planner/2')
  })

  it('says where the other episode had ended before', async () => {
    open('?with=11')
    expect(
      await screen.findByText(/At step 11 the episode .* Planner could answer in turn 2/),
    ).toBeTruthy()
  })
})
