import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'

import type { components } from '@/generated/api'

import { RoleChanges } from '@/features/roles/role-changes'

const role = (key: string): components['schemas']['RoleState'] => ({
  key,
  name: key,
  family: 'law',
  description: 'd',
  capabilities: [],
  prompt: `You are ${key}.`,
  tools: [],
  output_form: '',
  refuse_condition: '',
  enabled: true,
})

it('shows the words that publishing changes, and of a great diff the first roles', () => {
  const fields = [{ name: 'prompt', before: 'Think twice.', after: 'Think once.' }]
  const { container } = render(
    <RoleChanges
      diff={{
        added: Array.from({ length: 101 }, (_, index) => role(`new-${index}`)),
        removed: [],
        changed: [{ key: 'solver', fields }],
        moved: false,
      }}
    />,
  )
  expect(screen.getByText('101 added, 0 removed, 1 changed')).toBeDefined()
  expect(container.querySelector('del')?.textContent).toContain('twice')
  expect(container.querySelector('ins')?.textContent).toContain('once')
  expect(screen.getAllByText('added')).toHaveLength(99)
  expect(screen.getByText('2 more roles differ and are not shown.')).toBeDefined()
})
