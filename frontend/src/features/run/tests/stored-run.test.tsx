import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'

import { StoredRun, type SharedRun } from '@/features/run/stored-run'
import { method } from '@/lib/tests/method'
import { detailOf, recording } from '@/graph/tests/frames'
import { show } from '@/lib/tests/show'

const properties = { max_steps: { type: 'integer', default: 10 } }

function open(part: Partial<SharedRun['run']>): void {
  const shared: SharedRun = {
    run: {
      ...detailOf(recording('mashost')),
      checkpoint: 'best',
      method_config: { max_steps: 4 },
      ...part,
    },
    method: method('mashost', { config_schema: { properties } }),
    trained_config: { max_steps: 4 },
    role_names: {},
    origins: {},
  }
  show(<StoredRun shared={shared} events={[]} actions={null} />)
}

it('has the settings of its checkpoint as what nobody changed', () => {
  open({})
  expect(screen.getByRole('button', { name: /^Settings/ }).textContent).toContain('all default')
})

it.each([
  ['code', true],
  ['text', false],
] as const)('sets an answer of the form %s in the font of code: %s', (answer_form, isCode) => {
  open({ status: 'succeeded', answer: 'print(4)', answer_form })
  const answer = within(screen.getByRole('region', { name: 'Answer' })).getByText('print(4)')
  expect(answer.className.includes('font-mono')).toBe(isCode)
})
