import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'

import { QuestionsDialog } from '@/features/datasets/questions-dialog'
import { playApi, type Answer } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

function shown(answer: Answer) {
  const sent = playApi(({ path }) => (path === '/api/questions' ? answer : undefined))
  show(<QuestionsDialog onProgress={() => null} onClose={() => null} />, {
    path: '/',
    beside: [{ path: '/datasets/:key', element: <p>the new one</p> }],
  })
  return sent
}

it('asks for the chosen levels and shows the new dataset', async () => {
  const sent = shown({ status: 201, body: { key: 'research', name: 'Research' } })
  fireEvent.click(screen.getByRole('checkbox', { name: /^2:/ }))
  fireEvent.click(screen.getByRole('button', { name: 'Make 350 questions' }))
  expect(await screen.findByText('the new one')).toBeTruthy()
  expect(sent.find(({ path }) => path === '/api/questions')?.body).toEqual({
    ...{ key: 'research', name: 'Research', seed: 0, levels: [1, 3] },
    splits: { train: 200, dev: 50, test: 100 },
  })
})

it('makes none without a level', () => {
  shown({ status: 201, body: {} })
  for (const box of screen.getAllByRole('checkbox')) fireEvent.click(box)
  const make = screen.getByRole('button', { name: 'Make 0 questions' })
  expect((make as HTMLButtonElement).disabled).toBe(true)
})

it('tells an error at its field', async () => {
  const fields = [{ field: 'splits.dev', code: 'no_question', message: 'Ask for fewer.' }]
  shown({ status: 400, body: { error: { code: 'invalid', message: 'No.', remedy: '', fields } } })
  fireEvent.click(screen.getByRole('button', { name: 'Make 350 questions' }))
  expect((await screen.findByText('Ask for fewer.')).parentElement?.textContent).toContain('Dev')
})
