import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { NumberField } from '@/components/number-field'

interface FieldProps {
  readonly onChange: (value: number | null) => void
}

function useKept(first: number, onChange: FieldProps['onChange']) {
  const [value, setValue] = useState<number | null>(first)
  const change = (next: number | null): void => {
    setValue(next)
    onChange(next)
  }
  return { value, onChange: change, setValue }
}

function Cost({ onChange }: FieldProps) {
  const { setValue, ...kept } = useKept(0.5, onChange)
  return (
    <>
      <NumberField label="Cost" live minimum={0} maximum={2} {...kept} />
      <button type="button" onClick={() => setValue(1)}>
        Undo
      </button>
    </>
  )
}

function Steps({ onChange }: FieldProps) {
  const { value, onChange: change } = useKept(100, onChange)
  return (
    <NumberField label="Steps" integer minimum={1} maximum={500} value={value} onChange={change} />
  )
}

/** As a person does: each key of `text`, then on to the next field. */
function write(text: string, Field: typeof Steps = Steps) {
  const onChange = vi.fn()
  render(<Field onChange={onChange} />)
  const field = screen.getByRole<HTMLInputElement>('textbox')
  fireEvent.focus(field)
  for (let end = 0; end <= text.length; end += 1)
    fireEvent.input(field, { target: { value: text.slice(0, end) } })
  fireEvent.blur(field)
  return { field, onChange }
}

describe('a field for a number', () => {
  it.each([
    ['-3', -3, 'Enter a number from 1 to 500.'],
    ['0', 0, 'Enter a number from 1 to 500.'],
    ['501', 501, 'Enter a number from 1 to 500.'],
    ['2.5', 2.5, 'Enter a whole number.'],
  ])('keeps %s, which is not allowed, and says what is', (written, value, problem) => {
    const { field, onChange } = write(written)
    expect(onChange).toHaveBeenLastCalledWith(value)
    expect(field.value).toBe(written)
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText(problem)).toBeTruthy()
  })

  it.each([
    ['7', 'ArrowUp', 8],
    ['', 'ArrowUp', 1],
    ['2', 'ArrowDown', 1],
    ['1', 'ArrowDown', null],
    ['500', 'ArrowUp', null],
    ['7x', 'ArrowUp', null],
  ])('goes on from “%s” with %s to %s', (written, key, value) => {
    const onChange = vi.fn()
    render(<Steps onChange={onChange} />)
    const field = screen.getByRole<HTMLInputElement>('textbox')
    fireEvent.input(field, { target: { value: written } })
    fireEvent.keyDown(field, { key })
    if (value === null) {
      expect(onChange).not.toHaveBeenCalled()
      expect(field.value).toBe(written)
    } else {
      expect(onChange).toHaveBeenLastCalledWith(value)
      expect(field.value).toBe(String(value))
    }
  })

  it.each([
    ['7', 7],
    ['', null],
  ])('takes “%s”', (written, value) => {
    const { field, onChange } = write(written)
    expect(onChange).toHaveBeenLastCalledWith(value)
    expect(field.hasAttribute('aria-invalid')).toBe(false)
  })
})

describe('what is written', () => {
  afterEach(() => vi.restoreAllMocks())

  it.each(['en-US', 'de-DE', 'fr-FR', 'sv-SE', 'ar-EG'])('is the same number in %s', (language) => {
    vi.spyOn(navigator, 'language', 'get').mockReturnValue(language)
    for (const written of ['0.15', '0,15']) {
      const { field, onChange } = write(written, Cost)
      expect(onChange).toHaveBeenLastCalledWith(0.15)
      expect(field.value).toBe('0.15')
      cleanup()
    }
  })

  it.each(['1,000', '1.000', '1 000', 'ten', '5%'])('stays where “%s” is no number', (written) => {
    const { field, onChange } = write(written)
    expect(onChange).toHaveBeenLastCalledWith(Number.NaN)
    expect(field.value).toBe(written)
    expect(screen.getByText('Enter digits without separators, such as 1000 or 0.5.')).toBeTruthy()
    fireEvent.focus(field)
    fireEvent.input(field, { target: { value: '10' } })
    fireEvent.blur(field)
    expect(onChange).toHaveBeenLastCalledWith(10)
    expect(field.hasAttribute('aria-invalid')).toBe(false)
  })

  it('counts when Enter is pressed', () => {
    const onChange = vi.fn()
    render(<Steps onChange={onChange} />)
    const field = screen.getByRole('textbox')
    fireEvent.focus(field)
    fireEvent.input(field, { target: { value: '12' } })
    expect(onChange).not.toHaveBeenCalled()
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(onChange).toHaveBeenLastCalledWith(12)
  })
})

describe('a field whose changes count at once', () => {
  it('passes on nothing that it cannot read', () => {
    const { field, onChange } = write('0,5 $', Cost)
    expect(field.value).toBe('0,5 $')
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(onChange.mock.calls.flat()).not.toContain(Number.NaN)
    fireEvent.click(screen.getByText('Undo'))
    expect(field.value).toBe('1')
  })

  it.each([
    ['0.15', 0.15],
    ['0.0004', 0.0004],
    ['0.00000004', 0.00000004],
    ['1.2345678901234', 1.2345678901234],
    ['', null],
  ])('takes “%s” as it was written', (written, value) => {
    const { field, onChange } = write(written, Cost)
    expect(onChange).toHaveBeenLastCalledWith(value)
    expect(field.value).toBe(written)
  })

  it.each(['5', '-3', '2.01'])('refuses %s with the reason, and passes nothing on', (written) => {
    const { field, onChange } = write(written, Cost)
    expect(field.value).toBe(written)
    expect(screen.getByText('Enter a number from 0 to 2.')).toBeTruthy()
    expect(onChange.mock.calls.flat()).not.toContain(Number(written))
    fireEvent.click(screen.getByText('Undo'))
    expect(field.value).toBe('1')
    expect(screen.queryByText('Enter a number from 0 to 2.')).toBeNull()
  })
})
