import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'

import { OwnDialog } from '@/features/agents/profile-card'
import type { Agent } from '@/features/agents/use-agents'
import { api } from '@/lib/api/client'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

const agent = {
  id: 7,
  count: 0,
  prompt: 'Plan.',
  has_own_prompt: false,
  role_prompt: 'Plan.',
  memory: '',
} as unknown as Agent

afterEach(() => vi.restoreAllMocks())

it('sends what was changed here, and not what somebody else has changed meanwhile', async () => {
  vi.spyOn(api, 'GET').mockResolvedValue({
    data: { ...agent, prompt: 'Of another curator.', has_own_prompt: true },
  } as Awaited<ReturnType<typeof api.GET>>)
  const patch = vi.spyOn(api, 'PATCH').mockReturnValue(new Promise(() => undefined))
  const client = new QueryClient()
  const shown = (known: Agent) => (
    <QueryClientProvider client={client}>
      <OwnDialog agent={known} onClose={vi.fn()} />
    </QueryClientProvider>
  )
  const { rerender } = render(shown(agent))
  rerender(shown({ ...agent, prompt: 'Of another curator.', has_own_prompt: true }))
  fireEvent.change(screen.getByLabelText('Memory'), { target: { value: 'Carry the one.' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  const body = { memory: 'Carry the one.' }
  await waitFor(() =>
    expect(patch).toHaveBeenCalledWith('/api/agents/{id}', { params: { path: { id: 7 } }, body }),
  )
})

it('sends nothing where another person changed the same text, before that is seen', async () => {
  const requests = playApi(() => ({ body: { ...agent, memory: 'Of another curator.' } }))
  show(<OwnDialog agent={agent} onClose={vi.fn()} />)
  fireEvent.change(screen.getByLabelText('Memory'), { target: { value: 'Mine.' } })
  const save = screen.getByRole('button', { name: 'Save' })
  fireEvent.click(save)
  expect(await screen.findByText(/It now says: “Of another curator\.”/)).toBeTruthy()
  expect(requests.map(({ method }) => method)).toEqual(['GET'])
  fireEvent.click(save)
  await waitFor(() =>
    expect(requests.at(-1)).toMatchObject({ method: 'PATCH', body: { memory: 'Mine.' } }),
  )
})
