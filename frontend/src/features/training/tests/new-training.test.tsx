import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { NewTrainingPage } from '@/features/training/new-training-page'
import { SettingsView } from '@/features/training/settings-view'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

import { me, training } from './support'

const method = {
  method: 'mashost',
  name: 'MasHost',
  needs_pool: false,
  asks_endpoint: true,
  metrics: [],
  config_schema: {},
  presets: { studio: {} },
}

const known = [[['me'], me]] as const

describe('training again', () => {
  const answer = ({ path }: { path: string }) =>
    path === '/api/training/methods'
      ? { body: [method] }
      : path === '/api/training-jobs/j1'
        ? { body: training({ per_system: { ...training().per_system, max_tokens: 777 } }) }
        : path.startsWith('/api/training-jobs')
          ? { status: 404, body: null }
          : { body: { results: [], next: null } }

  it('shows the form with a notice when the training is gone', async () => {
    playApi(answer)
    show(<NewTrainingPage />, { at: '/training/new?from=lost', known })
    expect(await screen.findByText(/The training to repeat was deleted/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Start training' })).toBeTruthy()
  })

  it('of a method that asks no endpoint offers neither one nor a budget', async () => {
    playApi((asked) =>
      asked.path === '/api/training/methods'
        ? { body: [{ ...method, asks_endpoint: false }] }
        : answer(asked),
    )
    show(<NewTrainingPage />, { at: '/training/new?from=j1', known })
    const endpoint = await screen.findByRole('button', { name: /Endpoint/ })
    expect((endpoint as HTMLButtonElement).disabled).toBe(true)
    expect(endpoint.textContent).toContain('not needed')
    expect(screen.getByRole('button', { name: /Start from/ }).textContent).toContain('as it is')
    expect(screen.getByRole('textbox', { name: /Checkpoints/ })).toBeTruthy()
    expect(screen.queryByRole('textbox', { name: /Tokens/ })).toBeNull()
  })

  it('takes over what one system may spend', async () => {
    playApi(answer)
    show(<NewTrainingPage />, { at: '/training/new?from=j1', known })
    const field = await screen.findByRole('textbox', { name: 'Tokens per system' })
    expect((field as HTMLInputElement).value).toBe('777')
  })
})

it('the settings tell the limits of one system', () => {
  playApi(() => ({ body: [method] }))
  show(<SettingsView job={training()} />, { known })
  expect(screen.getByText('60,000 tokens, 512 tokens per reply, 5 min 00 s')).toBeTruthy()
  expect(screen.getByText('no limit')).toBeTruthy()
})
