import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { Palette } from '@/app/palette'
import { commandStore } from '@/lib/commands'

afterEach(() => {
  cleanup()
  commandStore.setState({ groups: [] })
})

describe('the palette', () => {
  it('lists one of two commands with the same id, that of what opened last', () => {
    const [older, newer] = [vi.fn(), vi.fn()]
    commandStore.setState({
      groups: [
        [{ id: 'close', label: 'Close the page', run: older }],
        [{ id: 'close', label: 'Close the dialog', run: newer }],
      ],
    })
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
    client.setQueryData(['me'], { username: 'ada', permissions: { run: true } })
    render(
      <QueryClientProvider client={client}>
        <MemoryRouter>
          <Palette onClose={() => undefined} />
        </MemoryRouter>
      </QueryClientProvider>,
    )
    const labels = screen.getAllByRole('menuitem').map((item) => item.textContent)
    expect(labels.filter((label) => label.startsWith('Close'))).toEqual(['Close the dialog'])
  })
})
