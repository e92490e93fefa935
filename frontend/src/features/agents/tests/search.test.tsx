import { render, screen, within } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { describe, expect, it } from 'vitest'

import {
  because,
  bodyOf,
  NEW_SEARCH,
  type Candidate,
  type Search,
} from '@/features/agents/search-draft'
import { SearchResult } from '@/features/agents/search-result'

const candidate = (part: Partial<Candidate> = {}): Candidate => ({
  agent: 7,
  role_key: 'adder',
  role_name: 'Adder',
  family: 'mathematics',
  endpoint: 'e',
  endpoint_name: 'Mine',
  reward: 0.75,
  cost: 0.001,
  count: 12,
  inner_product: 0.62,
  similarity: 1,
  performance: 0.749,
  exploration: 0.1,
  score: 0.849,
  ...part,
})

const found = (first: Partial<Candidate> = {}, part: Partial<Search> = {}): Search => ({
  candidates: [candidate(first), candidate({ agent: null, role_key: 'cook', role_name: 'Cook' })],
  agents: 63,
  selections: 40,
  nearest: 0.62,
  threshold: 0.4,
  reached: true,
  ...part,
})

describe('why the first is the first', () => {
  it.each([
    [
      'is near and has earned most',
      {},
      {},
      /because its role is near .*0\.62, above 0\.4.* earned 0\.75/,
    ],
    ['was never tried', { count: 0, exploration: 9 }, {}, /because it has no reward yet/],
    ['was hardly tried', { exploration: 3 }, {}, /mainly to learn more about it: it has 12 of 40/],
    ['is not near', { inner_product: 0.1 }, {}, /although its role is not near/],
    ['is the nearest of unknown ones', {}, { selections: 0 }, /no agent has a reward yet/],
  ] as const)('it %s', (_, first, part, said) => {
    expect(because(found(first, part))).toMatch(said)
    expect(because(found(first, part))).toMatch(/^Adder on Mine would be picked/)
  })

  it('says nothing of nobody', () => expect(because({ ...found(), candidates: [] })).toBe(''))
})

describe('the candidates', () => {
  const show = (search: Search) =>
    render(
      <MemoryRouter>
        <SearchResult found={search} />
      </MemoryRouter>,
    )

  it('have each part of their score in words and numbers', () => {
    show(found())
    const [, first, second] = screen.getAllByRole('row')
    const cells = within(first ?? document.body)
    expect(cells.getByRole('link', { name: 'Adder' }).getAttribute('href')).toBe('/agents/7')
    expect(
      cells.getByRole('img', { name: 'Adder on Mine: similarity 0.62, threshold 0.4, gate 1' }),
    ).toBeTruthy()
    expect(
      cells.getByRole('img', {
        name: 'Adder on Mine: score 0.849, of which 0.749 is performance and 0.1 exploration',
      }),
    ).toBeTruthy()
    expect(within(second ?? document.body).queryByRole('link')).toBeNull()
    expect(screen.queryByText(/No agent’s role is near enough/)).toBeNull()
  })

  it('are told to be there only to be tried where nobody is near', () => {
    show(found({}, { reached: false, nearest: 0.21 }))
    expect(screen.getByText(/the nearest has 0\.21, the threshold is 0\.4/)).toBeTruthy()
  })
})

it('asks with the settings of the form', () =>
  expect(bodyOf({ ...NEW_SEARCH, text: ' add ', endpoints: ['e'] }, 'general')).toEqual({
    text: 'add',
    pool: 'general',
    endpoints: ['e'],
    checkpoint: null,
    k: 5,
    threshold: 0.2,
    gate: 'heaviside',
    exploration: 'log',
    exploration_weight: 0.3,
    cost_weight: 1,
  }))
