import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { AnswersView } from '@/features/evaluations/answers-view'
import { evaluation, pageOf, result, showAt } from '@/features/evaluations/tests/support'
import { playApi, type Answer } from '@/lib/tests/play-api'

const DOWN: Answer = {
  status: 500,
  body: { error: { code: 'server_error', message: 'It broke.', remedy: 'Ask again.' } },
}

describe('the answers of an evaluation', () => {
  it('stay when the next page fails, which a person asks for again', async () => {
    let fails = true
    const sent = playApi(({ query }) => {
      if (!query.has('cursor')) return pageOf([result(1), result(2)], 'b')
      return fails ? DOWN : pageOf([result(3)])
    })
    showAt('/', <AnswersView evaluation={evaluation()} />)
    await screen.findByText('It broke.')
    expect(screen.getByText('answer 1')).toBeTruthy()
    expect(screen.getByText('The rest could not be loaded')).toBeTruthy()
    const asked = sent.length
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sent).toHaveLength(asked)

    fails = false
    fireEvent.click(screen.getByRole('button', { name: 'Load the rest' }))
    expect(await screen.findByText('answer 3')).toBeTruthy()
    expect(screen.queryByText('It broke.')).toBeNull()
    expect(screen.getByText('All 3 shown')).toBeTruthy()
  })

  it('of one task are found by its address, and left again', async () => {
    const sent = playApi(() => pageOf([result(4)]))
    const { router } = showAt('/?task=4', <AnswersView evaluation={evaluation()} />)
    await screen.findByText('answer 4')
    expect(sent.at(-1)?.query.get('task')).toBe('4')
    fireEvent.click(screen.getByRole('button', { name: /show all tasks/ }))
    await waitFor(() => expect(sent.at(-1)?.query.has('task')).toBe(false))
    expect(router.state.location.search).toBe('')
  })

  it('are not called all while more are made', async () => {
    playApi(() => pageOf([result(1)]))
    showAt('/', <AnswersView evaluation={evaluation({ status: 'running', done: 1 })} />)
    expect(await screen.findByText('1 so far.')).toBeTruthy()
  })
})
