import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'

import { MappingFields } from '@/features/datasets/mapping-fields'
import type { Benchmark } from '@/features/datasets/use-datasets'

const column = (name: string, required = false) => ({ name, required, description: '' })
const custom = {
  columns: [column('query', true), column('reference'), column('choices'), column('tests')],
} as unknown as Benchmark

const show = (said: string[]) =>
  render(
    <MappingFields
      benchmark={custom}
      columns={null}
      mapping={{}}
      onChange={vi.fn()}
      error={undefined}
      said={said}
      onRead={null}
      isReading={false}
    />,
  )

const more = () =>
  screen.getByRole('button', { name: 'More columns' }).getAttribute('aria-expanded')

it('shows what answers are judged by beside the question, and folds the rest away', () => {
  show([])
  expect(screen.getByRole('textbox', { name: 'query' })).toBeTruthy()
  expect(screen.getByRole('textbox', { name: 'reference' })).toBeTruthy()
  expect(more()).toBe('false')
})

it('shows a folded column once the check names it', () => {
  const { rerender } = show(['the column “reference” is missing or empty'])
  expect(more()).toBe('false')
  rerender(<></>)
  show(['the column “tests” is missing or empty'])
  expect(more()).toBe('true')
})
