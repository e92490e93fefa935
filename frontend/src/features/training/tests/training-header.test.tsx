import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { TrainingHeader } from '@/features/training/training-header'
import { JobNotices } from '@/features/training/training-page'
import type { Training } from '@/features/training/use-training'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

import { me, training } from './support'

const known = [
  [['me'], me],
  [['methods'], []],
] as const
const headed = (job: Training) => show(<TrainingHeader job={job} />, { known })

const press = (name: string): void => void fireEvent.click(screen.getByRole('button', { name }))

describe('resuming', () => {
  const spent = training({
    status: 'succeeded',
    end_reason: 'budget',
    budget: { max_tokens: 1_000, max_cost: null },
  })

  it('of a training that has spent its budget asks for a larger one, and sends it', async () => {
    const requests = playApi(() => ({ body: { ...spent, status: 'queued' } }))
    headed(spent)
    press('Resume')
    const field = screen.getByRole('textbox', { name: 'Tokens in all' })
    expect((field as HTMLInputElement).value).toBe('1000')
    expect(within(screen.getByRole('dialog')).getByText(/1,200 tokens and \$0\.60/)).toBeTruthy()
    fireEvent.change(field, { target: { value: '5000' } })
    fireEvent.blur(field)
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Resume' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/api/training-jobs/j1/resume',
        body: { budget: { max_tokens: 5_000, max_cost: null } },
      },
    ])
  })

  it('shows what counts for a limit beside it, and what was reported where there is none', () => {
    headed(spent)
    expect(screen.getByText('1,200 / 1,000')).toBeTruthy()
    expect(screen.getByText('$0.50')).toBeTruthy()
  })

  it('shows the sampled tokens of a training that asks no endpoint, and no cost', () => {
    headed(training({ endpoint: null, model: 'nano', tokens: 4_321, cost: 0 }))
    expect(screen.getByText('4,321').closest('div')?.title).toMatch(/sampled of the model/)
    expect(screen.queryByText('Cost')).toBeNull()
  })

  it('shows in place why the limits are refused', async () => {
    const message = 'Allow more than the 1,200 tokens that count so far.'
    playApi(() => ({
      status: 409,
      body: {
        error: {
          code: 'budget_spent',
          message: 'Spent.',
          remedy: '',
          fields: [{ field: 'budget', code: 'budget_spent', message }],
        },
      },
    }))
    headed(spent)
    press('Resume')
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Resume' }))
    expect((await screen.findByRole('alert')).textContent).toBe(message)
  })

  it('of a paused one asks nothing', async () => {
    const requests = playApi(() => ({ body: training({ status: 'queued' }) }))
    headed(training({ status: 'paused' }))
    press('Resume')
    await waitFor(() => expect(requests).toMatchObject([{ body: {} }]))
  })
})

describe('stopping', () => {
  it('is seen until it has ended, and nothing else can be asked meanwhile', () => {
    headed(training({ cancel_requested_at: '2026-01-01T00:00:00Z' }))
    expect(screen.getByText('Cancelling…')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /Pause|Stop/ })).toBeNull()
  })

  it('is asked about first, and then asked for', async () => {
    const requests = playApi(() => ({ body: training({ status: 'cancelled' }) }))
    headed(training())
    press('Cancel training')
    const dialog = within(screen.getByRole('dialog'))
    expect(dialog.getByText('Cancel Run one?')).toBeTruthy()
    expect(requests).toEqual([])
    fireEvent.click(dialog.getByRole('button', { name: 'Cancel training' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(requests).toMatchObject([{ method: 'POST', path: '/api/training-jobs/j1/cancel' }])
  })

  it('is over with the training', () => {
    headed(training({ status: 'cancelled', cancel_requested_at: '2026-01-01T00:00:00Z' }))
    expect(screen.queryByText('Cancelling…')).toBeNull()
    expect(screen.getByRole('button', { name: 'Delete' })).toBeTruthy()
  })
})

it('a training that is told to pause says when it does', () => {
  const { rerender } = render(<JobNotices job={training({ status: 'pausing' })} />)
  expect(screen.getByText('The training pauses after the current step.')).toBeTruthy()
  rerender(<JobNotices job={training({ status: 'paused' })} />)
  expect(screen.queryByText('The training pauses after the current step.')).toBeNull()
  rerender(<JobNotices job={training({ status: 'pausing', endpoint: null })} />)
  expect(screen.getByText(/^The training pauses within seconds\./)).toBeTruthy()
})
