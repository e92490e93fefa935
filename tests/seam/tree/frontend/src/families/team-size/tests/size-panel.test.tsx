import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'

import { showFrames } from '@/components/run/tests/show'
import { SidePanel } from '@/features/run/side-panel'
import type { Frame } from '@/graph/frames'

import told from './run.json'

afterEach(cleanup)

it('is shown beside the graph of a run that a worker answered', async () => {
  showFrames(told as unknown as Frame[], <SidePanel selected={null} onSelect={vi.fn()} />)
  expect(await screen.findByRole('region', { name: 'Team size' })).toBeTruthy()
  expect(screen.getByText(/^The policy asks [123] solvers\.$/)).toBeTruthy()
  expect(screen.getAllByRole('listitem')).toHaveLength(3)
})
