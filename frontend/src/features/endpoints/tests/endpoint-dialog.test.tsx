import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'

import { EndpointDialog } from '@/features/endpoints/endpoint-dialog'
import type { Endpoint } from '@/lib/api/queries'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

const endpoint = {
  key: 'small',
  name: 'Small',
  base_url: 'http://127.0.0.1:8000/v1',
  model: 'qwen-0.5b',
  enabled: true,
  allow_private_address: true,
} as Endpoint
const shownWith = (now: Partial<Endpoint>) => {
  const requests = playApi(() => ({ body: { ...endpoint, ...now } }))
  show(<EndpointDialog endpoint={endpoint} onClose={vi.fn()} />)
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Mine' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  return requests
}

it('gives back no permission that another person took away meanwhile', async () => {
  const requests = shownWith({ enabled: false, allow_private_address: false })
  await waitFor(() =>
    expect(requests.find(({ method }) => method === 'PATCH')?.body).toEqual({ name: 'Mine' }),
  )
})

it('shows what another person wrote into the same field, and sends nothing yet', async () => {
  const requests = shownWith({ name: 'Theirs' })
  expect((await screen.findAllByText(/It now says: “Theirs”/)).length).toBeGreaterThan(0)
  expect(requests.map(({ method }) => method)).toEqual(['GET'])
})
