import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'

import { show, showFrames } from '@/components/run/tests/show'
import type { RunEvent } from '@/graph/frames'
import { recording, trace } from '@/graph/tests/frames'

import { RunNotices } from '@/features/run/run-notices'

it('says of a lost attempt that the run began again', () => {
  show('lost-attempt', <RunNotices />)
  expect(screen.getByText(/started again from the beginning/)).toBeTruthy()
})

it('says where the next attempt took over what was finished', () => {
  const frames = recording('lost-attempt')
  const at = frames.findIndex((frame) => frame.type === 'trace' && frame.attempt === 2)
  const taken: RunEvent = { event: 'run_taken_up', at: 1, attempt: 1, events: 1, parts: 1 }
  const run = frames[0]?.run ?? ''
  showFrames(
    [...frames.slice(0, at), { ...trace(90, taken, 2), run }, ...frames.slice(at)],
    <RunNotices />,
  )
  expect(screen.getByText(/took over what was finished and continued/)).toBeTruthy()
  expect(screen.queryByText(/from the beginning/)).toBeNull()
})
