import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'

import { MOST_TOKENS } from '@/features/training/branches/group'
import { GroupView } from '@/features/training/branches/group-view'
import type { Branches } from '@/features/training/branches/use-branches'
import { show } from '@/lib/tests/show'

const branch = (number: number): Branches['branches'][number] => ({
  branch: number,
  policy: 'shared',
  version: 4,
  prompt_hash: 'ab',
  tokens: [1],
  // Holes count as tokens, and draw nothing: elements for all of them take seconds here.
  pieces: new Array<string>(MOST_TOKENS / 2 + 1),
  logprobs: [0],
  after: [],
  message: 'L',
  read: 'L',
  finish: 'stop',
  reward: 1,
  team: {},
  local: {},
  advantage: 1,
  taken: false,
  picture: {},
})

it('shows more of many long answers on request', () => {
  const place = { episode: 1, agent: 'planner', turn: 2 }
  const group: Branches = {
    ...place,
    task: 3,
    ended: 'turns',
    solved: false,
    prompt: [],
    branches: [1, 2, 3].map(branch),
  }
  const scale = { heat: 'advantage', full: 1 } as const
  show(<GroupView {...{ group, place, scale }} job="j1" step={9} isBeside={false} beside={null} />)
  const cards = () =>
    within(screen.getByRole('list', { name: '3 branches' })).getAllByRole('slider')
  expect(cards()).toHaveLength(1)
  fireEvent.click(screen.getByRole('button', { name: 'Show more (2 branches left)' }))
  expect(cards()).toHaveLength(2)
  fireEvent.click(screen.getByRole('button', { name: 'Show more (1 branch left)' }))
  expect(cards()).toHaveLength(3)
  expect(screen.queryByRole('button', { name: /Show more/ })).toBeNull()
})
