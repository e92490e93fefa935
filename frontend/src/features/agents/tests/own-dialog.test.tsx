import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'

import { OwnDialog } from '@/features/agents/profile-card'
import type { Agent } from '@/features/agents/use-agents'
import { api } from '@/lib/api/client'

const agent = {
  id: 7,
  count: 0,
  prompt: 'Plan.',
  has_own_prompt: false,
  role_prompt: 'Plan.',
  memory: '',
} as unknown as Agent

it('sends what was changed here, and not what somebody else has changed meanwhile', async () => {
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
