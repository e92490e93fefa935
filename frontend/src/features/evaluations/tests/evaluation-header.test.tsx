import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { EvaluationHeader } from '@/features/evaluations/evaluation-header'
import type { Evaluation } from '@/features/evaluations/use-evaluations'
import { playApi } from '@/lib/tests/play-api'

import { arm, evaluation, showAt } from './support'

const show = (part: Partial<Evaluation>) =>
  showAt('/', <EvaluationHeader evaluation={evaluation(part)} />)

const button = (name: string) => screen.queryByRole('button', { name })

describe('the header of an evaluation', () => {
  it.each([
    ['running', 'Cancel evaluation', 'cancel'],
    ['failed', 'Resume', 'resume'],
    ['cancelled', 'Resume', 'resume'],
  ] as const)('of one that is %s offers %s', async (status, name, path) => {
    const requests = playApi(() => ({ body: evaluation() }))
    show({ status })
    fireEvent.click(screen.getByRole('button', { name }))
    await waitFor(() =>
      expect(requests).toMatchObject([{ method: 'POST', path: `/api/evaluations/e1/${path}` }]),
    )
  })

  it('of one that is over offers neither', () => {
    show({ status: 'succeeded' })
    expect([button('Cancel evaluation'), button('Resume')]).toEqual([null, null])
    expect(button('Delete')).toBeTruthy()
  })

  it('of one that is over without some answers offers Resume', () => {
    const missing = { code: 'unanswered', message: 'Answers are missing.', arm: 'direct' }
    show({ status: 'succeeded', warnings: [missing] })
    expect(button('Resume')).toBeTruthy()
  })

  it('of somebody else only lets it be done again', () => {
    show({ status: 'running', created_by: 'bob' })
    expect(button('Cancel evaluation')).toBeNull()
    expect(screen.getByRole('link', { name: 'Evaluate again' })).toBeTruthy()
  })

  it('says what arms differ in beside their methods', () => {
    show({
      arms: [
        arm({ reply_tokens: 192, tools: ['program'] }),
        arm({ label: 'team', endpoint: 'large', model: 'large-8b', reply_tokens: 1_024 }),
        arm({ label: 'old', tools: null }),
      ],
      differences: ['limit', 'endpoint', 'tools'],
    })
    const told = screen.getByRole('region', { name: 'What arms differ in' })
    expect(told.textContent).toContain('their methods alone do not explain a difference')
    for (const said of [
      'direct: 192 · team: 1,024 · old: 512',
      'direct: small / small-1b · team: large / large-8b · old: small / small-1b',
      'direct: program · team: none · old: unknown',
    ])
      expect(told.textContent).toContain(said)
  })

  it('says nothing of that where they differ in nothing else', () => {
    show({})
    expect(screen.queryByRole('region', { name: 'What arms differ in' })).toBeNull()
  })

  it('tells the limits of an answer', () => {
    const { budget } = evaluation()
    show({ budget: { ...budget, max_seconds: 86_400 } })
    expect(screen.getByText('24 h 00 min')).toBeTruthy()
    expect(screen.getByText('60,000')).toBeTruthy()
  })
})
