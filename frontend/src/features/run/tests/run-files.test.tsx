import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'

import { showFrames, storedAs } from '@/components/run/tests/show'
import { RunFiles } from '@/features/run/run-files'

const files = [
  { name: 'a.csv', size: 1_200 },
  { name: 'gone.pdf', size: null },
]

it('names the files of the question, with the download of those that are stored', () => {
  const frames = storedAs('self-consistency', { files })
  showFrames(frames, <RunFiles />)
  const [stored, gone] = screen.getAllByRole('listitem')
  const link = screen.getByRole('link')
  expect(stored?.textContent).toBe('a.csv1.2 kB')
  expect(link.getAttribute('href')).toMatch(/^\/api\/runs\/[\w-]+\/files\/0$/)
  expect(gone?.textContent).toBe('gone.pdf is no longer stored')
})

it('shows nothing where none came along', () => {
  showFrames(storedAs('self-consistency', { files: [] }), <RunFiles />)
  expect(screen.queryByRole('list')).toBeNull()
})
