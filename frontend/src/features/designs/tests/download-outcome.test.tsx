import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'

import { DownloadOutcome, formatsOf } from '@/features/designs/download-outcome'
import { ApiError } from '@/lib/api/errors'

it('says why there is no file until it is closed', () => {
  const onClose = vi.fn()
  const problem = new ApiError({
    code: 'not_exportable',
    message: '“Programmer” runs programs that a model writes.',
    remedy: 'Remove that tool, or export JSON.',
    status: 400,
    fields: [],
    retryAfter: null,
  })
  render(
    <DownloadOutcome outcome={{ kind: 'refused', format: 'python', problem }} onClose={onClose} />,
  )
  expect(screen.getByRole('dialog', { name: /Not exported: Python program/ })).toBeTruthy()
  expect(screen.getByRole('alert').textContent).toContain('Remove that tool')
  fireEvent.click(screen.getAllByRole('button', { name: 'Close' }).at(-1) ?? document.body)
  expect(onClose).toHaveBeenCalledOnce()
})

it('lists all that the file does without', () => {
  const sentences = ['A works without its tool.', 'B does, too.', 'C.', 'D.']
  render(<DownloadOutcome outcome={{ kind: 'leftOut', sentences }} onClose={vi.fn()} />)
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(sentences)
})

it('offers no picture of a script', () => {
  expect(formatsOf(true)).toEqual(['json', 'graphml', 'mermaid', 'python', 'script'])
  expect(formatsOf(false).slice(-2)).toEqual(['svg', 'png'])
})
