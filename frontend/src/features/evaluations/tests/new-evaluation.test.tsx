import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'

import { NewEvaluationPage } from '@/features/evaluations/new-evaluation-page'
import {
  draftOf,
  emptyDraft,
  newArm,
  requestOf,
  useFormDraft,
} from '@/features/evaluations/form-draft'
import { evaluation, method, pageOf, showAt } from '@/features/evaluations/tests/support'
import { playApi, type Answer, type Sent } from '@/lib/tests/play-api'

afterEach(() => {
  cleanup() // a page still shown would fill the empty draft again
  useFormDraft.getState().change(emptyDraft())
})

const sums = { key: 'sums', name: 'Sums', splits: { train: 0, dev: 8, test: 0 } }

function answer({ path }: Sent): Answer | undefined {
  if (path === '/api/datasets') return pageOf([sums])
  if (path === '/api/evaluations/known')
    return {
      body: evaluation({ budget: { ...evaluation().budget, max_cost: 0.25 } }),
    }
  if (['/api/endpoints', '/api/pools', '/api/checkpoints'].includes(path)) return pageOf([])
  return undefined
}

const checkpoint = (name: string, rounds: number) => ({
  name,
  label: name,
  method: 'mashost',
  trained: true,
  is_default: name === 'deep',
  step: 0,
  run_config: { rounds },
})

const refusal = (field: string): Answer => ({
  status: 400,
  body: {
    error: {
      code: 'invalid',
      message: 'Some fields are wrong.',
      remedy: '',
      fields: [{ field, code: 'too_small', message: 'At least 1 round.' }],
    },
  },
})

describe('a new evaluation', () => {
  it('of one that is gone shows the form and says so', async () => {
    playApi(answer)
    const { router } = showAt('/?from=lost', <NewEvaluationPage />)
    expect(await screen.findByText('The evaluation to copy cannot be read')).toBeTruthy()
    expect(await screen.findByRole('button', { name: 'Start evaluation' })).toBeTruthy()
    expect(router.state.location.search).toBe('?gone=lost')
  })

  it('on a dataset that has only a test split begins with that', async () => {
    playApi((sent) =>
      sent.path === '/api/datasets'
        ? pageOf([{ key: 'exam', name: 'Exam', splits: { train: 0, dev: 0, test: 30 } }])
        : answer(sent),
    )
    showAt('/', <NewEvaluationPage />)
    const start = await screen.findByRole('button', { name: 'Start evaluation' })
    await waitFor(() => expect(start.hasAttribute('disabled')).toBe(false))
    expect(useFormDraft.getState().split).toBe('test')
    expect(screen.getByText('of 30')).toBeTruthy()
    act(() => useFormDraft.getState().change({ split: 'dev' }))
    expect(screen.getAllByText('The split “dev” has no tasks. Choose another split.')).toHaveLength(
      2,
    )
    expect(screen.queryByText('of 0')).toBeNull()
    expect(start.hasAttribute('disabled')).toBe(true)
  })

  it('takes the tasks that the address names', async () => {
    const exam = { key: 'exam', name: 'Exam', splits: { train: 4, dev: 0, test: 30 } }
    playApi((sent) => (sent.path === '/api/datasets' ? pageOf([sums, exam]) : answer(sent)))
    const { router } = showAt('/?dataset=exam&split=train', <NewEvaluationPage />)
    await waitFor(() => expect(useFormDraft.getState().dataset).toBe('exam'))
    expect(useFormDraft.getState().split).toBe('train')
    expect(screen.getByText('all 4'), 'of which 20 are asked for').toBeTruthy()
    expect(router.state.location.search).toBe('')
  })

  it.each([
    ['another checkpoint beside the default', 'wide', null],
    ['the default beside no training', 'deep', 'untrained'],
    ['one that is gone beside the default', 'gone', null],
  ])('compares %s', async (_, name, beside) => {
    playApi((sent) =>
      ['wide', 'deep'].some((known) => sent.path === `/api/checkpoints/${known}`)
        ? { body: checkpoint(name, 5) }
        : answer(sent),
    )
    const { router } = showAt(`/?method=mashost&checkpoint=${name}`, <NewEvaluationPage />)
    await waitFor(() => expect(router.state.location.search).toBe(''))
    const arms = useFormDraft.getState().arms.filter(({ method }) => method === 'mashost')
    expect(arms.map((arm) => arm.checkpoint)).toEqual([name, beside])
  })

  it('of one that there is takes all its limits over', async () => {
    playApi(answer)
    showAt('/?from=known', <NewEvaluationPage />)
    await waitFor(() => expect(useFormDraft.getState().max_cost).toBe(0.25))
    const draft = draftOf(evaluation({ budget: { ...evaluation().budget, max_cost: 0.25 } }), [])
    expect(requestOf(draft, [method('direct')], () => []).budget).toEqual({
      max_tokens: 60_000,
      max_cost: 0.25,
      max_seconds: 300,
      max_completion_tokens_per_call: 512,
    })
  })

  it('shows what a checkpoint was trained under, and sends what differs from that', async () => {
    const requests = playApi((sent) =>
      sent.path === '/api/checkpoints'
        ? pageOf([checkpoint('wide', 5), checkpoint('deep', 7)])
        : answer(sent),
    )
    const learner = { ...newArm('mashost'), config: { rounds: 2 } }
    const copied = { ...newArm('mashost'), checkpoint: 'wide', config: { rounds: 5 } }
    useFormDraft.getState().change({ dataset: 'sums', arms: [learner, copied] })
    showAt('/', <NewEvaluationPage />)
    const start = await screen.findByRole('button', { name: 'Start evaluation' })
    await waitFor(() => expect(start.hasAttribute('disabled')).toBe(false))
    await screen.findAllByText('wide')
    for (const group of screen.getAllByRole('button', { name: /^Settings/ })) fireEvent.click(group)
    const shown = screen
      .getAllByLabelText('Rounds')
      .map((field) => (field as HTMLInputElement).value)
    expect(shown).toEqual(['2', '5'])
    fireEvent.click(start)
    await waitFor(() => expect(requests.some(({ method }) => method === 'POST')).toBe(true))
    const sent = requests.find(({ method }) => method === 'POST')?.body as
      { arms: object[] } | undefined
    // The studio’s own checkpoint is “deep”: 2 is a choice there, and 5 none beside “wide”.
    expect(sent?.arms).toEqual([
      { method: 'mashost', method_config: { rounds: 2 } },
      { method: 'mashost', checkpoint: 'wide' },
    ])
  })

  it('names a wrong setting beside the start, opens its group and goes there', async () => {
    playApi((sent) =>
      sent.method === 'POST' ? refusal('arms.1.method_config.rounds') : answer(sent),
    )
    showAt('/?from=known', <NewEvaluationPage />)
    const start = await screen.findByRole('button', { name: 'Start evaluation' })
    await waitFor(() => expect(start.hasAttribute('disabled')).toBe(false))
    const groups = () => screen.getAllByRole('button', { name: /^Settings/ })
    expect(groups().map((group) => group.getAttribute('aria-expanded'))).toEqual(['false', 'false'])

    fireEvent.click(start)
    expect((await screen.findByRole('alert')).textContent).toBe('Not started: At least 1 round.')
    expect(groups().map((group) => group.getAttribute('aria-expanded'))).toEqual(['false', 'true'])
    const field = document.activeElement
    expect(field?.getAttribute('aria-invalid')).toBe('true')
    expect(field?.closest('fieldset')?.textContent).toContain('Arm 2')
  })
})
