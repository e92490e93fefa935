import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'

import { show, showFrames } from '@/components/run/tests/show'
import { ConstructionPanel } from '@/families/construction/construction-panel'
import type { Frame } from '@/graph/frames'
import { recording } from '@/graph/tests/frames'

describe('the construction', () => {
  it('says that the policy is untrained and marks masked actions', () => {
    show('mashost', <ConstructionPanel selected={null} onSelect={vi.fn()} />, 5)
    expect(screen.getByText('untrained policy')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Show all 34 actions' }))
    expect(screen.getByText('Exit (not allowed)')).toBeTruthy()
  })

  it('says where the checkpoint leaves the question to the untrained policy', () => {
    const outside = (frame: Frame): Frame =>
      'event' in frame && frame.event.event === 'node_sampled'
        ? { ...frame, event: { ...frame.event, out_of_scope: true } }
        : frame
    showFrames(
      recording('mashost').map(outside),
      <ConstructionPanel selected={null} onSelect={vi.fn()} />,
    )
    expect(screen.getByText(/differs from those that the checkpoint learned from/)).toBeTruthy()
  })

  it('opens a step with its edges and the answer so far', () => {
    show('mashost', <ConstructionPanel selected={null} onSelect={vi.fn()} />)
    fireEvent.click(screen.getByRole('button', { name: /Add Unit checker/ }))
    expect(screen.getAllByRole('img', { name: 'read' })).toHaveLength(2)
    expect(screen.getAllByRole('img', { name: 'not read' })).toHaveLength(1)
  })
})
