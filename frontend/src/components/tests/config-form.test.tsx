import { fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'

import { ConfigForm } from '@/components/config-form'
import { configFields, type ConfigValue } from '@/lib/config-schema'

const code = { type: 'string', format: 'code', default: '' }
const fields = configFields({
  properties: { script: { ...code, examples: ['deliver(1)'] }, other: code },
})

function Form() {
  const [values, setValues] = useState<Record<string, ConfigValue>>({})
  return <ConfigForm fields={fields} values={values} onChange={setValues} error={null} />
}

it('offers an example while the field is empty, and writes over nothing', () => {
  render(<Form />)
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Script' })
  // One button: the other field has no example.
  fireEvent.click(screen.getByRole('button', { name: 'Insert an example' }))
  expect(field.value).toBe('deliver(1)')
  expect(document.activeElement).toBe(field)
  expect(screen.queryByRole('button')).toBeNull()
  fireEvent.change(field, { target: { value: '' } })
  expect(screen.getByRole('button', { name: 'Insert an example' })).toBeTruthy()
})
