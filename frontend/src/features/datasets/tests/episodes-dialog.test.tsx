import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { newEpisodes, ofGame } from '@/features/datasets/episodes'
import type { Game } from '@/lib/api/queries'
import { EpisodesDialog } from '@/features/datasets/episodes-dialog'
import { playApi, type Answer } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

const number = (initial: number) => ({ type: 'integer', default: initial, minimum: 1, maximum: 40 })
const game = (key: string, name: string, options: Record<string, unknown>): Game => ({
  key,
  name,
  description: `${name} is played.`,
  options_schema: { properties: options },
})
const games = [
  game('plan_path', 'Plan-Path', { size: number(10) }),
  game('sokoban', 'Sokoban', { boxes: number(1) }),
]
const beside = [{ path: '/datasets/:key', element: <p>the new one</p> }]
const PATH = '/api/games/plan_path/episodes'

function shown(answer: Answer) {
  const sent = playApi(({ path }) => (path === PATH ? answer : undefined))
  const dialog = <EpisodesDialog games={games} onProgress={() => null} onClose={() => null} />
  show(dialog, { path: '/', beside })
  return sent
}

describe('the dialog that makes episodes', () => {
  it('asks for what is chosen and shows the new dataset', async () => {
    const sent = shown({ status: 201, body: { key: 'plan-path', name: 'Plan-Path' } })
    expect(screen.getByRole('status').textContent).toBe('1,300 episodes in all')
    const size = screen.getByLabelText('Size')
    fireEvent.change(size, { target: { value: '5' } })
    fireEvent.blur(size)
    fireEvent.click(screen.getByRole('button', { name: 'Make 1,300 episodes' }))
    expect(await screen.findByText('the new one')).toBeTruthy()
    expect(sent.find(({ path }) => path === PATH)?.body).toEqual({
      key: 'plan-path',
      name: 'Plan-Path',
      options: { size: 5 },
      splits: { train: 1000, dev: 100, test: 200 },
      seed: 0,
    })
  })

  it('tells each error once, at its field', async () => {
    const fields = [
      { field: 'options.size', code: 'no_board', message: 'Too small.' },
      { field: 'splits.test', code: 'no_board', message: 'Too few boards.' },
    ]
    const error = { code: 'invalid', message: 'No.', remedy: 'Else.', fields }
    shown({ status: 400, body: { error } })
    fireEvent.click(screen.getByRole('button', { name: 'Make 1,300 episodes' }))
    const told = (await screen.findByText('Too small.')).parentElement
    expect(told?.textContent).toContain('Size')
    expect(screen.getByText('Too few boards.').parentElement?.textContent).toContain('Test')
    expect(screen.queryByText('Else.')).toBeNull()
  })
})

describe('a draft of episodes', () => {
  it('takes name and key of another game, but keeps those that somebody chose', () => {
    const draft = { ...newEpisodes(games), options: { size: 5 } }
    expect(ofGame(draft, games, 'sokoban')).toMatchObject({
      key: 'sokoban',
      name: 'Sokoban',
      options: {},
    })
    const chosen = ofGame({ ...draft, name: 'Mine', key: 'mine' }, games, 'sokoban')
    expect(chosen).toMatchObject({ key: 'mine', name: 'Mine', game: 'sokoban' })
  })
})
